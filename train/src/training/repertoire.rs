//! What a run plays, for those who play elsewhere.

use models::{Inputs, Server};
use selfplay::{Mixture, SelfPlay};

use super::rules::RunRules;
use crate::{ConfigError, Kinds, RunConfig};

/// Tells encodings of positions apart: that of what this program's networks are told.
pub fn encoding_version() -> u32 {
    let inputs = toml::to_string(&Inputs::all()).unwrap_or_default();
    crc32c::crc32c(inputs.as_bytes())
}

/// What a run plays.
pub struct Repertoire {
    config: RunConfig,
    rules: RunRules,
}

impl Repertoire {
    /// That of a run.
    ///
    /// # Errors
    /// Its rules make no sense.
    pub fn new(config: RunConfig) -> Result<Repertoire, ConfigError> {
        Ok(Repertoire { rules: RunRules::new(&config)?, config })
    }

    /// The games of a session, none of them begun. `seed` determines them all.
    pub fn self_play(&self, server: &Server, step: u64, seed: u64) -> SelfPlay {
        self.rules.self_play(&self.config, server, step, seed)
    }

    /// The rules of new games, by what is known of the kinds of games.
    pub fn new_games(&self, kinds: &Kinds) -> Mixture {
        self.rules.new_games(&self.config, kinds, kinds.rows())
    }
}

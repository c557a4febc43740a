//! What a run plays, for workers in other processes.

use models::{Inputs, Server};
use selfplay::{Mixture, SelfPlay};

use super::rules::RunRules;
use crate::{ConfigError, Kinds, RunConfig};

/// Identifies the encoding of positions that this program's networks read.
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
    /// The repertoire of a run.
    ///
    /// # Errors
    /// The run's rules are invalid.
    pub fn new(config: RunConfig) -> Result<Repertoire, ConfigError> {
        Ok(Repertoire { rules: RunRules::new(&config)?, config })
    }

    /// The games of a session, not yet started. `seed` determines all of them.
    pub fn self_play(&self, server: &Server, step: u64, seed: u64) -> SelfPlay {
        self.rules.self_play(&self.config, server, step, seed)
    }

    /// The rules of new games, given what is known about the kinds of games.
    pub fn new_games(&self, kinds: &Kinds) -> Mixture {
        self.rules.new_games(&self.config, kinds, kinds.rows())
    }
}

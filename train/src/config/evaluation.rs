//! The part of a configuration about measuring a run.

use arena::{PlayerSpec, ReferencePlayer};
use engine::Size;
use serde::{Deserialize, Serialize};

use super::error::ConfigError;

/// More games and simulations than any rating has time for, and below, more positions; all of them
/// still fit into memory.
const MAX_GAMES: usize = 1_000_000;
const MAX_SIMULATIONS: u32 = 65_535;
const MAX_SUITE: usize = 100_000;

/// Matches of a run against its own past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationSettings {
    /// Fraction of the run between two matches; 0 plays none. The first match comes after an eighth
    /// of that, and the distance then doubles until it reaches the full value, because most is
    /// learnt early. KataGo's gating: every network.
    pub every: f32,
    /// Games per match; fewer against an earlier checkpoint where there are fewer openings, because
    /// the same opening gives the same games. KataGo's gating: 200.
    pub games: usize,
    /// Simulations per move. KataGo's gating: 150 visits.
    pub simulations: u32,
    /// Number of positions on which the preferred moves of both networks are compared, the same
    /// ones in every run of the same rules; 0 skips the comparison. Ours: 2,000 give ±2 %.
    pub suite: usize,
    /// Rule sets, each named once, under which matches are played, in equal parts and on the
    /// largest board; only the run's `rules` if empty. In a mixture, the Elo is over all of them
    /// together.
    pub panel: Vec<String>,
    /// Players without a network, as in `["uct:1000"]`, against which every rated checkpoint plays
    /// the same number of games: random, greedy, flat:PLAYOUTS, uct:PLAYOUTS or, on boards up to
    /// 3×3, solver. MiniZero: Pachi.
    pub references: Vec<String>,
    /// A checkpoint that has lost more than this many Elo since the last match, with 95 %
    /// confidence, is replaced by the earlier one, and the learning rate is halved until a match
    /// shows a gain with the same confidence. 0 never does this, and no run goes back to step 0,
    /// even if it began from a model. A run in a store, with whose weights others are already
    /// playing, only reports such a loss, and so does one that has gone back three times without
    /// such a gain.
    pub largest_loss: f64,
}

impl Default for EvaluationSettings {
    fn default() -> EvaluationSettings {
        EvaluationSettings {
            every: 0.1,
            games: 64,
            simulations: 16,
            suite: 2000,
            panel: Vec::new(),
            references: Vec::new(),
            largest_loss: 60.0,
        }
    }
}

impl EvaluationSettings {
    /// The fraction of the run at which the match after one at `last` is due; `None` if none are
    /// played.
    pub fn next_match(&self, last: f32) -> Option<f32> {
        (self.every > 0.0).then(|| last + last.clamp(self.every / 8.0, self.every))
    }

    /// The first invalid value, if any.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if !(0.0..=1.0).contains(&self.every) {
            Some("evaluation.every must be from 0 to 1")
        } else if self.games > MAX_GAMES || (self.every > 0.0 && self.games < 2) {
            Some("evaluation.games must be from 2 to 1000000")
        } else if self.simulations > MAX_SIMULATIONS {
            Some("evaluation.simulations must be at most 65535")
        } else if self.suite > MAX_SUITE {
            Some("evaluation.suite must be at most 100000")
        } else if !(self.largest_loss >= 0.0 && self.largest_loss.is_finite()) {
            Some("evaluation.largest_loss must be a number from 0 on")
        } else {
            None
        }
    }

    /// Checks that there are such reference players, and that they are quick enough on boards of
    /// this size: a run would stand still at its first rating, or end there.
    ///
    /// # Errors
    /// One of them is unknown, needs a network or another program, or is too slow.
    pub(super) fn check_references(&self, size: Size) -> Result<(), ConfigError> {
        let players = self.reference_players()?;
        match players.iter().find(|(_, player)| !player.is_quick_on(size)) {
            Some((name, _)) => Err(ConfigError::Reference(format!(
                "'{name}' takes too long for a move on {size:#}: leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// The reference players with their names.
    ///
    /// # Errors
    /// One of them is unknown, or needs a network or another program.
    pub(crate) fn reference_players(&self) -> Result<Vec<(&str, ReferencePlayer)>, ConfigError> {
        self.references.iter().map(|name| Ok((name.as_str(), reference(name)?))).collect()
    }
}

/// A player that needs neither a network nor another program.
fn reference(name: &str) -> Result<ReferencePlayer, ConfigError> {
    match name.parse() {
        Ok(PlayerSpec::Reference(player)) => Ok(player),
        Ok(PlayerSpec::Model { .. } | PlayerSpec::Policy { .. } | PlayerSpec::Gtp { .. }) => {
            Err(ConfigError::Reference(format!("'{name}' is not built in")))
        }
        Err(error) => Err(ConfigError::Reference(error.to_string())),
    }
}

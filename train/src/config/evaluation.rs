//! The part of a configuration that says how a run is measured.

use arena::{PlayerSpec, ReferencePlayer};
use serde::{Deserialize, Serialize};

use super::error::ConfigError;

/// Matches of a run against its own past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationSettings {
    /// Share of the run between two matches; 0 plays none. The first comes after an eighth of it, and the share then
    /// doubles until matches are that far apart, because most is learnt early. KataGo's gating: every network.
    pub every: f32,
    /// Games a match. KataGo's gating: 200.
    pub games: usize,
    /// Simulations a move. KataGo's gating: 150 visits.
    pub simulations: u32,
    /// Positions on which the preferred moves of both networks are compared, the same in every run of the same rules;
    /// 0 leaves this out. Ours: 2,000 give ±2 %.
    pub suite: usize,
    /// Rule sets that matches are played under, in equal parts and on the largest board; the run's `rules` if there are
    /// none. In a mixture the Elo is that of all together.
    pub panel: Vec<String>,
    /// Players without a network, as in `["uct:1000"]`, against which every rated checkpoint plays as many games:
    /// random, greedy, flat:PLAYOUTS, uct:PLAYOUTS or solver. MiniZero: Pachi.
    pub references: Vec<String>,
    /// A checkpoint that has lost more than this many Elo since the last match, with 95 % confidence, is replaced by
    /// the earlier one, and the learning rate halved. 0 never does this.
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
    /// The share of the run at which a match is due after one at the share `last`; `None` plays none.
    pub fn next_match(&self, last: f32) -> Option<f32> {
        (self.every > 0.0).then(|| last + last.clamp(self.every / 8.0, self.every))
    }

    /// The first invalid value, if any.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if !(0.0..=1.0).contains(&self.every) {
            Some("evaluation.every must be from 0 to 1")
        } else if self.every > 0.0 && self.games < 2 {
            Some("evaluation.games must be at least 2")
        } else if !(self.largest_loss >= 0.0 && self.largest_loss.is_finite()) {
            Some("evaluation.largest_loss must be a number from 0 on")
        } else {
            None
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

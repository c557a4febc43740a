//! What a laboratory measures.

use arena::{MatchError, RecordError};
use engine::Rules;
use serde_json::{Value, json};

use crate::agent::self_player;

use super::budget::Budget;

/// Rule sets to measure side by side, with the same networks and the same number of games.
#[derive(Debug, Clone, PartialEq)]
pub struct LabPlan {
    /// The rule set in question first, then those it is compared with; all on boards of one size.
    pub rules: Vec<Rules>,
    /// Identities of the networks, in the order of their evaluators.
    pub networks: Vec<String>,
    /// Simulations per move.
    pub simulations: u32,
    /// How many games are played.
    pub budget: Budget,
    /// Plies in each opening; `None` for as many as give enough different openings.
    pub opening_plies: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

/// Increased whenever the same plan would play different games, so that no folder mixes the games
/// of two program versions.
const REVISION: u32 = 6;

impl LabPlan {
    /// The settings that must agree for two laboratories to share games: everything except the
    /// number of games.
    pub(crate) fn header(&self) -> Value {
        let mut header = json!({
            "revision of the program": REVISION,
            "rules": self.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "size": self.rules.first().map(|rules| rules.size),
            "networks": self.networks,
            "simulations": self.simulations,
            "seed": self.seed,
            "settled_simulations": self_player(self.simulations).settled.simulations,
        });
        if let Some(plies) = self.opening_plies {
            header["opening_plies"] = json!(plies);
        }
        header
    }
}

/// Why a laboratory cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] RecordError),
    /// There is nothing to play, or nobody to play it.
    #[error("expected at least one rule set and one network")]
    Empty,
    /// The rule sets have boards of different sizes.
    #[error("the rule sets are for boards of different sizes: expected one size for all")]
    Sizes,
    /// Playing failed.
    #[error(transparent)]
    Match(#[from] MatchError),
}

//! What a laboratory measures.

use std::path::PathBuf;

use arena::MatchError;
use engine::Rules;
use serde_json::{Value, json};

use super::budget::Budget;

/// Rule sets that are measured side by side, by the same networks and the same number of games.
#[derive(Debug, Clone, PartialEq)]
pub struct LabPlan {
    /// The rule set in question first, then those that it is compared with; all on boards of one size.
    pub rules: Vec<Rules>,
    /// Identities of the networks, in the order of their evaluators.
    pub networks: Vec<String>,
    /// Simulations a move.
    pub simulations: u32,
    /// How many games are played.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
}

impl LabPlan {
    /// What must agree for two laboratories to share games: all but the number of games.
    pub(crate) fn header(&self) -> Value {
        json!({
            "rules": self.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "size": self.rules.first().map(|rules| rules.size),
            "networks": self.networks,
            "simulations": self.simulations,
            "seed": self.seed,
        })
    }
}

/// Why a laboratory cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The folder belongs to another laboratory.
    #[error(
        "{folder} holds games of another laboratory, with other {what} ({theirs} there, {ours} here): choose another \
         --folder, or the same settings to go on"
    )]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: String,
        /// The value there.
        theirs: String,
        /// The value here.
        ours: String,
    },
    /// A line that is no game of this laboratory.
    #[error("{path}, line {line}: {problem}; remove the folder to begin anew")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Nobody to play.
    #[error("no network: expected at least one")]
    NoNetwork,
    /// Rule sets on boards of different sizes.
    #[error("the rule sets are for boards of different sizes: expected one size for all")]
    Sizes,
    /// Playing failed.
    #[error(transparent)]
    Match(#[from] MatchError),
}

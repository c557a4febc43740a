//! What an agent is asked.

use search::Settings;

/// What to judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgePlan {
    /// Number of positions.
    pub positions: usize,
    /// Settings of the search whose moves are judged besides the network's own.
    pub settings: Settings,
    /// Seed of the positions.
    pub seed: u64,
}

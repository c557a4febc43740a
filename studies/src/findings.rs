//! The findings of a study.

use arena::{Elo, Estimate};
use engine::Rules;

use crate::atlas::Atlas;
use crate::balance::FairPoint;
use crate::summary::Observations;

/// A match between a number of simulations and twice as many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubling {
    /// Simulations of the weaker player.
    pub simulations: u32,
    /// The Elo difference.
    pub elo: Elo,
}

/// Everything about one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The rules.
    pub rules: Rules,
    /// Turns in each opening.
    pub opening_plies: usize,
    /// Observations in the agent's games against itself.
    pub observations: Observations,
    /// Black's share of the points at each level of compensation.
    pub levels: Vec<(f64, Estimate)>,
    /// The compensation that makes the game even; `None` where more of it helps Black.
    pub fair: Option<FairPoint>,
    /// What doubling the simulations is worth.
    pub doublings: Vec<Doubling>,
    /// First moves up to symmetry.
    pub atlas: Atlas,
}

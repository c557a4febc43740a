//! What a study has found.

use arena::{Elo, Estimate};
use engine::Rules;

use crate::atlas::Atlas;
use crate::balance::FairPoint;
use crate::summary::Observations;

/// Twice as many simulations against once as many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubling {
    /// Simulations of the weaker player.
    pub simulations: u32,
    /// What twice as many are worth.
    pub elo: Elo,
}

/// Everything about one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The rules.
    pub rules: Rules,
    /// Turns in each opening.
    pub opening_plies: usize,
    /// What the games of the agent against itself show.
    pub observations: Observations,
    /// Black's share of the points at each level of compensation.
    pub levels: Vec<(f64, Estimate)>,
    /// The compensation that makes the game even; `None` where more of it does Black good.
    pub fair: Option<FairPoint>,
    /// What simulations are worth.
    pub doublings: Vec<Doubling>,
    /// First moves up to symmetry.
    pub atlas: Atlas,
}

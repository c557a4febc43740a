//! What a rule set is like as a game: balance, length, breadth, how often its special rule matters, depth of skill.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with AlphaZero*, 2020) with 95
//! % intervals. Every game of a measurement has its own opening, drawn from the policy; openings are the unit of all
//! intervals, and comparisons share them.

mod agent;
mod atlas;
mod balance;
#[cfg(test)]
mod coverage;
mod lab;
mod observe;
mod puzzles;
mod skill;
mod summary;

pub use atlas::{Atlas, Opening};
pub use balance::{FairPoint, Tested};
pub use lab::{
    Batch, Bin, Budget, Calibration, ChosenGame, Column, Difference, Fair, LabError, LabPlan,
    Laboratory, Reliability, Results, Source,
};
pub use puzzles::{PuzzlePlan, Sieve, puzzles};
pub use skill::{Doubling, FEWEST_SIMULATIONS, doubling};
pub use summary::{Breadth, Observations, Statistic};

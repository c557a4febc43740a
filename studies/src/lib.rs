//! What a rule set is like as a game: balance, length, breadth, how often its special rule matters, depth of skill.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with AlphaZero*, 2020) with 95
//! % intervals. Every game of a measurement has its own opening, drawn from the policy; openings are the unit of all
//! intervals, and comparisons share them.

mod agent;
mod atlas;
mod balance;
mod corpus;
#[cfg(test)]
mod coverage;
mod findings;
mod html;
mod json;
mod observe;
mod puzzles;
mod study;
mod summary;

pub use atlas::{Atlas, Opening};
pub use balance::{FairPoint, Tested};
pub use corpus::{
    BanFigure, Corpus, Differing, Entry, Events, LeftOut, RuleFigures, RuleSets, Studied,
};
pub use findings::{Doubling, Findings};
pub use html::page;
pub use puzzles::{PuzzlePlan, Sieve, puzzles};
pub use study::{FEWEST_SIMULATIONS, StudyPlan, study};
pub use summary::{Breadth, Observations, Statistic};

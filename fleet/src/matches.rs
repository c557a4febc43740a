//! Matches that workers play. What is played is a plan that never changes, in units that each worker can play by itself;
//! what plans and results mean is up to others.
//!
//! Workers claim units ([`Claimant`]) and put results under names of their own. Of the results for a unit, one
//! [`Judge`] takes the first that is sound, and says so in the store, so that the next judge takes the same.

mod board;
mod claimant;
mod judge;
mod plan;

pub use claimant::{Assignment, Claimant};
pub use judge::{Check, Holder, Judge, Standing};
pub use plan::MatchPlan;

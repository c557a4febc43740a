//! Matches played by workers. A match is an immutable plan, divided into units that each worker can
//! play independently; what plans and results mean is up to the caller.
//!
//! Workers claim units ([`Claimant`]) and store results under names of their own. Of the results
//! for a unit, a [`Judge`] takes the first valid one, and records its choice in the store, so that
//! the next judge takes the same one.

mod claimant;
mod judge;
mod match_state;
mod plan;

pub use claimant::{Assignment, Claimant};
pub use judge::{Check, Holder, Judge, Standing};
pub use plan::MatchPlan;

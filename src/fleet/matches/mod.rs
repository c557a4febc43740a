//! Matches over an object store: what the plans and results of [`fleet`] mean.

mod judging;
mod place;
mod plan;
mod playing;

pub use judging::{Follower, judge, open};
pub use place::Place;
pub use plan::{Plan, PlannedPlayer, Terms};
pub use playing::{ANSWER, Matches};

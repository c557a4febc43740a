//! Matches over an object store: the meaning of the plans and results of [`fleet`].

mod judging;
mod place;
mod plan;
mod playing;

pub use judging::{Follower, judge, open};
pub use place::Place;
pub use plan::{Plan, PlannedPlayer, Terms};
pub use playing::{ANSWER, Matches};

//! Matches over an object store: the meaning of the plans and results of [`fleet`].

mod judging;
mod plan;
mod playing;
mod store_handle;
#[cfg(test)]
pub mod testing;

pub use judging::{Follower, judge, open};
pub use plan::{MatchTerms, Plan, PlannedPlayer};
pub use playing::{ANSWER, Matches};
pub use store_handle::StoreHandle;

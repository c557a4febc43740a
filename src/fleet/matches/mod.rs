//! Matches over an object store: the meaning of the plans and results of [`fleet`].

mod judging;
mod store_handle;
mod plan;
mod playing;

pub use judging::{Follower, judge, open};
pub use store_handle::StoreHandle;
pub use plan::{Plan, PlannedPlayer, MatchTerms};
pub use playing::{ANSWER, Matches};

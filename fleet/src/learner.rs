//! The learner's side: takes files of games from the inbox, keeps the commit log, and publishes
//! weights.
//!
//! Everything that counts changes in a single commit. Before the commit, a learner only writes
//! objects that no commit refers to yet; after it, it deletes what is no longer needed. So it may
//! be killed at any point.

mod gaps;
mod garbage;
mod opening;
mod past;
mod problem_log;
mod publishing;
mod state;
mod taking;

pub use garbage::{GarbageCounts, collect_garbage};
pub use past::{Archive, PastGames};
pub use publishing::{Publication, Saved};
pub use state::{Learner, LearnerError, LearnerSettings};
pub use taking::Taken;

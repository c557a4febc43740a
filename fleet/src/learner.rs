//! The learner's side: takes files of games from the inbox, keeps the books, and publishes weights.
//!
//! Everything that counts changes in a single commit. Before the commit, a learner only writes
//! objects that no commit refers to yet; after it, it deletes what is no longer needed. So it may
//! be killed at any point.

mod cleaning;
mod gaps;
mod opening;
mod past;
mod publishing;
mod state;
mod taking;
mod troubles;

pub use cleaning::{Tidied, tidy};
pub use past::{Archive, PastGames};
pub use publishing::{Publication, Saved};
pub use state::{Learner, LearnerError, LearnerSettings};
pub use taking::Taken;

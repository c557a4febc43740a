//! The learner's side: takes files of games out of the inbox, keeps the books, and publishes weights.
//!
//! Everything that counts changes in one commit. Before it, a learner only writes what no commit refers to yet; after
//! it, it deletes what nobody needs. So it may be killed anywhere.

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

//! Connects the crates [`fleet`] and [`train`] with each other and with this program: runs and
//! matches in an object store.

pub mod exit;
pub mod host;
pub mod matches;
pub mod player;
pub mod source;
pub mod store;

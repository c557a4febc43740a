//! Connects the crates [`fleet`](::fleet) and [`train`](::train) with each other and with this
//! program: runs and matches in an object store.

pub mod exit;
pub mod host;
pub mod matches;
pub mod player;
pub mod source;
pub mod store;

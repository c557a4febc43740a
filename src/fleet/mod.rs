//! What the crates [`fleet`](::fleet) and [`train`](::train) need of each other, and of this program: runs and matches in an object
//! store.

pub mod exit;
pub mod host;
pub mod matches;
pub mod player;
pub mod source;
pub mod store;

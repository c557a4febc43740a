//! Runs spread over many machines.
//!
//! Workers play and put files of games into an object store; one learner takes them out, keeps the books, and publishes
//! weights. Nothing listens anywhere: the store is all that they share. Its objects and their names are in [`names`].

mod frame;
pub mod game_file;
pub mod names;
pub mod segment;
mod store;

pub use names::{FileName, Slot, SlotError};
pub use store::{Created, Fetched, Listed, Store, StoreError};

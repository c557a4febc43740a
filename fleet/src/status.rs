//! The status of a run, as seen from its store.

mod observer;
mod report;
mod standing;

pub use self::observer::Observer;
pub use self::standing::{Liveness, SlotStatus, Status};

//! How a run is doing, as seen from the store.

mod observer;
mod report;
mod standing;

pub use self::observer::Observer;
pub use self::standing::{Liveness, SlotStatus, Status};

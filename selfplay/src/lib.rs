//! Workers that play many games against themselves, and the store for their records.
//!
//! A [`Worker`] owns many games and requests one evaluation for each at a time, so its batches are
//! as large as its number of games. It works with any [`search::Evaluator`]; the choice of network
//! and device is up to the caller.

mod ending;
mod game;
mod mixture;
mod opening;
mod parked;
mod phase;
mod record;
mod restarts;
mod settings;
mod store;
mod worker;

pub use mixture::{Component, Mixture, is_held_out, kind_of, variant_of};
pub use opening::random_turn;
pub use parked::{ParkedGame, UnparkError};
pub use phase::{PhaseReport, SelfPlay};
pub use record::{RecordError, TrainingRecord, TurnFault, TurnRecord};
pub use settings::{Phase, SelfPlaySettings};
pub use store::format;
pub use store::{GameKey, GameStore, StoreError, disk_advice};
pub use worker::Worker;

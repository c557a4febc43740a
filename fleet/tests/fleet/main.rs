//! The fleet's own code against stores that fail, with play and learning as numbers and a clock that only goes on when
//! everybody waits.

#![allow(clippy::unwrap_used)]

mod exactly_once;
mod fault_store;
mod fencing;
mod hostile;
mod matches;
mod orders;
mod parking;
mod restart;
mod scale;
mod simulation;
mod status;
mod threads;
mod troubles;

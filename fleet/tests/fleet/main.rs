//! The fleet's own code against stores that fail, with numbers in place of play and learning, and a
//! clock that advances only when everybody waits.

#![allow(clippy::unwrap_used)]

mod exactly_once;
mod fault_store;
mod fencing;
mod hostile;
mod matches;
mod orders;
mod parking;
mod problems;
mod restart;
mod scale;
mod simulation;
mod status;
mod threads;

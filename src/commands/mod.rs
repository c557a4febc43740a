//! One file for each command that is not a library's own.

pub mod bench;
pub mod doctor;
pub mod gtp;
pub mod matches;
pub mod perft;
pub mod play;
pub mod progress;
pub mod rules;

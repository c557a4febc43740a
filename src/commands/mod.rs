//! One file for each command that is not a library's own.

#[cfg(not(feature = "train"))]
pub mod absent;
pub mod analysis;
pub mod bench;
pub mod completions;
pub mod doctor;
pub mod gtp;
pub mod judge;
pub mod lab;
pub mod ladder;
#[cfg(feature = "train")]
pub mod learning;
pub mod man;
pub mod matches;
pub mod perft;
pub mod play;
pub mod puzzles;
pub mod replay;
pub mod review;
pub mod rules;
pub mod serve;
pub mod show;
pub mod solve;
pub mod sprt;

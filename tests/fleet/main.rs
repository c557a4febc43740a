//! Learner and workers as processes that share a store, are killed, and go on; then the commit log.

#![allow(clippy::unwrap_used)]

mod arrivals;
mod bucket;
mod commit_log;
mod crew;
mod folder;
mod matches;
mod moto;
#[cfg(unix)]
mod parked;
mod process;
mod proxy;
mod run;
#[cfg(target_os = "linux")]
mod slurm;
mod wait;

//! The server over real connections on the loopback: every URL, every error, restarts and abuse.

#![allow(clippy::unwrap_used)] // helpers of tests

mod abuse;
mod client;
mod games;
mod interface;
mod laboratory;
mod process;
mod storage;

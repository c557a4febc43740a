//! Whole sessions as text. A file begins with comments (`#`) and settings (`% rules tile`), and
//! then shows what is sent and the exact reply.
//!
//! `UPDATE_SESSIONS=1 cargo test -p bot` rewrites the answers; review the difference before committing it.

#![allow(clippy::unwrap_used)] // helpers of tests

mod editing;
mod gtp;
mod script;
mod terminal;

//! Whole sessions as text. A file begins with comments (`#`) and settings (`% rules tile`), and then shows what is
//! sent and the very bytes that are answered.
//!
//! `UPDATE=1 cargo test -p bot` writes the answers anew; read the difference before committing it.

#![allow(clippy::unwrap_used)] // helpers of tests

mod editing;
mod gtp;
mod script;
mod terminal;

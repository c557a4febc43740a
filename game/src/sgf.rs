//! Games as SGF.
//!
//! An [`SgfRecord`] is one game record: the main line of a file, with unknown properties preserved.
//! [`SgfRecord::read`] accepts files as real programs write them, the record's `Display` writes
//! FF\[4\] with one move per node, and [`SgfRecord::write`] adds what ordinary viewers cannot
//! infer.
//!
//! Files are read with `sgf-parse`. Writing is our own, because that crate writes unknown values
//! unescaped, and lists of points in an order that varies between runs.

mod collection;
mod encoding;
mod error;
mod file;
mod main_line;
mod moves;
mod ranges;
mod read;
mod record;
mod repair;
mod setup;
mod write;

pub use error::ReadError;
pub use file::{read_file, read_input};
pub use record::{RecordRulesError, SgfRecord, SgfTurn};
pub use write::{Extras, WriteError};

//! Games as SGF, and replays of them under any rule set.
//!
//! A [`Record`] is one game as it is written down: the main line of a file, with what this crate does not know kept
//! beside it. [`Record::read`] takes files as real programs write them, the record's `Display` writes FF\[4\] with one
//! move a node, and [`Record::write`] adds what ordinary viewers cannot work out for themselves. [`replay`] plays a
//! record under any rules and reports what those rules would have made of it.
//!
//! Files are read with `sgf-parse`. Writing is our own, because that crate puts values it does not know into the text
//! unescaped, and lists of points in an order that changes from run to run.

mod moves;
mod read;
mod record;
mod repair;
mod replay;
mod report;
mod write;

pub use read::ReadError;
pub use record::{NoRules, Record, Turn, result};
pub use replay::{Replay, replay};
pub use report::{Ban, Report, Stack, Stop, Tiles};
pub use write::{Extras, WriteError};

//! A game: its turns and how it ends, its record as SGF, and how it would have gone under other
//! rules.
//!
//! [`Game`] is a game being played, whose turns can be taken back. [`SgfRecord`] is a recorded one.
//! [`replay`] plays a record under any rules and reports what those rules would have made of it;
//! [`compare`] does so for several rule sets side by side.

mod comparison;
mod end;
mod game;
mod go_names;
mod puzzle;
mod replay;
mod report;
mod sgf;
pub mod state;

pub use comparison::{Comparison, Difference, ReplaySummary, compare};
pub use end::{EndReason, Fault, GameEnd};
pub use game::{Game, PlayError, ReplayError, Turn};
pub use go_names::{GO_NAMES, GoName};
pub use puzzle::{DecidedBy, Puzzle, PuzzleError, Verification, WrongMove};
pub use replay::{Replay, replay};
pub use report::{BanCount, Report, Stack, Stop, Tiles};
pub use sgf::{
    Extras, ReadError, RecordRulesError, SgfRecord, SgfTurn, WriteError, read_file, read_input,
};
#[cfg(feature = "openapi")]
pub use state::BoardSize;
pub use state::{State, state_json};

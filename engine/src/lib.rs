//! The rules of Go variants as pure values, and their encoding as tensors.
//!
//! A single type, [`Position`], plays every rule set. A rule set is a [`Rules`] value, and the
//! named variants are listed in [`Variant::ALL`]. The crate does no input or output, starts no
//! threads and draws no random numbers, so equal rules and equal moves always give equal positions.

mod alter_igo;
mod bitboard;
mod conquest;
mod encode;
mod error;
mod go;
pub mod hash;
mod history;
mod illegal_move;
mod moves;
mod outcome;
mod perft;
mod point;
mod position;
mod rules;
mod size;
mod strings;
mod symmetry;
mod variant;
mod words;
mod zobrist;

pub use bitboard::{Bitboard, WORDS};
pub use encode::{Encoding, GLOBAL_NAMES, GLOBALS, PLANE_NAMES, PLANES, plane};
pub use error::{ColorParseError, MoveParseError, RulesError, nearest_word};
pub use illegal_move::IllegalMove;
pub use moves::{Move, MoveList, actions, join_with_spaces};
pub use outcome::{GameResult, Outcome, Reason};
pub use perft::perft;
pub use point::{Color, Point};
pub use position::{PendingEffect, Position, PositionError, SetupError};
pub use rules::{
    Ban, Captures, Choice, Compensation, DistinctivePart, Ending, Family, HistoryDependence,
    KoRule, Komi, Part, PartChoices, Repetition, Rules, Scope, Scoring, TileRule,
};
pub use size::{MAX_SIZE, Size};
pub use symmetry::Symmetry;
pub use variant::{About, Example, Scene, Variant};
pub use words::counted;

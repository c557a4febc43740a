//! The rules of Go variants as pure values, and their encoding as tensors.
//!
//! One [`Position`] plays every rule set; a rule set is a [`Rules`] value, and the named variants are the ten values
//! of [`Variant::ALL`]. Nothing here does input or output, starts a thread, or draws a random number, so equal rules
//! and equal moves always give equal positions.

mod alter_igo;
mod bitboard;
mod conquest;
mod describe;
mod encode;
mod error;
mod go;
mod history;
mod hot_stone;
mod moves;
mod notation;
mod occupancy;
mod perft;
mod point;
mod position;
mod rules;
mod strings;
mod symmetry;
mod tiles;
mod variant;
mod zobrist;

pub use bitboard::{Bitboard, WORDS};
pub use describe::{Part, PartChoices};
pub use encode::{Encoding, GLOBAL_NAMES, GLOBALS, PLANE_NAMES, PLANES, VERSION, plane};
pub use error::{IllegalMove, MoveParseError, RulesError};
pub use moves::{Move, MoveList, actions};
pub use perft::perft;
pub use point::{Color, MAX_SIZE, Point};
pub use position::{Outcome, Position, Reason, SetupError};
pub use rules::{Ending, Family, Komi, Repetition, Rules, Scoring, TileRule};
pub use symmetry::Symmetry;
pub use variant::{About, Example, Scene, Variant};

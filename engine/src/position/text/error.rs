//! Errors in the text of a position.

use crate::{MoveParseError, Point, RulesError, SetupError};

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A line that every position has.
    #[error("missing line '{0}'")]
    Missing(&'static str),
    /// A line that begins with an unknown word.
    #[error(
        "line {line}: unknown word '{given}': expected rules, size, a row of the board, who is to move, or one of \
         {known}"
    )]
    Unknown {
        /// Its number, from 1.
        line: usize,
        /// The word.
        given: String,
        /// All words.
        known: String,
    },
    /// A line given twice.
    #[error("line {line}: '{word}' is given twice")]
    Twice {
        /// Its number, from 1.
        line: usize,
        /// Its first word.
        word: String,
    },
    /// A line with an unexpected value.
    #[error("line {line}: expected {expected}")]
    Expected {
        /// Its number, from 1.
        line: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A point that cannot be read.
    #[error("line {line}: {error}")]
    Point {
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        error: MoveParseError,
    },
    /// A rule set that is refused.
    #[error("line {line}: {error}")]
    Rules {
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        error: RulesError,
    },
    /// A board of another size than the rules are for.
    #[error("the board is {given:#}, but the rules are for {wanted:#}")]
    OtherSize {
        /// Of the text.
        given: crate::Size,
        /// Of the rules.
        wanted: crate::Size,
    },
    /// Stones that cannot stand.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A point that cannot hold what a line says.
    #[error("{point}: {problem}")]
    Impossible {
        /// The point.
        point: Point,
        /// What cannot be there.
        problem: &'static str,
    },
    /// A line that does not apply under the rules.
    #[error("'{0}' does not apply under these rules: leave it out")]
    Unused(&'static str),
    /// A value that contradicts the rules or the board.
    #[error("'{word}': {problem}")]
    Contradiction {
        /// The line's first word.
        word: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
    /// A turn of the history that cannot have led to the board.
    #[error("history, turn {turn}: {problem}")]
    History {
        /// Its number, from 1.
        turn: usize,
        /// What is wrong.
        problem: &'static str,
    },
}

//! Errors in the text of a position.

use crate::{MoveParseError, Point, RulesError, SetupError};

/// Why a text is not a valid position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A required line is missing.
    #[error("missing line '{0}'")]
    Missing(&'static str),
    /// A line that begins with an unknown word.
    #[error(
        "line {line}: unknown word '{given}': expected rules, size, a row of the board, who is to move, or one of \
         {known}"
    )]
    Unknown {
        /// The line number, from 1.
        line: usize,
        /// The unknown word.
        given: String,
        /// All known words.
        known: String,
    },
    /// A line appears twice.
    #[error("line {line}: '{word}' is given twice")]
    Twice {
        /// The line number, from 1.
        line: usize,
        /// The line's first word.
        word: String,
    },
    /// A line with an unexpected value.
    #[error("line {line}: expected {expected}")]
    Expected {
        /// The line number, from 1.
        line: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A point that cannot be read.
    #[error("line {line}: {error}")]
    Point {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the point.
        error: MoveParseError,
    },
    /// The rule set is invalid.
    #[error("line {line}: {error}")]
    Rules {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the rules.
        error: RulesError,
    },
    /// The board has another size than the rules require.
    #[error("the board is {given:#}, but the rules are for {wanted:#}")]
    OtherSize {
        /// The size in the text.
        given: crate::Size,
        /// The size in the rules.
        wanted: crate::Size,
    },
    /// The stones cannot stand like this.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A point cannot hold what a line puts there.
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
    /// A turn of the history cannot have led to the board.
    #[error("history, turn {turn}: {problem}")]
    History {
        /// The turn number, from 1.
        turn: usize,
        /// What is wrong.
        problem: &'static str,
    },
}

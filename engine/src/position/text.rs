//! Positions as text: the board as rows, and a line for everything else that the rules look at.
//!
//! ```text
//! rules tile,tile_limit=2
//! size 4
//! ....
//! .XO.
//! ....
//! ....
//! black to move
//! turns 2
//! recent B3 C3
//! tiles C3
//! ```
//!
//! `rules`, `size` with its rows from the top, and who is to move are always there; what has its value of a game that
//! begins with these stones is left out. Empty lines and lines that begin with `#` mean nothing.
//!
//! | line | meaning |
//! |---|---|
//! | `.` `X` `O` in a row | an empty point, a black stone, a white stone |
//! | `b` `w` in a row | an empty point that Black or White has conquered |
//! | `turns 12` | turns taken since the start |
//! | `passes 1` | passes in a row just made |
//! | `white-passes 2` | passes that White has made in an Alter Igo game |
//! | `recent C3 pass D4` | the last turns, at most five, the newest last |
//! | `last capture incursion minimal-incursion ko=C3` | what the last turn was; `ko` is the one stone that it took |
//! | `placement incursion` | the last stone placed, by whomever, was an incursion: tile rules ask |
//! | `prisoners 3 1`, `taken 3 1` | prisoners held, stones ever taken: Black's, White's |
//! | `tiles C3 D4=2` | points with a tile, or with so many |
//! | `hot C3` | hot stones |
//! | `fixed D1=C1` | Conquest: the stone on D1 counts on the side of C1; `none` |
//! | `left 1`, `left 1 more` | stones that the player to move may place; `more`: after one in this turn |
//! | `history B:C3 W:D3xC3 pass` | what every turn did, where the rules look back: `x` takes opposing stones, `-` own |
//! | `result B passes`, `result draw repetition` | how the game ended |
//!
//! A Conquest without conquered points and without `fixed` is given what its stones enclose, as stones set up by hand
//! are.

mod build;
mod read;
mod write;

use crate::{MoveParseError, Point, RulesError, SetupError};

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A line that every position has.
    #[error("a line '{0}' is missing")]
    Missing(&'static str),
    /// A line that begins with an unknown word.
    #[error(
        "line {line}: '{given}' is unknown: expected rules, size, a row of the board, who is to move, or one of {known}"
    )]
    Unknown {
        /// Its number, from 1.
        line: usize,
        /// The word.
        given: String,
        /// All words.
        known: String,
    },
    /// A line that is there already.
    #[error("line {line}: '{word}' is given twice")]
    Twice {
        /// Its number, from 1.
        line: usize,
        /// Its first word.
        word: String,
    },
    /// A line whose rest is not what it has to be.
    #[error("line {line}: expected {expected}")]
    Expected {
        /// Its number, from 1.
        line: usize,
        /// What would be right.
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
    #[error("the board is {given:#}, the rules are for {wanted:#}")]
    OtherSize {
        /// Of the text.
        given: crate::Size,
        /// Of the rules.
        wanted: crate::Size,
    },
    /// Stones that cannot stand.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A point where what a line says is there cannot be.
    #[error("{point}: {problem}")]
    Impossible {
        /// The point.
        point: Point,
        /// What cannot be there.
        problem: &'static str,
    },
    /// A line that the rules give no meaning.
    #[error("'{0}' has no meaning under these rules: leave it out")]
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

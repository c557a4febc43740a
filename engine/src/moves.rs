//! Moves, and their indices in a policy vector.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::{Bitboard, MAX_SIZE, MoveParseError, Point, Size};

/// What a player may do on a turn.
///
/// ```
/// use engine::{Move, Size};
///
/// let placement: Move = "d4".parse()?;
/// assert_eq!(placement.to_string(), "D4");
/// let size = Size::try_from(9)?;
/// assert_eq!(placement.action(size), 3 * 9 + 3);
/// assert_eq!(Move::from_action(81, size), Some(Move::Pass));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Move {
    /// Put a stone on a point.
    Place(Point),
    /// Put a stone on a point and settle equally large regions in the opposite order (Conquest's
    /// announced choice, written `E9*`).
    PlaceStarred(Point),
    /// Pass, or return a prisoner under that rule.
    Pass,
}

/// All legal moves of a position. Sized for Conquest, where a point may have two moves.
pub type MoveList = ArrayVec<Move, { 2 * MAX_SIZE * MAX_SIZE + 1 }>;

/// Lists legal moves in their standard order: placements in point order, each starred one right
/// after the plain one, then pass.
pub(crate) fn in_order(points: &Bitboard, starred: &Bitboard, pass: bool) -> MoveList {
    let mut moves = MoveList::new();
    if starred.is_empty() {
        moves.extend(points.iter().map(Move::Place));
    } else {
        for point in points.iter() {
            moves.push(Move::Place(point));
            if starred.contains(point) {
                moves.push(Move::PlaceStarred(point));
            }
        }
    }
    if pass {
        moves.push(Move::Pass);
    }
    moves
}

/// Length of a policy vector on a board of `size`: placements, then pass, then starred placements.
pub const fn actions(size: Size) -> usize {
    2 * size.area() + 1
}

impl Move {
    /// The move's index in a policy vector of [`actions`] entries.
    pub const fn action(self, size: Size) -> usize {
        match self {
            Move::Place(point) => point.index(size),
            Move::Pass => size.area(),
            Move::PlaceStarred(point) => size.area() + 1 + point.index(size),
        }
    }

    /// The inverse of [`Move::action`]; `None` past the end of the policy vector.
    pub fn from_action(action: usize, size: Size) -> Option<Move> {
        let area = size.area();
        if action < area {
            Some(Move::Place(Point::from_index(action, size)))
        } else if action == area {
            Some(Move::Pass)
        } else if action < actions(size) {
            Some(Move::PlaceStarred(Point::from_index(action - area - 1, size)))
        } else {
            None
        }
    }

    /// The point of a placement; `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Place(point) | Move::PlaceStarred(point) => Some(point),
            Move::Pass => None,
        }
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Move::Place(point) => write!(f, "{point}"),
            Move::PlaceStarred(point) => write!(f, "{point}*"),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl Move {
    /// Reads moves separated by spaces: `D4 pass E9*`.
    ///
    /// # Errors
    /// A word is not a valid move.
    pub fn parse_all(text: &str) -> Result<Vec<Move>, MoveParseError> {
        text.split_whitespace().map(str::parse).collect()
    }
}

/// Writes moves or points separated by spaces: the inverse of [`Move::parse_all`].
pub fn join_with_spaces<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    words.join(" ")
}

impl FromStr for Move {
    type Err = MoveParseError;

    /// Reads `D4`, `E9*` or `pass`, in upper or lower case.
    fn from_str(text: &str) -> Result<Move, MoveParseError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        match text.strip_suffix('*') {
            Some(point) => Ok(Move::PlaceStarred(point.parse()?)),
            None => Ok(Move::Place(text.parse()?)),
        }
    }
}

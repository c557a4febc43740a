//! Moves as written in Python: a text such as `E5`, or an index into a policy.

use engine::{Move, MoveParseError, Position, Size, actions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::MoveError;

/// The move given as text or as an action.
pub fn move_of(given: &Bound<'_, PyAny>, size: Size) -> PyResult<Move> {
    if let Ok(text) = given.cast::<PyString>() {
        let read = text.to_cow()?.parse();
        return read.map_err(|error: MoveParseError| MoveError::new_err(error.to_string()));
    }
    let Ok(action) = given.extract::<i64>() else {
        let given = given.repr()?;
        return Err(PyTypeError::new_err(format!(
            "{given} is no move: expected a text such as 'E5' or 'pass', or the index of an action"
        )));
    };
    move_of_action(action, size).map_err(MoveError::new_err)
}

/// The same, but fails if the move's point is not on the board.
pub fn move_on_board(given: &Bound<'_, PyAny>, size: Size) -> PyResult<Move> {
    let chosen = move_of(given, size)?;
    let is_off_board = chosen
        .point()
        .is_some_and(|point| point.row() >= size.height() || point.column() >= size.width());
    if is_off_board {
        return Err(MoveError::new_err(format!("{chosen} is not on a board of {size:#}")));
    }
    Ok(chosen)
}

/// The move of an action; the error says what is wrong with the action.
pub fn move_of_action(action: i64, size: Size) -> Result<Move, String> {
    let known = usize::try_from(action).ok().and_then(|action| Move::from_action(action, size));
    known.ok_or_else(|| {
        format!("no action {action} on {size:#}: expected 0 to {}", actions(size) - 1)
    })
}

/// Whether a move on the board is legal, from what the position has cached: cheaper than playing
/// it.
pub fn is_legal(position: &Position, chosen: Move) -> bool {
    match chosen {
        Move::Place(point) => position.legal_points().contains(point),
        Move::Pass => position.can_pass(),
        Move::PlaceStarred(point) => position.starred_points().contains(point),
    }
}

/// Marks the legal actions in a mask that is all `false`.
pub fn mark_legal(position: &Position, mask: &mut [bool]) {
    let (size, area) = (position.size(), position.size().area());
    position.legal_points().iter().for_each(|point| mask[point.index(size)] = true);
    mask[area] = position.can_pass();
    for point in position.starred_points().iter() {
        mask[area + 1 + point.index(size)] = true;
    }
}

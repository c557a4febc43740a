//! Positions set up by hand.

use super::state::{FamilyState, Position};
use crate::{Bitboard, Color, Point, Rules, strings};

impl Position {
    /// A position set up by hand as the start of a game, for problems and handicap.
    ///
    /// # Errors
    /// Points off the board or with two stones, or a string without a liberty where the rules would
    /// remove it.
    pub fn with_stones(
        rules: Rules,
        black: Bitboard,
        white: Bitboard,
        turn: Color,
    ) -> Result<Position, SetupError> {
        check_stones(&rules, &[black, white])?;
        let mut position = Position::with_board(rules, [black, white], turn);
        if let FamilyState::Conquest(state) = &mut position.family {
            state.set_up(&mut position.common);
        }
        position.end_if_no_legal_move();
        Ok(position)
    }
}

impl Position {
    /// The same position with Black and White holding these numbers of prisoners, under rules that
    /// return prisoners; under other rules it is unchanged.
    #[must_use]
    pub fn with_prisoners(mut self, held: [u16; 2]) -> Position {
        if let FamilyState::Go(state) = &mut self.family
            && self.common.rules.returns_prisoners()
        {
            state.prisoners = held;
        }
        self.end_if_no_legal_move();
        self
    }

    /// Whether this is the start of a game, fully described by its stones and the player to move.
    pub fn is_start(&self) -> bool {
        let [black, white] = Color::BOTH.map(|color| *self.stones(color));
        Position::with_stones(*self.rules(), black, white, self.turn())
            .is_ok_and(|start| start.hash() == self.hash())
    }
}

/// Checks that the stones can stand like this.
pub(super) fn check_stones(
    rules: &Rules,
    stones @ [black, white]: &[Bitboard; 2],
) -> Result<(), SetupError> {
    let board = rules.size.board();
    let all = *black | *white;
    if !all.without(&board).is_empty() {
        return Err(SetupError::OffBoard);
    }
    if let Some(point) = (*black & *white).first() {
        return Err(SetupError::TwoStones(point));
    }
    if rules.removes_strings() {
        let empty = board.without(&all);
        let [black, white] = stones.map(|stones| strings::without_liberty(&stones, &empty));
        if let Some(point) = (black | white).first() {
            return Err(SetupError::NoLiberty(point));
        }
    }
    Ok(())
}

/// Why stones cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A stone beyond the board's edge.
    #[error("a stone is off the board")]
    OffBoard,
    /// Two stones on one point.
    #[error("{0} has a black and a white stone")]
    TwoStones(Point),
    /// A string without liberties.
    #[error("the string at {0} has no liberty")]
    NoLiberty(Point),
}

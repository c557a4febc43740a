//! Positions set up by hand.

use crate::history::History;
use crate::position::Position;
use crate::{Bitboard, Color, Family, Point, Rules, strings, zobrist};

impl Position {
    /// A position set up by hand: the start of a game, for problems and handicap.
    ///
    /// # Errors
    /// Points off the board or with two stones, and strings without a liberty where the rules would remove them.
    pub fn with_stones(
        rules: Rules,
        black: Bitboard,
        white: Bitboard,
        turn: Color,
    ) -> Result<Position, SetupError> {
        let mut position = Position::new(rules);
        let board = position.board();
        if !(black | white).without(&board).is_empty() {
            return Err(SetupError::OffBoard);
        }
        if let Some(point) = (black & white).first() {
            return Err(SetupError::TwoStones(point));
        }
        let empty = board.without(&(black | white));
        let dead = match rules.family {
            Family::Go | Family::AlterIgo => {
                strings::without_liberty(&black, &empty) | strings::without_liberty(&white, &empty)
            }
            Family::Conquest => Bitboard::EMPTY,
        };
        if let Some(point) = dead.first() {
            return Err(SetupError::NoLiberty(point));
        }
        position.stones = [black, white];
        position.had = position.stones;
        position.stones_key = zobrist::key(&position.stones);
        position.turn = turn;
        position.history = History::default();
        position.history_sum = 0;
        position.remember(true);
        position.conquest_setup();
        position.judge_want_of_moves();
        Ok(position)
    }
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

//! What a player has found.

use engine::{Color, GameResult, Move};
use search::{MoveStats, SearchResult};

/// What a player would play, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// Expected result for Black, from −1 to 1; exact where it is proven.
    pub value: f32,
    /// The result, if proven.
    pub proven: Option<GameResult>,
    /// The search's statistics of each legal move, in order; of the move alone if no search was needed.
    pub moves: Vec<MoveStats>,
    /// The principal variation, beginning with the move.
    pub line: Vec<Move>,
    /// Whether the player resigns instead of playing the move.
    pub resigns: bool,
}

impl Choice {
    pub(crate) fn of(played: Move, result: SearchResult) -> Choice {
        Choice {
            played,
            value: result.root_value,
            proven: result.proven,
            moves: result.moves,
            line: vec![played],
            resigns: false,
        }
    }

    /// The statistics of the moves, most visited first.
    pub fn ranked_moves(&self) -> Vec<MoveStats> {
        let mut moves = self.moves.clone();
        moves.sort_by(MoveStats::by_visits);
        moves
    }

    /// The probability that `color` wins, a draw counted as half a win.
    pub fn winrate(&self, color: Color) -> f32 {
        (1.0 + color.sign() * self.value) / 2.0
    }
}

//! The value of a position with best play.

use std::fmt;

use engine::{Color, GameResult, Move, Rules};

/// The largest area that the solver accepts. In practice, time is the limit.
pub(crate) const MAX_AREA: usize = 25;

/// The maximum number of rows: longer boards can be turned sideways.
pub(crate) const MAX_ROWS: usize = 6;

/// The value of a position for Black with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    pub(crate) half_points: i32,
    pub(crate) scored: bool,
}

impl Value {
    /// A value found under these rules; `winners_only` if it does not tell wins apart.
    pub(crate) fn new(half_points: i32, rules: &Rules, winners_only: bool) -> Value {
        // A win by captures counts as half a point, but is none.
        let by_captures = rules.has_capture_goal() && half_points.abs() == 1;
        Value { half_points, scored: rules.has_score() && !winners_only && !by_captures }
    }

    /// Black − White − komi; a draw by repetition counts as 0. `None` where the rules have no score,
    /// where captures win (or may do so: with some komi, half a point does as well), or if the solver
    /// was asked for winners only.
    pub fn score(self) -> Option<f32> {
        self.scored.then_some(self.half_points as f32 / 2.0)
    }

    /// Who wins.
    pub fn result(self) -> GameResult {
        GameResult::of_score(self.half_points as f32)
    }

    /// The value for the given player: positive for White is good for White.
    pub(crate) fn half_points_of(self, color: Color) -> i32 {
        match color {
            Color::Black => self.half_points,
            Color::White => -self.half_points,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.score(), self.result()) {
            (Some(score), GameResult::Won(winner)) => write!(f, "{winner}+{}", score.abs()),
            (None, GameResult::Won(winner)) => write!(f, "{winner} wins"),
            (_, GameResult::Draw) => f.write_str("draw"),
        }
    }
}

/// A solved position.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Its value.
    pub value: Value,
    /// All moves that keep the value, in the order of the legal moves.
    pub best: Vec<Move>,
    /// Number of positions searched for this answer.
    pub nodes: u64,
}

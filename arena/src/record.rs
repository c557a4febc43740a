//! What is kept of a game.

use engine::{Color, Move, Outcome, Position, Rules};

/// A finished game of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    /// The rules it was played by.
    pub rules: Rules,
    /// Names of Black and White.
    pub players: [String; 2],
    /// All turns, the opening included.
    pub moves: Vec<Move>,
    /// How many of them were the opening, chosen by nobody.
    pub opening_plies: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Black − White − komi, where the rules have a score.
    pub score: Option<f32>,
}

impl GameRecord {
    /// The record of a game in this final position; `None` if it is not over.
    pub fn of(
        position: &Position,
        moves: Vec<Move>,
        opening_plies: usize,
        players: [String; 2],
    ) -> Option<GameRecord> {
        Some(GameRecord {
            rules: *position.rules(),
            players,
            moves,
            opening_plies,
            outcome: position.outcome()?,
            score: position.score(),
        })
    }

    /// Half points of `color`: 0, 1 or 2.
    pub fn half_points(&self, color: Color) -> usize {
        match self.outcome.winner {
            None => 1,
            Some(winner) if winner == color => 2,
            Some(_) => 0,
        }
    }
}

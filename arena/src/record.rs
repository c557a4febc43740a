//! What is kept of a game.

use std::fmt;

use engine::{Color, Move, Outcome, Position, Reason, Rules};

use crate::Fault;

/// What ended a game of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The rules.
    Rules(Reason),
    /// A player gave up.
    Resignation,
    /// What an external engine did.
    Fault(Fault),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Rules(reason) => reason.fmt(f),
            End::Resignation => f.write_str("resignation"),
            End::Fault(fault) => fault.fmt(f),
        }
    }
}

/// How a game of a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conclusion {
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// What ended it.
    pub reason: End,
}

impl From<Outcome> for Conclusion {
    fn from(outcome: Outcome) -> Conclusion {
        Conclusion { winner: outcome.winner, reason: End::Rules(outcome.reason) }
    }
}

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
    pub outcome: Conclusion,
    /// Black − White − komi, where the rules have a score and decided the game.
    pub score: Option<f32>,
    /// What was said to external engines and by them, if any took part.
    pub transcript: Option<String>,
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
            outcome: position.outcome()?.into(),
            score: position.score(),
            transcript: None,
        })
    }

    /// The record of a game that ended in this position for a reason that the rules do not know.
    pub fn decided(
        position: &Position,
        moves: Vec<Move>,
        opening_plies: usize,
        players: [String; 2],
        outcome: Conclusion,
    ) -> GameRecord {
        GameRecord {
            rules: *position.rules(),
            players,
            moves,
            opening_plies,
            outcome,
            score: None,
            transcript: None,
        }
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

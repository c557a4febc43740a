//! How games end.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Color;

/// Who wins a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// Neither player.
    Draw,
    /// A player.
    Won(Color),
}

impl GameResult {
    /// The result for Black: 1 for a win, −1 for a loss, 0 for a draw.
    pub fn black_value(self) -> f32 {
        self.winner().map_or(0.0, Color::sign)
    }

    /// The winner; `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::Won(winner) => Some(winner),
            GameResult::Draw => None,
        }
    }

    /// The half points that `color` gets: 0, 1 or 2.
    pub fn half_points(self, color: Color) -> usize {
        match self {
            GameResult::Draw => 1,
            GameResult::Won(winner) => 2 * usize::from(winner == color),
        }
    }

    /// The result of a game with this score from Black's perspective; a draw if it is 0.
    pub fn of_score(score: f32) -> GameResult {
        // −0.0 is a tie too, but orders below 0.0; comparing with zero handles both.
        if score > 0.0 {
            GameResult::Won(Color::Black)
        } else if score < 0.0 {
            GameResult::Won(Color::White)
        } else {
            GameResult::Draw
        }
    }
}

/// `B`, `W` or `draw`.
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameResult::Won(winner) => winner.fmt(f),
            GameResult::Draw => f.write_str("draw"),
        }
    }
}

/// How the rules ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// What ended the game.
    pub reason: Reason,
}

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Consecutive passes.
    Passes,
    /// The player to move had no legal move.
    NoMove,
    /// The stones repeated an earlier position.
    Repetition,
    /// Alter Igo: the placed stone was the only one removed.
    Suicide,
    /// Conquest: neither player can place a stone.
    NoFreePoint,
    /// A player reached the capture goal.
    CaptureGoal,
    /// The move limit was reached.
    MoveLimit,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 7] = [
        Reason::Passes,
        Reason::NoMove,
        Reason::Repetition,
        Reason::Suicide,
        Reason::NoFreePoint,
        Reason::CaptureGoal,
        Reason::MoveLimit,
    ];

    /// Whether a game that ends this way is decided by the score, where the rules have one.
    pub fn is_by_score(self) -> bool {
        match self {
            Reason::Passes | Reason::NoFreePoint | Reason::MoveLimit => true,
            Reason::NoMove | Reason::Repetition | Reason::Suicide | Reason::CaptureGoal => false,
        }
    }

    /// Whether the last position shows that the game is over, without the turns that led to it.
    pub(crate) fn shows_in_position(self) -> bool {
        match self {
            Reason::Passes
            | Reason::NoMove
            | Reason::NoFreePoint
            | Reason::CaptureGoal
            | Reason::MoveLimit => true,
            Reason::Repetition | Reason::Suicide => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Passes => "passes",
            Reason::NoMove => "no move",
            Reason::Repetition => "repetition",
            Reason::Suicide => "suicide",
            Reason::NoFreePoint => "no free point",
            Reason::CaptureGoal => "capture goal",
            Reason::MoveLimit => "move limit",
        })
    }
}

//! How games end.

use crate::Color;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// What ended the game.
    pub reason: Reason,
}

impl Outcome {
    /// +1 if Black won, −1 if White did, 0 for a draw.
    pub fn black_value(&self) -> f32 {
        self.winner.map_or(0.0, Color::sign)
    }
}

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Consecutive passes.
    Passes,
    /// The player to move had neither a legal placement nor another turn.
    NoMove,
    /// The stones stood as before.
    Repetition,
    /// Alter Igo: the placed stone was the only one removed.
    Suicide,
    /// Conquest: nobody can place a stone any more.
    NoFreePoint,
    /// A player has taken as many stones as win the game.
    CaptureGoal,
    /// The move limit.
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
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

//! Why a move is illegal, in words a player understands.

use thiserror::Error;

use crate::{Color, Move, Point};

/// Why a move is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// The point is beyond the board's edge.
    #[error("{0} is not on this board")]
    OffBoard(Point),
    /// A stone stands there.
    #[error("there is a stone on {0} already")]
    Occupied(Point),
    /// The stone's own string would have no liberty.
    #[error("your stone would have no liberty, and suicide is not allowed under these rules")]
    Suicide,
    /// Suicide of a single stone changes nothing.
    #[error("your stone would have no liberty: a single stone may never remove itself")]
    SingleSuicide,
    /// Simple ko.
    #[error("ko: the stones would stand as they did before your opponent's last turn")]
    Ko,
    /// Positional superko.
    #[error("superko: the stones have stood like this before in this game")]
    PositionalSuperko,
    /// Situational superko.
    #[error("superko: the stones have stood like this before with the same player to move")]
    SituationalSuperko,
    /// Incursion rule.
    #[error("your opponent's last move was an incursion, and so would this be")]
    Incursion,
    /// Minimal incursion rule.
    #[error(
        "your opponent's last move was a minimal incursion, and so would this be: capture two or more strings or \
         play elsewhere"
    )]
    MinimalIncursion,
    /// Stoical rule.
    #[error("your opponent's last move was a capture, so you may not capture now")]
    StoicalCapture,
    /// Hot-stone ko rule.
    #[error(
        "ko: this would capture a hot stone with a ko play; a pass, or any play that is not a ko play, cools every \
         stone"
    )]
    HotStone,
    /// Odd cycle rule.
    #[error("this odd cycle was already completed in this game; it may not be completed again")]
    OddCycle,
    /// Captures are forbidden.
    #[error("your stone would remove stones, and captures are forbidden under these rules")]
    CaptureForbidden,
    /// The point cannot take the tile that the placement needs.
    #[error("this move needs a tile under its stone, and {0} holds as many as it can")]
    TileLimit(Point),
    /// No passing in this rule set.
    #[error("there is no passing under these rules")]
    NoPass,
    /// Alter Igo: White's passes are used up, or Black, who never has any, passes where White may.
    #[error("{} has no pass left", .0.name())]
    NoPassLeft(Color),
    /// No prisoner to return.
    #[error("you hold no prisoner to return, and there is no other way to pass under these rules")]
    NoPrisoner,
    /// Conquest: the point has an owner.
    #[error("{0} is conquered: no stone may be placed there")]
    Owned(Point),
    /// Conquest: no second way to settle this placement.
    #[error("{0} offers no choice of the order of conquest: play it without the star")]
    NoChoice(Move),
}

impl IllegalMove {
    /// A short name of the rule set's own ban that forbids the move; `None` if the board, capture,
    /// or the end of the game forbids it.
    pub const fn ban(&self) -> Option<&'static str> {
        match self {
            IllegalMove::Ko
            | IllegalMove::PositionalSuperko
            | IllegalMove::SituationalSuperko
            | IllegalMove::Incursion
            | IllegalMove::MinimalIncursion
            | IllegalMove::StoicalCapture
            | IllegalMove::HotStone
            | IllegalMove::OddCycle
            | IllegalMove::TileLimit(_)
            | IllegalMove::CaptureForbidden => Some(self.short_reason()),
            IllegalMove::GameOver
            | IllegalMove::OffBoard(_)
            | IllegalMove::Occupied(_)
            | IllegalMove::Suicide
            | IllegalMove::SingleSuicide
            | IllegalMove::NoPass
            | IllegalMove::NoPassLeft(_)
            | IllegalMove::NoPrisoner
            | IllegalMove::Owned(_)
            | IllegalMove::NoChoice(_) => None,
        }
    }

    /// The rule that forbids the move, in a few words that do not depend on the point.
    pub const fn short_reason(&self) -> &'static str {
        match self {
            IllegalMove::GameOver => "game over",
            IllegalMove::OffBoard(_) => "off the board",
            IllegalMove::Occupied(_) => "occupied point",
            IllegalMove::Suicide | IllegalMove::SingleSuicide => "suicide",
            IllegalMove::NoPass => "no passing",
            IllegalMove::NoPassLeft(_) => "no pass left",
            IllegalMove::NoPrisoner => "no prisoner to return",
            IllegalMove::Owned(_) => "conquered point",
            IllegalMove::NoChoice(_) => "no choice of order",
            IllegalMove::Ko => "ko",
            IllegalMove::PositionalSuperko | IllegalMove::SituationalSuperko => "superko",
            IllegalMove::Incursion => "incursion",
            IllegalMove::MinimalIncursion => "minimal incursion",
            IllegalMove::StoicalCapture => "capture after capture",
            IllegalMove::HotStone => "hot stone",
            IllegalMove::OddCycle => "odd cycle",
            IllegalMove::TileLimit(_) => "tile limit",
            IllegalMove::CaptureForbidden => "capture",
        }
    }
}

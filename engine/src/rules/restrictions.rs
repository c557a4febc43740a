//! The bans of a `go` family rule set: rules that forbid placements which capture and suicide
//! allow.

use crate::rules::axes::{Ban, Captures, Repetition};
use crate::rules::ruleset::Rules;
use crate::{IllegalMove, Point};

/// One ban.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restriction {
    Captures,
    TileLimit,
    Incursion,
    MinimalIncursion,
    StoicalCapture,
    SimpleKo,
    PositionalSuperko,
    SituationalSuperko,
    HotStone,
    OddCycle,
}

impl Rules {
    /// The bans of these rules. If several forbid a placement, the first one is the reason given.
    pub(crate) fn restrictions(&self) -> impl Iterator<Item = Restriction> {
        let captures = match self.captures {
            Captures::Allowed => None,
            Captures::Forbidden => Some(Restriction::Captures),
        };
        let tiles = self.has_tiles().then_some(Restriction::TileLimit);
        let ban = match self.ban {
            Ban::None => None,
            Ban::Incursion => Some(Restriction::Incursion),
            Ban::MinimalIncursion => Some(Restriction::MinimalIncursion),
            Ban::Stoical => Some(Restriction::StoicalCapture),
        };
        let repetition = match self.repetition {
            Repetition::None | Repetition::Draw => [None, None],
            Repetition::Simple => [Some(Restriction::SimpleKo), None],
            Repetition::PositionalSuperko => [Some(Restriction::PositionalSuperko), None],
            Repetition::SituationalSuperko => [Some(Restriction::SituationalSuperko), None],
            Repetition::HotStone => [Some(Restriction::HotStone), Some(Restriction::OddCycle)],
        };
        [captures, tiles, ban, repetition[0], repetition[1]].into_iter().flatten()
    }
}

impl Restriction {
    /// The reason given to a player who tries to place a stone on `point`.
    pub(crate) const fn reason(self, point: Point) -> IllegalMove {
        match self {
            Restriction::Captures => IllegalMove::CaptureForbidden,
            Restriction::TileLimit => IllegalMove::TileLimit(point),
            Restriction::Incursion => IllegalMove::Incursion,
            Restriction::MinimalIncursion => IllegalMove::MinimalIncursion,
            Restriction::StoicalCapture => IllegalMove::StoicalCapture,
            Restriction::SimpleKo => IllegalMove::Ko,
            Restriction::PositionalSuperko => IllegalMove::PositionalSuperko,
            Restriction::SituationalSuperko => IllegalMove::SituationalSuperko,
            Restriction::HotStone => IllegalMove::HotStone,
            Restriction::OddCycle => IllegalMove::OddCycle,
        }
    }
}

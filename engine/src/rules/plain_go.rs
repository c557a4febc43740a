//! Plain Go, as other programs know it.

use crate::Size;
use crate::rules::axes::{Ban, Captures, Ending, Family, Repetition, TileRule};
use crate::rules::ruleset::Rules;

/// How plain Go forbids repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// A move may not restore the stones as they were before the opponent's last turn.
    Simple,
    /// No position may be recreated.
    Positional,
    /// No position may be recreated with the same player to move.
    Situational,
}

impl KoRule {
    const fn of(repetition: Repetition) -> Option<KoRule> {
        match repetition {
            Repetition::Simple => Some(KoRule::Simple),
            Repetition::PositionalSuperko => Some(KoRule::Positional),
            Repetition::SituationalSuperko => Some(KoRule::Situational),
            Repetition::None | Repetition::Draw | Repetition::HotStone => None,
        }
    }

    const fn repetition(self) -> Repetition {
        match self {
            KoRule::Simple => Repetition::Simple,
            KoRule::Positional => Repetition::PositionalSuperko,
            KoRule::Situational => Repetition::SituationalSuperko,
        }
    }
}

impl Rules {
    /// The ko rule, if everything else is Go with area scoring as other programs know it: no ban,
    /// no tiles, no goal but the score, one stone per turn, two passes to end. `None` otherwise.
    pub fn as_plain_go(&self) -> Option<KoRule> {
        let Rules {
            size: _,
            family: Family::Go,
            captures: Captures::Allowed,
            ban: Ban::None,
            repetition,
            suicide: _,
            capture_goal: 0,
            stones_per_turn: 1,
            tiles: TileRule::None,
            tile_limit: _,
            end: Ending::Area,
            passes_to_end: 2,
            komi: _,
            max_cycle: _,
            white_passes: _,
            scoring: _,
            max_moves: _,
        } = *self
        else {
            return None;
        };
        KoRule::of(repetition)
    }

    /// Plain Go with area scoring on a board of `size`, with this ko and suicide rule and no komi.
    pub const fn plain_go(size: Size, ko: KoRule, suicide: bool) -> Rules {
        Rules { repetition: ko.repetition(), suicide, ..Rules::plain_of(size) }
    }
}

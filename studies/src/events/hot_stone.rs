//! Hot stones and odd cycles.

use engine::{IllegalMove, Point, Position};

use super::ban::BannedPlacement;
use super::ko_fight::ko_shape;
use super::turn::Turn;

/// A ko play that made its stone hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HotStone {
    /// Turns before it.
    pub turn: usize,
    /// Where the stone stands.
    pub point: Point,
    /// Whether the play has the shape of a simple ko.
    pub is_simple: bool,
}

/// What happened with hot stones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HotStoneEvents {
    /// The ko plays in the order in which they were made.
    pub stones: Vec<HotStone>,
    /// Turns in which hot stones forbid a play that does not have the shape of a simple ko.
    pub unusual_bans: Vec<usize>,
    /// Odd cycles completed.
    pub odd_cycles: usize,
}

pub(super) fn hot_stones<'a>(
    turns: impl Iterator<Item = Turn<'a>>,
    positions: &[Position],
    bans: &[BannedPlacement],
) -> HotStoneEvents {
    let hot = |turn: Turn<'_>| {
        let point = turn.played.point().filter(|&point| turn.after.hot_stones().contains(point))?;
        let is_simple = ko_shape(turn.before, turn.before.turn(), point).is_some();
        Some(HotStone { turn: turn.number, point, is_simple })
    };
    let is_unusual = |ban: &&BannedPlacement| {
        let position = &positions[ban.turn];
        ban.reason == IllegalMove::HotStone
            && ko_shape(position, position.turn(), ban.point).is_none()
    };
    let mut unusual_bans: Vec<usize> = bans.iter().filter(is_unusual).map(|ban| ban.turn).collect();
    unusual_bans.dedup();
    HotStoneEvents {
        stones: turns.filter_map(hot).collect(),
        unusual_bans,
        odd_cycles: positions.last().map_or(0, Position::odd_cycles),
    }
}

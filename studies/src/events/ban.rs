//! Placements forbidden by bans.

use engine::{IllegalMove, Move, Point, Position};

/// A placement that capture and suicide allow but another rule forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BannedPlacement {
    /// Turns before the position in which it is forbidden.
    pub turn: usize,
    /// The point.
    pub point: Point,
    /// The rule that forbids it.
    pub reason: IllegalMove,
}

/// The bans in every position except finished ones.
pub(super) fn bans(positions: &[Position]) -> Vec<BannedPlacement> {
    let running = positions.iter().enumerate().filter(|(_, one)| one.outcome().is_none());
    let of = |(turn, position): (usize, &Position)| {
        let ban = |point| {
            let reason = position.check_move(Move::Place(point)).err()?;
            Some(BannedPlacement { turn, point, reason })
        };
        position.banned_points().iter().filter_map(ban).collect::<Vec<_>>()
    };
    running.flat_map(of).collect()
}

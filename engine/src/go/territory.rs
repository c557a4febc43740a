//! Territory: empty areas that touch stones of one colour only.

use crate::position::Common;
use crate::{Bitboard, Point, strings};

/// Each colour's empty points: those of areas that touch stones of that colour only.
pub(crate) fn territories(common: &Common) -> [Bitboard; 2] {
    strings::territories(&common.stones, &common.empty())
}

/// The empty points of areas that touch the opponent's stones only.
pub(crate) fn enemy_territory(common: &Common) -> Bitboard {
    territories(common)[common.turn.opponent().index()]
}

/// Whether a placement of the player to move on the empty `point` is an incursion:
/// `enemy_territory().contains(point)`, looking at one area only and no further than its first own stone.
pub(crate) fn is_incursion(common: &Common, point: Point) -> bool {
    let [own, opposing] = common.own_and_opposing();
    let own_around = own.neighbours();
    let area = Bitboard::of(point).flood_until(&common.empty(), &own_around);
    !area.meets(&own_around) && area.neighbours().meets(opposing)
}

/// Each colour's stones and surrounded points.
pub(crate) fn area(common: &Common) -> [Bitboard; 2] {
    let territories = territories(common);
    [0, 1].map(|color| common.stones[color] | territories[color])
}

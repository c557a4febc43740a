//! Territory: empty areas that touch stones of one colour only.

use crate::position::Common;
use crate::{Bitboard, Point, strings};

/// The territory of each colour: empty areas that touch stones of that colour only.
pub(crate) fn territories(common: &Common) -> [Bitboard; 2] {
    strings::territories(&common.stones, &common.empty())
}

/// The empty areas that touch only the opponent's stones.
pub(crate) fn enemy_territory(common: &Common) -> Bitboard {
    territories(common)[common.turn.opponent().index()]
}

/// Whether a placement of the player to move on the empty `point` is an incursion. Equivalent to
/// `enemy_territory().contains(point)`, but examines one area only, and stops at the first own
/// stone.
pub(crate) fn is_incursion(common: &Common, point: Point) -> bool {
    let [own, opposing] = common.own_and_opposing();
    let own_around = own.neighbours();
    let area = Bitboard::of(point).flood_until(&common.empty(), &own_around);
    !area.intersects(&own_around) && area.neighbours().intersects(opposing)
}

/// Each colour's stones and surrounded points.
pub(crate) fn area(common: &Common) -> [Bitboard; 2] {
    let territories = territories(common);
    [0, 1].map(|color| common.stones[color] | territories[color])
}

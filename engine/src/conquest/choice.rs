//! The announced choice: placements after which the order of equally large regions matters.

use super::quadrants::{Bone, Geometry};
use super::state::ConquestState;
use crate::point::STRIDE;
use crate::position::Common;
use crate::{Bitboard, Point};

/// A stone on an unfixed T-bone, with the regions on its two sides before a placement.
struct Watched<'a> {
    bone: &'a Bone,
    regions: [Bitboard; 2],
}

impl ConquestState {
    /// The free points where a starred placement is legal: where it leads to a different position
    /// (stones, owners or fixed T-bones) from the plain one.
    ///
    /// Regions affect each other only through a stone on an unfixed T-bone, which connects the
    /// regions on its two sides. So the order in which equally large regions are settled matters
    /// only when the tie is between two such regions; all other ties commute. Such points are rare,
    /// and for them both orders are played out.
    pub(crate) fn starred(&self, common: &Common) -> Bitboard {
        let geometry = Geometry::of(common.rules.size);
        if geometry.bone_points.is_empty() {
            return Bitboard::EMPTY;
        }
        let free = self.free(common);
        let side = self.side(common, common.turn);
        let other = geometry.board.without(&side.stones);
        let unfixed = side.unfixed_bones(geometry, &self.quadrants);
        let splitting = splitting_points(&other) & free;
        let mut suspects = Bitboard::EMPTY;
        for (_, bone) in geometry.bones() {
            if splitting.contains(bone.point) && tie_without(bone.point, bone, &other) {
                suspects.insert(bone.point);
            }
            if unfixed.contains(bone.point) && bone.sides.iter().all(|&side| other.contains(side)) {
                let regions = bone.sides.map(|side| Bitboard::of(side).flood(&other));
                suspects |= Watched { bone, regions }.ties(&free, &splitting, &other);
            }
        }
        suspects.iter().filter(|&point| self.order_matters(common, point)).collect()
    }

    fn order_matters(&self, common: &Common, point: Point) -> bool {
        let [plain, starred] = [false, true].map(|starred| {
            let (mut next, mut board) = (self.clone(), common.clone());
            next.place(&mut board, point, starred);
            (board.stones, next)
        });
        plain != starred
    }
}

impl Watched<'_> {
    /// The free points where a stone may leave a T-bone between two regions of equal size.
    fn ties(&self, free: &Bitboard, splitting: &Bitboard, other: &Bitboard) -> Bitboard {
        let [low, high] = &self.regions;
        let split = *splitting & (*low | *high);
        let mut ties: Bitboard =
            split.iter().filter(|&point| tie_without(point, self.bone, other)).collect();
        if low != high {
            // Everywhere else the regions change only by losing the point itself.
            let [points_low, points_high] = [low.count(), high.count()];
            let rest = free.without(&split);
            if points_low == points_high {
                ties |= rest.without(&(*low | *high));
            } else if points_low == points_high + 1 {
                ties |= rest & *low;
            } else if points_low + 1 == points_high {
                ties |= rest & *high;
            }
        }
        ties
    }
}

/// Whether a T-bone would lie between two regions of equal size if `point` were no longer one of
/// the `other` points.
fn tie_without(point: Point, bone: &Bone, other: &Bitboard) -> bool {
    let mut after = *other;
    after.remove(point);
    let [low, high] = bone.sides.map(|side| Bitboard::of(side).flood(&after));
    low != high && low.count() == high.count()
}

/// The places whose removal from `set` might disconnect their neighbours: all except those whose
/// neighbours stay joined through the eight surrounding places.
fn splitting_points(set: &Bitboard) -> Bitboard {
    let [west, east] = set.shifted(1);
    let [south, north] = set.shifted(STRIDE);
    let [southwest, southeast] = [west, east].map(|row| row.shifted(STRIDE)[0]);
    let [northwest, northeast] = [west, east].map(|row| row.shifted(STRIDE)[1]);
    // The paths around the place on its western, eastern, southern and northern side.
    let by_west = northwest & west & southwest;
    let by_east = northeast & east & southeast;
    let by_south = southwest & south & southeast;
    let by_north = northwest & north & northeast;
    let unjoined = |a: Bitboard, b: Bitboard, one_way: Bitboard, other_way: Bitboard| {
        (a & b).without(&(one_way | other_way))
    };
    unjoined(north, south, by_west, by_east)
        | unjoined(west, east, by_north, by_south)
        | unjoined(north, east, northeast, by_west & by_south)
        | unjoined(north, west, northwest, by_east & by_south)
        | unjoined(south, east, southeast, by_west & by_north)
        | unjoined(south, west, southwest, by_east & by_north)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::FamilyState;
    use crate::{Position, Size, Variant};

    /// Compares the quick filter with playing out both orders on every point.
    #[test]
    fn no_choice_is_overlooked() {
        let mut random = 1_u64;
        let mut choices = 0;
        for size in ["3", "5", "5", "7", "7", "9", "5x4", "3x6", "7x5"] {
            let size: Size = size.parse().expect("a size");
            for _ in 0..60 {
                let mut position = Position::new(Variant::Conquest.rules_of(size));
                while position.outcome().is_none() {
                    let FamilyState::Conquest(state) = &position.family else { unreachable!() };
                    let common = &position.common;
                    let free = state.free(common);
                    let starred: Bitboard =
                        free.iter().filter(|&point| state.order_matters(common, point)).collect();
                    assert_eq!(state.starred(common), starred);
                    choices += starred.count();
                    let moves = position.legal_moves();
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    position.play_unchecked(moves[(random >> 33) as usize % moves.len()]);
                }
            }
        }
        assert!(choices > 0);
        println!("{choices} choices");
    }
}

//! The announced choice: placements after which the order of equally large regions matters.

use super::quadrants::{Bone, Geometry};
use crate::position::Position;
use crate::{Bitboard, Move, Point};

/// An unfixed T-bone stone and the regions at its two sides, before a placement.
struct Watched<'a> {
    bone: &'a Bone,
    regions: [Bitboard; 2],
    sizes: [usize; 2],
}

impl Position {
    /// The free points on which a starred placement is legal: where it leads to another position (stones, owners or
    /// fixed T-bones) than the plain one.
    ///
    /// Regions act on each other only through an unfixed T-bone stone, which is a connection of the regions at its
    /// two sides. So the order of equal regions matters only if these are two, of equal size: everywhere else the
    /// regions of a tie commute. Such points are rare, and there both orders are played out.
    pub(crate) fn conquest_starred(&self) -> Bitboard {
        let geometry = Geometry::of(self.size());
        let free = self.conquest_free();
        let side = self.side(self.turn);
        let other = geometry.board.without(&side.stones);
        let unfixed = side.unfixed_bones(geometry, &self.quadrants);
        let bones = geometry.bones.iter().flatten();
        let mut suspects = Bitboard::EMPTY;
        for bone in bones {
            if free.contains(bone.point)
                && may_split(bone.point, &other)
                && tie_without(bone.point, bone, &other)
            {
                suspects.insert(bone.point);
            }
            if !unfixed.contains(bone.point) || bone.sides.iter().any(|&side| !other.contains(side))
            {
                continue;
            }
            let regions = bone.sides.map(|side| Bitboard::of(side).flood(&other));
            let watched = Watched { bone, sizes: regions.map(|region| region.count()), regions };
            suspects |= free.iter().filter(|&point| watched.may_tie(point, &other)).collect();
        }
        suspects.iter().filter(|&point| self.order_matters(point)).collect()
    }

    fn order_matters(&self, point: Point) -> bool {
        let [plain, starred] = [Move::Place(point), Move::PlaceStarred(point)].map(|chosen| {
            let mut next = self.clone();
            next.conquest_place(self.turn, point, chosen != Move::Place(point));
            (next.stones, next.owner, next.quadrants)
        });
        plain != starred
    }
}

impl Watched<'_> {
    /// Whether after a stone on `point` the T-bone may lie between two regions of equal size.
    fn may_tie(&self, point: Point, other: &Bitboard) -> bool {
        let [low, high] = &self.regions;
        if !low.contains(point) && !high.contains(point) {
            return low != high && self.sizes[0] == self.sizes[1];
        }
        if !may_split(point, other) {
            // The regions stay what they are, but for the point itself.
            let size = |i: usize| self.sizes[i] - usize::from(self.regions[i].contains(point));
            return low != high && size(0) == size(1);
        }
        tie_without(point, self.bone, other)
    }
}

/// Whether a T-bone lies between two regions of equal size once `point` is none of the `other` points.
fn tie_without(point: Point, bone: &Bone, other: &Bitboard) -> bool {
    let mut after = *other;
    after.remove(point);
    let [low, high] = bone.sides.map(|side| Bitboard::of(side).flood(&after));
    low != high && low.count() == high.count()
}

/// Whether taking `point` out of the set that it belongs to may leave neighbours of it unconnected: unless those are
/// joined through the eight points around it.
fn may_split(point: Point, set: &Bitboard) -> bool {
    let stone = Bitboard::of(point);
    let around = stone.surroundings().without(&stone) & *set;
    let beside = stone.neighbours() & around;
    let Some(first) = beside.first() else { return false };
    !beside.without(&Bitboard::of(first).flood(&around)).is_empty()
}

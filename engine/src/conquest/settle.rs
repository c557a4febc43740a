//! Settling: which of a player's regions are conquered.

use arrayvec::ArrayVec;

use super::quadrants::{EDGES, Geometry, Quadrants};
use crate::{Bitboard, Size};

/// Which of two equally large regions is settled first: the announced choice.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// The region with the lowest point index, as for a plain move.
    LowestFirst,
    /// The other region, as for a starred move.
    HighestFirst,
}

/// One player's stones and territory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub(super) size: Size,
    pub(super) stones: Bitboard,
    pub(super) owned: Bitboard,
}

/// The result of settling.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settlement {
    /// The points of all conquered regions.
    pub(super) conquered: Bitboard,
    /// The T-bones as fixed when settling ends.
    pub(super) quadrants: Quadrants,
}

/// A region with two walls and an unfixed T-bone: the only kind for which the order matters.
struct PendingRegion {
    region: Bitboard,
    connections: Bitboard,
    foreign: bool,
    points: usize,
}

/// At most two regions border each unfixed T-bone.
const MAX_PENDING: usize = 2 * EDGES;

impl Side {
    /// Goes through the player's regions in order and conquers those that the walls and connections
    /// allow.
    ///
    /// A region without a connection to an unfixed T-bone neither depends on the order nor affects
    /// other regions, so only the remaining ones, at most eight, are sorted.
    pub(super) fn settle(&self, order: Order, fixed: Quadrants) -> Settlement {
        let geometry = Geometry::of(self.size);
        let mut settlement = Settlement { conquered: Bitboard::EMPTY, quadrants: fixed };
        let mut pending: ArrayVec<PendingRegion, MAX_PENDING> = ArrayVec::new();
        let unfixed = self.unfixed_bones(geometry, &fixed);
        for region in geometry.board.without(&self.stones).strings() {
            match self.walls(geometry, &region) {
                0 | 1 => settlement.conquered |= region,
                2 => {
                    let connections = self.connections(geometry, &region);
                    if connections.intersects(&unfixed) {
                        let foreign = !region.without(&self.owned).is_empty();
                        let points = region.count();
                        pending.push(PendingRegion { region, connections, foreign, points });
                    } else if holds(geometry, &region, &connections, &fixed) {
                        settlement.conquered |= region;
                    }
                }
                _ => {}
            }
        }
        // Regions are found in order of their lowest points, and the stable sort keeps that order.
        match order {
            Order::LowestFirst => {}
            Order::HighestFirst => pending.reverse(),
        }
        pending.sort_by_key(|region| (region.foreign, region.points));
        pending.iter().for_each(|region| region.settle(geometry, &mut settlement));
        settlement
    }

    /// The player's T-bone stones that are not fixed.
    pub(super) fn unfixed_bones(&self, geometry: &Geometry, fixed: &Quadrants) -> Bitboard {
        let mut unfixed = self.stones & geometry.bone_points;
        if !unfixed.is_empty() {
            for (edge, bone) in geometry.bones() {
                if fixed.is_fixed(edge) {
                    unfixed.remove(bone.point);
                }
            }
        }
        unfixed
    }

    fn walls(&self, geometry: &Geometry, region: &Bitboard) -> usize {
        geometry.edges.iter().filter(|edge| edge.intersects(region)).count()
    }

    fn connections(&self, geometry: &Geometry, region: &Bitboard) -> Bitboard {
        geometry.edges.iter().fold(Bitboard::EMPTY, |all, edge| {
            all | ((*region & *edge).neighbours() & *edge & self.stones)
        })
    }

    /// Turns stones that are inside into territory, one at a time, by repeated sweeps in index
    /// order.
    pub(super) fn absorb_inside(&mut self, fixed: Quadrants) {
        loop {
            let before = self.stones;
            let mut ahead = self.stones;
            while let Some(point) = (self.enclosed() & ahead).first() {
                ahead = ahead.above(point);
                if !self.is_needed(&Bitboard::of(point), fixed) {
                    self.stones.remove(point);
                    self.owned.insert(point);
                }
            }
            if self.stones == before {
                return;
            }
        }
    }

    /// The stones that touch only own stones and territory, including some territory.
    pub(super) fn enclosed(&self) -> Bitboard {
        let board = self.size.board();
        let others = board.without(&(self.stones | self.owned));
        (self.stones & self.owned.neighbours()).without(&others.neighbours())
    }

    /// Whether turning a stone into territory would leave some owned point outside every conquered
    /// region.
    ///
    /// This settling is only a test: it takes equal regions lowest first, whatever was announced,
    /// and fixes no T-bones.
    pub(super) fn is_needed(&self, stone: &Bitboard, fixed: Quadrants) -> bool {
        let without = Side {
            size: self.size,
            stones: self.stones.without(stone),
            owned: self.owned | *stone,
        };
        let settled = without.settle(Order::LowestFirst, fixed);
        !without.owned.without(&settled.conquered).is_empty()
    }

    /// The Bridges: enclosed stones that some owned point needs.
    pub(super) fn bridges(&self, fixed: Quadrants) -> Bitboard {
        self.enclosed()
            .iter()
            .filter(|&point| self.is_needed(&Bitboard::of(point), fixed))
            .collect()
    }
}

impl PendingRegion {
    fn settle(&self, geometry: &Geometry, settlement: &mut Settlement) {
        if !holds(geometry, &self.region, &self.connections, &settlement.quadrants) {
            return;
        }
        settlement.conquered |= self.region;
        for (edge, bone) in geometry.bones() {
            if self.connections.contains(bone.point) {
                settlement.quadrants.fix(edge, bone, &self.region);
            }
        }
    }
}

/// Whether no two connections of a two-wall region lie in diagonally opposite quadrants.
fn holds(
    geometry: &Geometry,
    region: &Bitboard,
    connections: &Bitboard,
    fixed: &Quadrants,
) -> bool {
    let mut found = 0;
    for (quadrant, points) in geometry.quadrants.iter().enumerate() {
        found |= u8::from(points.intersects(connections)) << quadrant;
    }
    if connections.intersects(&geometry.bone_points) {
        for (edge, bone) in geometry.bones() {
            if connections.contains(bone.point) {
                found |= fixed.of_bone(edge, bone, region);
            }
        }
    }
    const DIAGONALS: [u8; 2] = [0b1001, 0b0110];
    DIAGONALS.into_iter().all(|diagonal| found & diagonal != diagonal)
}

//! The quadrants of the board, and the sides on which T-bone stones have been fixed.

use crate::point::MAX_SIZE;
use crate::zobrist::Mixer;
use crate::{Bitboard, Point};

/// The board's edges: bottom, top, left, right.
pub(super) const EDGES: usize = 4;

/// Left or bottom half: the lower point indices of an edge.
const LOW: usize = 0;
const HIGH: usize = 1;

/// What settling asks of a board of one size.
pub(super) struct Geometry {
    pub(super) board: Bitboard,
    pub(super) edges: [Bitboard; EDGES],
    /// The edge points of each quadrant, T-bones left out: bottom left, bottom right, top left, top right.
    pub(super) quadrants: [Bitboard; 4],
    /// The edges' middle points on a board of odd size.
    pub(super) bones: Option<[Bone; EDGES]>,
    /// All of these points.
    pub(super) bone_points: Bitboard,
}

/// The middle point of an edge.
pub(super) struct Bone {
    pub(super) point: Point,
    /// Its neighbours along the edge, the one with the lower index first.
    pub(super) sides: [Point; 2],
    /// The quadrants of these sides, as bits.
    quadrants: [u8; 2],
}

static GEOMETRIES: [Geometry; MAX_SIZE + 1] = {
    const NOWHERE: Geometry = Geometry::new(0);
    let mut all = [NOWHERE; MAX_SIZE + 1];
    let mut size = 2;
    while size <= MAX_SIZE {
        all[size] = Geometry::new(size);
        size += 1;
    }
    all
};

impl Geometry {
    /// The geometry of a board of `size`.
    pub(super) fn of(size: usize) -> &'static Geometry {
        &GEOMETRIES[size]
    }

    const fn new(size: usize) -> Geometry {
        let board = Bitboard::board(size);
        let mut geometry = Geometry {
            board,
            edges: [Bitboard::EMPTY; EDGES],
            quadrants: [Bitboard::EMPTY; 4],
            bones: None,
            bone_points: Bitboard::EMPTY,
        };
        let mut step = 0;
        while step < size {
            let points = edge_points(step, size);
            let mut edge = 0;
            while edge < EDGES {
                let point = points[edge];
                geometry.edges[edge] = geometry.edges[edge].with(point);
                if 2 * step + 1 == size {
                    geometry.bone_points = geometry.bone_points.with(point);
                } else {
                    let quadrant = quadrant(point.row(), point.column(), size);
                    geometry.quadrants[quadrant] = geometry.quadrants[quadrant].with(point);
                }
                edge += 1;
            }
            step += 1;
        }
        if size % 2 == 1 && size > 1 {
            geometry.bones = Some([bone(0, size), bone(1, size), bone(2, size), bone(3, size)]);
        }
        geometry
    }
}

/// The points of the four edges at a distance from their lower ends.
const fn edge_points(step: usize, size: usize) -> [Point; EDGES] {
    [
        Point::new(0, step),
        Point::new(size - 1, step),
        Point::new(step, 0),
        Point::new(step, size - 1),
    ]
}

const fn bone(edge: usize, size: usize) -> Bone {
    let middle = size / 2;
    let sides = [edge_points(middle - 1, size)[edge], edge_points(middle + 1, size)[edge]];
    let [low, high] = sides;
    Bone {
        point: edge_points(middle, size)[edge],
        sides,
        quadrants: [
            1 << quadrant(low.row(), low.column(), size),
            1 << quadrant(high.row(), high.column(), size),
        ],
    }
}

const fn quadrant(row: usize, column: usize, size: usize) -> usize {
    (if 2 * row + 1 > size { 2 } else { 0 }) + (if 2 * column + 1 > size { 1 } else { 0 })
}

/// The sides on which T-bone stones have been fixed: by edge, `None` where no stone stands or none is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quadrants([Option<Fixed>; EDGES]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fixed {
    Low,
    High,
}

impl Quadrants {
    pub(crate) fn mix_into(&self, key: &mut Mixer) {
        key.add(self.0.iter().fold(0, |all, fixed| {
            all * 3
                + match fixed {
                    None => 0,
                    Some(Fixed::Low) => 1,
                    Some(Fixed::High) => 2,
                }
        }));
    }

    pub(super) fn is_fixed(&self, edge: usize) -> bool {
        self.0[edge].is_some()
    }

    /// The side on which the T-bone of an edge counts for a region, as a bit of a quadrant: where it is fixed, or else
    /// where the region is, the lower side if it is on both.
    pub(super) fn of_bone(&self, edge: usize, bone: &Bone, region: &Bitboard) -> u8 {
        bone.quadrants[match self.0[edge].unwrap_or_else(|| Fixed::beside(bone, region)) {
            Fixed::Low => LOW,
            Fixed::High => HIGH,
        }]
    }

    /// Fixes the T-bone of an edge on the side of a region, if it is not fixed.
    pub(super) fn fix(&mut self, edge: usize, bone: &Bone, region: &Bitboard) {
        self.0[edge].get_or_insert_with(|| Fixed::beside(bone, region));
    }

    /// A fixing lasts as long as its stone.
    pub(super) fn forget_removed(&mut self, size: usize, stones: &Bitboard) {
        for (fixed, bone) in self.0.iter_mut().zip(Geometry::of(size).bones.iter().flatten()) {
            if !stones.contains(bone.point) {
                *fixed = None;
            }
        }
    }
}

impl Fixed {
    fn beside(bone: &Bone, region: &Bitboard) -> Fixed {
        if region.contains(bone.sides[LOW]) { Fixed::Low } else { Fixed::High }
    }
}

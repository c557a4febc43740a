//! The quadrants of the board, and the sides on which T-bone stones have been fixed.

use std::sync::LazyLock;

use crate::zobrist::Mixer;
use crate::{Bitboard, MAX_SIZE, Point, Size};

/// The board's edges: bottom, top, left, right.
pub(super) const EDGES: usize = 4;

/// The left or bottom half of an edge: its lower point indices.
const LOW: usize = 0;
const HIGH: usize = 1;

/// Precomputed geometry that settling needs for one board size.
pub(super) struct Geometry {
    pub(super) board: Bitboard,
    pub(super) edges: [Bitboard; EDGES],
    /// The edge points of each quadrant without the T-bones: bottom left, bottom right, top left,
    /// top right.
    pub(super) quadrants: [Bitboard; 4],
    /// The middle points of edges of odd length.
    bones: [Option<Bone>; EDGES],
    /// All T-bone points.
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

/// By height and width.
static GEOMETRIES: LazyLock<Vec<Vec<Geometry>>> = LazyLock::new(|| {
    let geometry = |width, height| Size::new(width, height).ok().map(Geometry::new);
    (2..=MAX_SIZE)
        .map(|height| (2..=MAX_SIZE).filter_map(|width| geometry(width, height)).collect())
        .collect()
});

impl Geometry {
    /// The geometry of a board of `size`.
    pub(super) fn of(size: Size) -> &'static Geometry {
        &GEOMETRIES[size.height() - 2][size.width() - 2]
    }

    /// The T-bones, with their edges.
    pub(super) fn bones(&self) -> impl Iterator<Item = (usize, &Bone)> {
        self.bones.iter().enumerate().filter_map(|(edge, bone)| Some((edge, bone.as_ref()?)))
    }

    fn new(size: Size) -> Geometry {
        let mut geometry = Geometry {
            board: size.board(),
            edges: [Bitboard::EMPTY; EDGES],
            quadrants: [Bitboard::EMPTY; 4],
            bones: [None, None, None, None],
            bone_points: Bitboard::EMPTY,
        };
        for edge in 0..EDGES {
            let points = edge_points(edge, size);
            geometry.edges[edge] = points.iter().copied().collect();
            let middle = points.len() / 2;
            for (step, &point) in points.iter().enumerate() {
                if points.len() % 2 == 1 && step == middle {
                    geometry.bones[edge] = Some(bone(&points, size));
                    geometry.bone_points.insert(point);
                } else {
                    geometry.quadrants[quadrant(point, size)].insert(point);
                }
            }
        }
        geometry
    }
}

/// The points of an edge, from its lower end.
fn edge_points(edge: usize, size: Size) -> Vec<Point> {
    let (width, height) = (size.width(), size.height());
    match edge {
        0 => (0..width).map(|step| Point::new(0, step)).collect(),
        1 => (0..width).map(|step| Point::new(height - 1, step)).collect(),
        2 => (0..height).map(|step| Point::new(step, 0)).collect(),
        _ => (0..height).map(|step| Point::new(step, width - 1)).collect(),
    }
}

fn bone(points: &[Point], size: Size) -> Bone {
    let middle = points.len() / 2;
    let sides = [points[middle - 1], points[middle + 1]];
    Bone { point: points[middle], sides, quadrants: sides.map(|side| 1 << quadrant(side, size)) }
}

fn quadrant(point: Point, size: Size) -> usize {
    usize::from(2 * point.row() + 1 > size.height()) * 2
        + usize::from(2 * point.column() + 1 > size.width())
}

/// The side on which each T-bone stone has been fixed, by edge; `None` where there is no stone or
/// it is not fixed.
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

    /// The fixed T-bones, each with its neighbour on that side.
    pub(super) fn fixed(self, size: Size) -> impl Iterator<Item = (Point, Point)> {
        Geometry::of(size).bones().filter_map(move |(edge, bone)| {
            let side = match self.0[edge]? {
                Fixed::Low => bone.sides[LOW],
                Fixed::High => bone.sides[HIGH],
            };
            Some((bone.point, side))
        })
    }

    /// Fixes the T-bone stone on `point` to the side of its neighbour `side`; `false` if `point` is
    /// not a T-bone or `side` not a neighbour of it along the edge.
    pub(super) fn fix_beside(&mut self, size: Size, point: Point, side: Point) -> bool {
        let bone = Geometry::of(size).bones().find(|(_, bone)| bone.point == point);
        let fixed = bone.and_then(|(edge, bone)| {
            let place = bone.sides.iter().position(|&neighbour| neighbour == side)?;
            Some((edge, [Fixed::Low, Fixed::High][place]))
        });
        if let Some((edge, fixed)) = fixed {
            self.0[edge] = Some(fixed);
        }
        fixed.is_some()
    }

    pub(super) fn is_fixed(&self, edge: usize) -> bool {
        self.0[edge].is_some()
    }

    /// The side on which an edge's T-bone counts for a region, as a quadrant bit: where it is
    /// fixed, otherwise where the region is, or the lower side if the region is on both.
    pub(super) fn of_bone(&self, edge: usize, bone: &Bone, region: &Bitboard) -> u8 {
        bone.quadrants[match self.0[edge].unwrap_or_else(|| Fixed::beside(bone, region)) {
            Fixed::Low => LOW,
            Fixed::High => HIGH,
        }]
    }

    /// Fixes an edge's T-bone to the side of a region, unless it is fixed already.
    pub(super) fn fix(&mut self, edge: usize, bone: &Bone, region: &Bitboard) {
        self.0[edge].get_or_insert_with(|| Fixed::beside(bone, region));
    }

    /// A T-bone stays fixed only as long as its stone stands.
    pub(super) fn forget_removed(&mut self, size: Size, stones: &Bitboard) {
        for (edge, bone) in Geometry::of(size).bones() {
            if !stones.contains(bone.point) {
                self.0[edge] = None;
            }
        }
    }
}

impl Fixed {
    fn beside(bone: &Bone, region: &Bitboard) -> Fixed {
        if region.contains(bone.sides[LOW]) { Fixed::Low } else { Fixed::High }
    }
}

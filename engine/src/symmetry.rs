//! The symmetries of the board: eight for a square, four for a rectangle.

use crate::{Bitboard, Move, Point, Size};

/// A rotation or reflection of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// The symmetries of a board of `size`, the identity first.
    pub fn of(size: Size) -> &'static [Symmetry] {
        match size.side() {
            Some(_) => &Symmetry::ALL,
            // Transposing changes the board's shape.
            None => &Symmetry::ALL[..4],
        }
    }

    /// All eight of a square, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Symmetry {
        // Transposing comes first, then the two mirrors: undoing a transposed symmetry swaps the
        // mirrors.
        match self.0 & 4 {
            0 => self,
            _ => Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1),
        }
    }

    /// The image of `point` on a board of `size`. Only the symmetries of that size keep it on the
    /// board.
    pub fn map_point(self, point: Point, size: Size) -> Point {
        let (mut row, mut column) = (point.row(), point.column());
        if self.0 & 4 != 0 {
            (row, column) = (column, row);
        }
        if self.0 & 1 != 0 {
            column = size.width() - 1 - column;
        }
        if self.0 & 2 != 0 {
            row = size.height() - 1 - row;
        }
        Point::new(row, column)
    }

    /// The image of a move.
    pub fn map_move(self, chosen: Move, size: Size) -> Move {
        match chosen {
            Move::Place(point) => Move::Place(self.map_point(point, size)),
            Move::PlaceStarred(point) => Move::PlaceStarred(self.map_point(point, size)),
            Move::Pass => Move::Pass,
        }
    }

    /// The image of a set of points.
    pub fn map_board(self, set: &Bitboard, size: Size) -> Bitboard {
        if self == Symmetry::IDENTITY {
            return *set;
        }
        set.iter().map(|point| self.map_point(point, size)).collect()
    }
}

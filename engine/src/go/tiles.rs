//! Tiles: a small count on every point, kept as bit planes.

use crate::zobrist::Mixer;
use crate::{Bitboard, Point};

/// Bits of a count: a point holds up to 9 tiles.
const BITS: usize = 4;

/// How many tiles lie on each point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tiles([Bitboard; BITS]);

impl Tiles {
    /// Tiles on `point`.
    pub(crate) fn on(&self, point: Point) -> u8 {
        (0..BITS).map(|bit| u8::from(self.0[bit].contains(point)) << bit).sum()
    }

    /// Puts one more tile on `point`.
    pub(crate) fn add(&mut self, point: Point) {
        let count = self.on(point) + 1;
        for bit in 0..BITS {
            if count >> bit & 1 == 1 {
                self.0[bit].insert(point);
            } else {
                self.0[bit].remove(point);
            }
        }
    }

    /// The points of `board` that hold exactly `count` tiles.
    pub(crate) fn exactly(&self, count: u8, board: &Bitboard) -> Bitboard {
        (0..BITS).fold(*board, |set, bit| {
            if count >> bit & 1 == 1 { set & self.0[bit] } else { set.without(&self.0[bit]) }
        })
    }

    pub(crate) fn mix_into(&self, key: &mut Mixer) {
        self.0.iter().for_each(|plane| key.add_board(plane));
    }
}

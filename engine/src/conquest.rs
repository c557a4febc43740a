//! Conquest: regions walled off by stones.

use crate::position::Position;
use crate::zobrist::Mixer;
use crate::{Bitboard, Color, IllegalMove, Point, zobrist};

/// The quadrants that T-bone stones have been counted in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quadrants {}

impl Quadrants {
    pub(crate) fn mix_into(&self, _key: &mut Mixer) {}
}

impl Position {
    pub(crate) fn conquest_setup(&mut self) {}

    /// The points that nobody owns or stands on.
    pub(crate) fn conquest_free(&self) -> Bitboard {
        self.empty().without(&(self.owner[0] | self.owner[1]))
    }

    pub(crate) fn conquest_starred(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    pub(crate) fn conquest_forbids(&self, point: Point) -> Option<IllegalMove> {
        (self.owner[0] | self.owner[1]).contains(point).then_some(IllegalMove::Owned(point))
    }

    pub(crate) fn conquest_place(&mut self, mover: Color, point: Point, _starred: bool) {
        self.stones[mover.index()].insert(point);
        self.stones_key ^= zobrist::stone(mover, point);
    }

    pub(crate) fn conquest_score(&self) -> i32 {
        self.owner[0].count() as i32 - self.owner[1].count() as i32
    }
}

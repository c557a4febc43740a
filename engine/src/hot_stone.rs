//! The Ing–Spight ko rule: ko plays, hot stones and odd cycles.

use crate::position::Position;
use crate::zobrist::Mixer;
use crate::{Bitboard, IllegalMove, Point};

/// The hot stones, and the plays that the odd cycle rule looks back on.
#[derive(Debug, Clone, Default)]
pub(crate) struct HotStones {
    stones: Bitboard,
}

impl HotStones {
    pub(crate) fn stones(&self) -> Bitboard {
        self.stones
    }

    /// After a turn that is no play nothing is hot.
    pub(crate) fn cool(&mut self) {
        self.stones = Bitboard::EMPTY;
    }

    pub(crate) fn update(&mut self, stones: Bitboard) {
        self.stones = stones;
    }

    pub(crate) fn mix_into(&self, key: &mut Mixer) {
        key.add_board(&self.stones);
    }
}

impl Position {
    pub(crate) fn hot_stone_bans(&self, _candidates: Bitboard) -> Bitboard {
        Bitboard::EMPTY
    }

    pub(crate) fn hot_stone_forbids(&self, _point: Point) -> Option<IllegalMove> {
        None
    }

    pub(crate) fn hot_after(
        &self,
        _point: Point,
        _captured: &Bitboard,
        _suicide: &Bitboard,
    ) -> Bitboard {
        Bitboard::EMPTY
    }
}

//! Keys of positions. Stones have 128-bit keys: the chance that in any game ever played here two
//! different positions of that game share a key is below 10⁻²⁵, so rules that compare positions by
//! key are exact in practice.

use crate::bitboard::{Bitboard, WORDS};
pub(crate) use crate::hash::mix;
use crate::{Color, Point};

/// Marks a turn in the history whose position does not count. No reachable position has this key.
pub(crate) const NO_POSITION: u128 = u128::MAX;

static KEYS: [[u128; WORDS * 64]; 2] = {
    let mut keys = [[0; WORDS * 64]; 2];
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut color = 0;
    while color < 2 {
        let mut bit = 0;
        while bit < WORDS * 64 {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let high = mix(seed);
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            keys[color][bit] = (high as u128) << 64 | mix(seed) as u128;
            bit += 1;
        }
        color += 1;
    }
    keys
};

#[inline]
pub(crate) fn stone(color: Color, point: Point) -> u128 {
    KEYS[color.index()][point.bit()]
}

/// The key of a set of stones of one colour.
#[inline]
pub(crate) fn stones(color: Color, set: &Bitboard) -> u128 {
    set.iter().fold(0, |key, point| key ^ stone(color, point))
}

/// The key of a whole board.
pub(crate) fn key(both: &[Bitboard; 2]) -> u128 {
    stones(Color::Black, &both[0]) ^ stones(Color::White, &both[1])
}

/// Folds words into one key, in order.
pub(crate) struct Mixer(u64);

impl Mixer {
    pub(crate) fn new(seed: u128) -> Mixer {
        Mixer(mix(seed as u64) ^ (seed >> 64) as u64)
    }

    pub(crate) fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    pub(crate) fn add_board(&mut self, board: &Bitboard) {
        board.words().iter().for_each(|&word| self.add(word));
    }

    pub(crate) fn finish(self) -> u64 {
        mix(self.0)
    }
}

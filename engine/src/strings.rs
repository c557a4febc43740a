//! Strings of stones: liberties, captures, and the areas between strings.

use crate::Bitboard;

/// The liberties of a set of stones.
#[inline]
pub(crate) fn liberties(stones: &Bitboard, empty: &Bitboard) -> Bitboard {
    stones.neighbours() & *empty
}

/// All stones of those strings of `stones` that have no neighbour in `empty`.
pub(crate) fn without_liberty(stones: &Bitboard, empty: &Bitboard) -> Bitboard {
    let alive = liberties(empty, stones).flood(stones);
    stones.without(&alive)
}

/// The empty points that can reach a stone of `stones` through empty points.
#[inline]
pub(crate) fn reach(stones: &Bitboard, empty: &Bitboard) -> Bitboard {
    stones.neighbours().flood(empty)
}

/// For each of two colours' stones, the empty points whose area touches that colour only.
pub(crate) fn territories(stones: &[Bitboard; 2], empty: &Bitboard) -> [Bitboard; 2] {
    let [black, white] = [0, 1].map(|color| reach(&stones[color], empty));
    [black.without(&white), white.without(&black)]
}

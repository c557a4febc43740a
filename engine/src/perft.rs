//! Counts move sequences: the quickest way to find a wrong rule.

use crate::{Move, Position};

/// Number of sequences of exactly `depth` turns from `position`. A finished game has no
/// continuation.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |&chosen: &Move| {
        let mut next = position.clone();
        next.play_unchecked(chosen);
        perft(&next, depth - 1)
    };
    moves.iter().map(after).sum()
}

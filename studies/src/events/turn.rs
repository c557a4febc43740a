//! The turns of a game with the positions before and after them.

use engine::{Move, Position};

/// One turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    /// Turns before it.
    pub(super) number: usize,
    pub(super) before: &'a Position,
    pub(super) played: Move,
    pub(super) after: &'a Position,
}

/// All turns of a game; `positions` are those before the first move and after each.
pub(super) fn turns<'a>(
    positions: &'a [Position],
    moves: &'a [Move],
) -> impl Iterator<Item = Turn<'a>> + Clone {
    let around = positions.windows(2).zip(moves).enumerate();
    around.filter_map(|(number, (around, &played))| {
        let [before, after] = around else { return None };
        Some(Turn { number, before, played, after })
    })
}

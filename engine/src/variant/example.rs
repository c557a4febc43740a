//! Examples that the engine plays itself, so that they cannot go out of date.

use super::named::Variant;
use crate::{Bitboard, Color, IllegalMove, Move, Point, Position};

/// A few moves that show what is special about a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    pub(super) size: u8,
    /// Rows of `X`, `O` and `.` from the top; empty for the empty board.
    pub(super) stones: &'static [&'static str],
    pub(super) lead: &'static str,
    pub(super) shown: &'static str,
    pub(super) refused: Option<&'static str>,
    /// What the example shows.
    pub caption: &'static str,
}

/// The positions of an [`Example`].
#[derive(Debug, Clone)]
pub struct Scene {
    /// The position at the start.
    pub start: Position,
    /// All of its moves, from the start.
    pub moves: Vec<Move>,
    /// The position before the moves that show the point of the example.
    pub before: Position,
    /// The position after them.
    pub after: Position,
    /// A move that is then illegal, and why.
    pub refused: Option<(Move, IllegalMove)>,
}

impl Example {
    /// Plays the example; `None` only if it does not fit the rules, which a test rules out.
    pub fn play(&self, variant: Variant) -> Option<Scene> {
        let rules = variant.rules(self.size).ok()?;
        let [black, white] = ['X', 'O'].map(|stone| self.stones_of(stone));
        let start = Position::with_stones(rules, black, white, Color::Black).ok()?;
        let mut before = start.clone();
        let mut moves = take(&mut before, self.lead)?;
        let mut after = before.clone();
        moves.extend(take(&mut after, self.shown)?);
        let refused = match self.refused {
            None => None,
            Some(text) => {
                let refused: Move = text.parse().ok()?;
                Some((refused, after.check_move(refused).err()?))
            }
        };
        Some(Scene { start, moves, before, after, refused })
    }

    fn stones_of(&self, stone: char) -> Bitboard {
        let rows = self.stones.iter().rev().enumerate();
        rows.flat_map(|(row, text)| {
            let here = move |(column, cell)| (cell == stone).then(|| Point::new(row, column));
            text.chars().enumerate().filter_map(here)
        })
        .collect()
    }
}

/// Plays the moves given as text.
fn take(position: &mut Position, text: &str) -> Option<Vec<Move>> {
    let words = text.split_whitespace();
    let moves: Vec<Move> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    moves.iter().try_for_each(|&played| position.play(played).ok())?;
    Some(moves)
}

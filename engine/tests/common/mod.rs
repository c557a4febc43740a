//! What several tests need.
#![allow(dead_code, clippy::unwrap_used)]

use engine::{Bitboard, Color, Move, Point, Position, Rules};

/// A small seeded generator (Knuth's MMIX constants), so that every run plays the same games.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// One of the legal moves of a running game; a pass only now and then, for it ends games early.
    pub fn pick(&mut self, position: &Position) -> Move {
        let moves = position.legal_moves();
        let may_wait = moves.len() > 1 && moves.last() == Some(&Move::Pass) && self.below(8) > 0;
        moves[self.below(moves.len() - usize::from(may_wait))]
    }
}

/// A position from rows of `X`, `O` and `.`, the top row first, with Black to move.
pub fn position(rules: &str, rows: &str) -> Position {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let mut stones = [Bitboard::EMPTY; 2];
    for (down, row) in rows.iter().enumerate() {
        for (column, cell) in row.chars().enumerate() {
            let point = Point::new(rows.len() - 1 - down, column);
            match cell {
                'X' => stones[0].insert(point),
                'O' => stones[1].insert(point),
                _ => {}
            }
        }
    }
    let rules = Rules::parse(rules, rows.len() as u8).unwrap();
    Position::with_stones(rules, stones[0], stones[1], Color::Black).unwrap()
}

/// A set of points by their names.
pub fn points(names: &str) -> Bitboard {
    names.split_whitespace().map(|name| name.parse::<Point>().unwrap()).collect()
}

/// Takes turns that must all be legal.
pub fn play(position: &mut Position, moves: &str) {
    for chosen in moves.split_whitespace() {
        let result = position.play(chosen.parse().unwrap());
        assert!(result.is_ok(), "{chosen} of {moves}: {result:?}");
    }
}

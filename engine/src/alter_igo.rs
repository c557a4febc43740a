//! Alter Igo: every string of either colour without a liberty leaves the board at once.

use crate::position::Position;
use crate::strings::without_liberty;
use crate::{Bitboard, Color, Point, Reason, zobrist};

/// Times that the same stones must stand for a draw.
const REPETITIONS: usize = 3;

impl Position {
    pub(crate) fn alter_igo_place(&mut self, mover: Color, point: Point) {
        self.stones[mover.index()].insert(point);
        let empty = self.empty();
        let removed = [0, 1].map(|color| without_liberty(&self.stones[color], &empty));
        self.stones_key ^= zobrist::stone(mover, point)
            ^ zobrist::stones(Color::Black, &removed[0])
            ^ zobrist::stones(Color::White, &removed[1]);
        for (stones, removed) in self.stones.iter_mut().zip(&removed) {
            *stones = stones.without(removed);
        }
        self.had[mover.index()].insert(point);
        self.remember(true);
        if removed[0] | removed[1] == Bitboard::of(point) {
            self.finish(Some(mover.opponent()), Reason::Suicide);
        } else if self.history.iter().filter(|&(_, key)| key == self.stones_key).count()
            >= REPETITIONS
        {
            self.finish(None, Reason::Repetition);
        }
    }

    /// The empty points on which the player to move would lose at once.
    pub(crate) fn alter_igo_losing_points(&self) -> Bitboard {
        let empty = self.empty();
        empty
            .without(&empty.neighbours())
            .iter()
            .filter(|&point| {
                let mut next = self.clone();
                next.play_unchecked(crate::Move::Place(point));
                next.outcome().is_some_and(|outcome| outcome.reason == Reason::Suicide)
            })
            .collect()
    }
}

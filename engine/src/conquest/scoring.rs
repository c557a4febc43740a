//! How a game of Conquest is scored: by owned points, or by pure scoring, which first removes the
//! stones that no territory needs.

use super::settle::Side;
use super::state::ConquestState;
use crate::position::Common;
use crate::{Bitboard, Color, Scoring};

impl ConquestState {
    /// Black − White in the current position, without komi.
    pub(crate) fn score(&self, common: &Common) -> i32 {
        match common.rules.scoring {
            Scoring::Territory => self.owner[0].count() as i32 - self.owner[1].count() as i32,
            Scoring::Pure => self.pure_score(common),
        }
    }

    /// Black − White by pure scoring of the current position, without komi.
    fn pure_score(&self, common: &Common) -> i32 {
        let sides = Color::BOTH.map(|color| {
            let mut side = self.side(common, color);
            let bridges = side.bridges(self.quadrants);
            side.remove_salients(&bridges);
            side.stones = side.stones.without(&bridges);
            side.owned |= bridges;
            side
        });
        count(&sides)
    }
}

impl Side {
    /// Removes the stones that no territory needs, except Bridges, by repeated sweeps in index
    /// order.
    fn remove_salients(&mut self, bridges: &Bitboard) {
        let enclosures = self.enclosures();
        loop {
            let before = self.stones;
            for point in self.stones.without(bridges).iter() {
                let without = Side { stones: self.stones.without(&Bitboard::of(point)), ..*self };
                if without.keeps_apart() && without.enclosures() == enclosures {
                    *self = without;
                }
            }
            if self.stones == before {
                return;
            }
        }
    }

    /// Whether every area closed off by the stones that contains an owned point contains nothing
    /// else.
    fn keeps_apart(&self) -> bool {
        let open = self.size.board().without(&self.stones);
        self.owned.flood(&open) == self.owned
    }

    /// The number of eight-connected groups of stones and territory that contain territory.
    fn enclosures(&self) -> usize {
        let all = self.stones | self.owned;
        let mut rest = self.owned;
        let mut parts = 0;
        while let Some(first) = rest.first() {
            rest = rest.without(&flood_eight(&Bitboard::of(first), &all));
            parts += 1;
        }
        parts
    }
}

/// All points of `within` eight-connected to `start`, which is part of `within`.
fn flood_eight(start: &Bitboard, within: &Bitboard) -> Bitboard {
    let mut filled = *start;
    loop {
        let next = filled.surroundings() & *within | filled;
        if next == filled {
            return filled;
        }
        filled = next;
    }
}

/// Counts each side's territory and divides up the free points.
fn count(sides: &[Side; 2]) -> i32 {
    let [black, white] = sides;
    let mut points = [black.owned.count(), white.owned.count()];
    let reach = sides.map(|side| (side.stones | side.owned).neighbours());
    let taken = black.stones | black.owned | white.stones | white.owned;
    let mut shared = Vec::new();
    for set in black.size.board().without(&taken).strings() {
        match reach.map(|reach| reach.intersects(&set)) {
            [true, true] => shared.push(set.count()),
            [true, false] => points[0] += set.count(),
            [false, true] => points[1] += set.count(),
            [false, false] => {}
        }
    }
    shared.sort_unstable_by(|a, b| b.cmp(a));
    for size in shared {
        let odd_to = usize::from(points[1] <= points[0]);
        points[odd_to] += size % 2;
        points[0] += size / 2;
        points[1] += size / 2;
    }
    points[0] as i32 - points[1] as i32
}

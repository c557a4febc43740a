//! Random players whose habits bring about kos, cycles, repetition and long games.

use engine::{Color, Move, Point};

use super::{Numbers, Pair};

/// The habits of both players of one game.
pub struct Player {
    /// Captures when it sees a way to.
    captures: bool,
    /// Plays where a stone has just been removed.
    refills: bool,
    /// Avoids the end of the game.
    lingers: bool,
    /// Prefers the starred one of two moves.
    stars: bool,
    /// One in this many turns is a pass, if legal.
    pass_every: usize,
    /// Points whose stones were removed, latest last.
    emptied: Vec<Point>,
    /// The stones of both colours as last seen.
    seen: Vec<Point>,
}

impl Player {
    pub fn new(numbers: &mut Numbers) -> Player {
        Player {
            captures: numbers.one_in(2),
            refills: numbers.one_in(2),
            lingers: !numbers.one_in(4),
            stars: numbers.one_in(2),
            pass_every: [4, 8, 20, 60][numbers.below(4)],
            emptied: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// One of the legal moves of a game that is not over.
    pub fn choose(&mut self, pair: &Pair, numbers: &mut Numbers) -> Move {
        self.look_for_removed(pair);
        let moves = pair.engine.legal_moves();
        let wants_pass = numbers.one_in(self.pass_every);
        if wants_pass && moves.contains(&Move::Pass) {
            return Move::Pass;
        }
        let candidates: Vec<Move> = if self.refills && !numbers.one_in(4) {
            let refilling =
                |chosen: &&Move| chosen.point().is_some_and(|point| self.emptied.contains(&point));
            moves.iter().filter(refilling).copied().collect()
        } else {
            Vec::new()
        };
        let mut best = (0, moves[numbers.below(moves.len())]);
        // Looking at a few moves only leaves room for chance.
        for _ in 0..6 {
            let candidate = match candidates.len() {
                0 => moves[numbers.below(moves.len())],
                refilling => candidates[numbers.below(refilling)],
            };
            let value = self.value(pair, candidate);
            if value > best.0 {
                best = (value, candidate);
            }
        }
        best.1
    }

    /// How well a move fits the habits.
    fn value(&self, pair: &Pair, candidate: Move) -> usize {
        let Some(point) = candidate.point() else { return 0 };
        if !(self.captures || self.lingers) {
            return 1;
        }
        let mut next = pair.engine.clone();
        next.play_unchecked(candidate);
        let opposing = |position: &engine::Position| -> usize {
            position.stones(pair.engine.turn().opponent()).count()
        };
        let captures = opposing(&next) < opposing(&pair.engine);
        1 + 4 * usize::from(self.lingers && next.outcome().is_none())
            + 2 * usize::from(self.captures && captures)
            + usize::from(self.refills && self.emptied.contains(&point))
            + usize::from(self.stars && matches!(candidate, Move::PlaceStarred(_)))
    }

    fn look_for_removed(&mut self, pair: &Pair) {
        let stones = *pair.engine.stones(Color::Black) | *pair.engine.stones(Color::White);
        for &point in &self.seen {
            if !stones.contains(point) {
                self.emptied.push(point);
            }
        }
        let old = self.emptied.len().saturating_sub(8);
        self.emptied.drain(..old);
        self.seen = stones.iter().collect();
    }
}

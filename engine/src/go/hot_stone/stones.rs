//! Which stones are hot, worked out only on demand.

use std::sync::OnceLock;

use super::cycle;
use crate::go::Effect;
use crate::position::Common;
use crate::{Bitboard, Point, Rules};

/// The most plays left unjudged. When there are more, all are judged, so that a position stays
/// small.
const MAX_PENDING: usize = 8;

/// The hot stones. Whether a play makes its stone hot or cools all others takes a search, and most
/// positions of random playouts are never asked. For one that is, the last play often decides:
/// unless it is a ko play, it has cooled all stones before it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stones {
    /// The hot stones before the unjudged plays.
    before: Bitboard,
    pending: Vec<PendingPlay>,
    known: OnceLock<Bitboard>,
}

/// A play that has not been judged yet.
#[derive(Debug, Clone)]
struct PendingPlay {
    /// The stones of the player and of the opponent before the play.
    stones: [Bitboard; 2],
    point: Point,
    effect: Effect,
}

impl Stones {
    /// These hot stones, with no unjudged plays.
    pub(super) fn of(stones: Bitboard) -> Stones {
        Stones { before: stones, ..Stones::default() }
    }

    /// The hot stones of this position.
    pub(super) fn hot(&self, rules: &Rules) -> Bitboard {
        *self.known.get_or_init(|| {
            let is_cooling = |play: &PendingPlay| !play.is_ko_play(rules);
            let (hot, plays) = match self.pending.iter().rposition(is_cooling) {
                Some(cooling) => (Bitboard::EMPTY, &self.pending[cooling + 1..]),
                None => (self.before, &self.pending[..]),
            };
            plays.iter().fold(hot, |hot, PendingPlay { point, effect, .. }| {
                (hot | Bitboard::of(*point)).without(&(effect.captured | effect.suicide))
            })
        })
    }

    /// A superset of the hot stones that takes no search.
    pub(super) fn possibly_hot(&self) -> Bitboard {
        let points = self.pending.iter().map(|play| play.point);
        self.known.get().copied().unwrap_or(self.before | points.collect())
    }

    /// Records a play of the player to move; call it before the play changes the stones.
    pub(super) fn play(&mut self, common: &Common, point: Point, effect: &Effect) {
        if self.pending.len() == MAX_PENDING || self.known.get().is_some() {
            self.before = self.hot(&common.rules);
            self.pending.clear();
        }
        self.known = OnceLock::new();
        let stones = common.own_and_opposing().map(|stones| *stones);
        self.pending.push(PendingPlay { stones, point, effect: effect.clone() });
    }
}

impl PendingPlay {
    fn is_ko_play(&self, rules: &Rules) -> bool {
        cycle::is_ko_play(rules, &self.stones, self.point, &self.effect)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Move, Position, Rules};

    /// A move that captures, if there is one.
    fn capture(position: &Position, moves: &[Move]) -> Option<Move> {
        let other = position.turn().opponent();
        moves.iter().copied().find(|&played| {
            let mut after = position.clone();
            after.play_unchecked(played);
            after.stones(other).count() < position.stones(other).count()
        })
    }

    /// Plays each game on two copies: one is asked every turn, the other once in eleven turns.
    #[test]
    fn it_does_not_matter_when_they_are_asked_for() {
        let mut found = 0;
        for seed in 0..1000_usize {
            let text = ["hot-stone", "hot-stone,suicide=true"][seed % 2];
            let rules = Rules::parse(text, 3 + seed % 4 / 2).expect("rules");
            let (mut asked, mut seldom) = (Position::new(rules), Position::new(rules));
            for turn in 0..100 {
                found += asked.hot_stones().count();
                if turn % 11 == seed % 11 {
                    assert_eq!(asked.hot_stones(), seldom.hot_stones(), "{asked}");
                }
                let moves = asked.legal_moves();
                assert_eq!(moves, seldom.legal_moves(), "{asked}");
                let number = seed * 7919 + turn * (turn + 104_729);
                let chosen = capture(&asked, &moves).filter(|_| number % 4 > 0);
                let placements = moves.len() - usize::from(moves.contains(&Move::Pass));
                let chosen = chosen.unwrap_or(moves[number % placements.max(1)]);
                asked.play_unchecked(chosen);
                seldom.play_unchecked(chosen);
                if asked.outcome().is_some() {
                    break;
                }
            }
        }
        assert!(found > 500, "too few hot stones to tell: {found}");
    }
}

//! One game played by both implementations.

use std::fmt::Debug;

use engine::{Bitboard, Color, Move, Point, Position, Rules, actions};

use super::Events;
use crate::reference::{Board, Reference, ReferenceMove};
use crate::translation;

pub struct Pair {
    pub engine: Position,
    pub reference: Reference,
    pub moves: Vec<Move>,
}

impl Pair {
    pub fn new(rules: Rules) -> Pair {
        let reference = Reference::new(translation::rules(&rules));
        Pair { engine: Position::new(rules), reference, moves: Vec::new() }
    }

    /// A game from stones set up by hand. The reference does not settle a Conquest set up so.
    pub fn with_stones(rules: Rules, stones: [Bitboard; 2], turn: Color) -> Pair {
        let [black, white] = stones;
        let board = Board {
            size: translation::size(rules.size),
            points: translation::colors([&black, &white], rules.size),
        };
        let reference =
            Reference::from_position(translation::rules(&rules), board, translation::color(turn));
        let engine = Position::with_stones(rules, black, white, turn).unwrap();
        Pair { engine, reference, moves: Vec::new() }
    }

    pub fn is_over(&self) -> bool {
        self.engine.outcome().is_some()
    }

    /// Makes a move that both hold for legal.
    pub fn play(&mut self, chosen: Move, events: &mut Events) {
        let size = self.engine.size();
        let before = self.engine.clone();
        self.moves.push(chosen);
        self.reference.play(match chosen {
            Move::Place(point) => ReferenceMove::Place(point.index(size)),
            Move::PlaceStarred(point) => ReferenceMove::PlaceStarred(point.index(size)),
            Move::Pass => ReferenceMove::Pass,
        });
        // The unchecked way is what search uses; both must lead to the same position.
        let mut unchecked = before.clone();
        unchecked.play_unchecked(chosen);
        self.engine.play(chosen).unwrap_or_else(|error| self.fail(&format!("play: {error}")));
        self.same("hash of the unchecked play", unchecked.hash(), self.engine.hash());
        self.count_turn(&before, chosen, events);
    }

    fn count_turn(&self, before: &Position, chosen: Move, events: &mut Events) {
        let mover = before.turn();
        let removed = |color| !before.stones(color).without(self.engine.stones(color)).is_empty();
        if removed(mover.opponent()) {
            events.count("captures", 1);
        }
        match chosen {
            Move::Place(point) => {
                if !self.engine.stones(mover).contains(point) {
                    events.count("own stone removed", 1);
                }
                events.count(
                    "tiles laid",
                    usize::from(self.engine.tiles(point) > before.tiles(point)),
                );
            }
            Move::PlaceStarred(_) => events.count("starred played", 1),
            Move::Pass => {
                events.count("passes or returns", 1);
            }
        }
        events.count("hot after play", self.engine.hot_stones().count());
        if let Some(outcome) = self.engine.outcome() {
            events.count(&format!("end: {}", outcome.reason), 1);
        }
    }

    /// Fails unless both agree on everything that can be seen.
    pub fn compare(&self, events: &mut Events) {
        events.positions += 1;
        self.compare_moves(events);
        let size = self.engine.size();
        let stones = Color::BOTH.map(|color| self.engine.stones(color));
        let owned = Color::BOTH.map(|color| self.engine.owned(color));
        let board = translation::colors(stones, size);
        let owner = translation::colors(owned, size);
        let tiles: Vec<_> =
            size.points().map(|point| usize::from(self.engine.tiles(point))).collect();
        let hot: Vec<_> = self.engine.hot_stones().iter().map(|point| point.index(size)).collect();
        let prisoners = Color::BOTH.map(|color| usize::from(self.engine.prisoners(color)));
        let turn = translation::color(self.engine.turn());
        self.same("board", board.as_slice(), self.reference.board());
        self.same("owner", owner.as_slice(), self.reference.owner());
        self.same("tiles", tiles.as_slice(), self.reference.tiles());
        self.same("hot stones", hot, self.reference.hot());
        self.same("prisoners", prisoners, self.reference.prisoners());
        self.same("last incursion", self.engine.last_incursion(), self.reference.last_incursion());
        self.same("turn", turn, self.reference.to_move());
        self.same("passes", usize::from(self.engine.passes()), self.reference.passes());
        self.same("score", self.engine.score().map(f64::from), self.reference.score());
        self.compare_outcome();
    }

    fn compare_outcome(&self) {
        let outcome = self.engine.outcome().map(|outcome| {
            (outcome.result.winner().map(translation::color), outcome.reason.to_string())
        });
        let wanted = self.reference.outcome().map(|(winner, why)| (winner, why.to_owned()));
        self.same("outcome", outcome, wanted);
    }

    fn compare_moves(&self, events: &mut Events) {
        let size = self.engine.size();
        let legal = self.engine.legal_moves();
        let wanted: Vec<Move> = self
            .reference
            .legal_moves()
            .into_iter()
            .map(|chosen| match chosen {
                ReferenceMove::Place(index) => Move::Place(Point::from_index(index, size)),
                ReferenceMove::PlaceStarred(index) => {
                    Move::PlaceStarred(Point::from_index(index, size))
                }
                ReferenceMove::Pass => Move::Pass,
            })
            .collect();
        self.same("legal moves", legal.as_slice(), wanted.as_slice());
        self.same("can_pass", self.engine.can_pass(), wanted.contains(&Move::Pass));
        let mut listed = vec![false; actions(size)];
        for chosen in &legal {
            listed[chosen.action(size)] = true;
            events.count("starred", usize::from(matches!(chosen, Move::PlaceStarred(_))));
        }
        for (action, &listed) in listed.iter().enumerate() {
            let candidate = Move::from_action(action, size).unwrap();
            let judged = self.engine.check_move(candidate);
            if judged.is_ok() != listed {
                self.fail(&format!(
                    "{candidate} is listed: {listed}, but check_move says {judged:?}"
                ));
            }
            if let (Err(error), Move::Place(_) | Move::Pass) = (judged, candidate) {
                events.refused(error);
            }
        }
    }

    fn same<T: Debug + PartialEq>(&self, what: &str, engine: T, reference: T) {
        if engine != reference {
            self.fail(&format!("{what}\n   engine    {engine:?}\n   reference {reference:?}"));
        }
    }

    /// Ends the test with a line that can be put into `regressions.txt` as it is.
    fn fail(&self, what: &str) -> ! {
        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let rules = self.engine.rules();
        panic!(
            "engine and reference differ: {what}\n{rules} | {} | {}",
            rules.size,
            moves.join(" ")
        );
    }
}

//! One game played by both implementations.

use std::fmt::Debug;

use engine::{
    Bitboard, Color, Ending, Family, Move, Point, Position, Repetition, Rules, Scoring, TileRule,
    actions,
};

use super::Events;
use crate::reference::{self, Board, Reference, ReferenceMove, ReferenceRules, rules};

pub struct Pair {
    pub engine: Position,
    pub reference: Reference,
    pub moves: Vec<Move>,
}

impl Pair {
    pub fn new(rules: Rules) -> Pair {
        let reference = Reference::new(translate(&rules));
        Pair { engine: Position::new(rules), reference, moves: Vec::new() }
    }

    /// A game from stones set up by hand. The reference does not settle a Conquest set up so.
    pub fn with_stones(rules: Rules, stones: [Bitboard; 2], turn: Color) -> Pair {
        let [black, white] = stones;
        let mut board = Board::empty(rules.size.into());
        for (set, color) in [(&black, rules::Color::Black), (&white, rules::Color::White)] {
            for point in set.iter() {
                board.points[point.index(rules.size.into())] = Some(color);
            }
        }
        let to_move = match turn {
            Color::Black => rules::Color::Black,
            Color::White => rules::Color::White,
        };
        let reference = Reference::from_position(translate(&rules), board, to_move);
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
        events.count("hot after play", self.engine.hot().count());
        if let Some(outcome) = self.engine.outcome() {
            events.count(&format!("end: {}", outcome.reason), 1);
        }
    }

    /// Fails unless both agree on everything that can be seen.
    pub fn compare(&self, events: &mut Events) {
        events.positions += 1;
        self.compare_moves(events);
        let size = self.engine.size();
        let colored = |sets: [&Bitboard; 2], point: Point| {
            if sets[0].contains(point) {
                Some(rules::Color::Black)
            } else {
                sets[1].contains(point).then_some(rules::Color::White)
            }
        };
        let points = || (0..size * size).map(|index| Point::from_index(index, size));
        let stones = Color::BOTH.map(|color| self.engine.stones(color));
        let owned = Color::BOTH.map(|color| self.engine.owned(color));
        let board: Vec<_> = points().map(|point| colored(stones, point)).collect();
        let owner: Vec<_> = points().map(|point| colored(owned, point)).collect();
        let tiles: Vec<_> = points().map(|point| usize::from(self.engine.tiles(point))).collect();
        let hot: Vec<_> = self.engine.hot().iter().map(|point| point.index(size)).collect();
        let prisoners = Color::BOTH.map(|color| usize::from(self.engine.prisoners(color)));
        let turn = match self.engine.turn() {
            Color::Black => rules::Color::Black,
            Color::White => rules::Color::White,
        };
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
            let winner = outcome.winner.map(|color| match color {
                Color::Black => rules::Color::Black,
                Color::White => rules::Color::White,
            });
            (winner, outcome.reason.to_string())
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
            let judged = self.engine.is_legal(candidate);
            if judged.is_ok() != listed {
                self.fail(&format!(
                    "{candidate} is listed: {listed}, but is_legal says {judged:?}"
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

/// The same rules for the reference.
pub fn translate(rules: &Rules) -> ReferenceRules {
    ReferenceRules {
        size: rules.size.into(),
        family: match rules.family {
            Family::Go => reference::rules::Family::Go,
            Family::AlterIgo => reference::rules::Family::AlterIgo,
            Family::Conquest => reference::rules::Family::Conquest,
        },
        repetition: match rules.repetition {
            Repetition::None => reference::rules::Repetition::None,
            Repetition::Simple => reference::rules::Repetition::Simple,
            Repetition::PositionalSuperko => reference::rules::Repetition::PositionalSuperko,
            Repetition::SituationalSuperko => reference::rules::Repetition::SituationalSuperko,
            Repetition::Incursion => reference::rules::Repetition::Incursion,
            Repetition::MinimalIncursion => reference::rules::Repetition::MinimalIncursion,
            Repetition::Stoical => reference::rules::Repetition::Stoical,
            Repetition::HotStone => reference::rules::Repetition::HotStone,
        },
        suicide: rules.suicide,
        tiles: match rules.tiles {
            TileRule::None => reference::rules::Tiles::None,
            TileRule::Tile => reference::rules::Tiles::Tile,
            TileRule::Cushion => reference::rules::Tiles::Cushion,
        },
        tile_limit: rules.tile_limit.into(),
        end: match rules.end {
            Ending::Area => reference::rules::End::Area,
            Ending::PrisonerReturn => reference::rules::End::PrisonerReturn,
        },
        passes_to_end: rules.passes_to_end.into(),
        komi: rules.komi.value().into(),
        max_cycle: rules.max_cycle.into(),
        white_passes: rules.white_passes.into(),
        scoring: match rules.scoring {
            Scoring::Territory => reference::rules::Scoring::Territory,
            Scoring::Pure => reference::rules::Scoring::Pure,
        },
        max_moves: rules.max_moves.into(),
    }
}

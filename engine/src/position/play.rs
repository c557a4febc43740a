//! The legal moves of a position, and what a turn does to it.

use std::sync::OnceLock;

use super::common::Placements;
use super::state::{FamilyState, Position};
use crate::go::{self, Effect};
use crate::{Bitboard, GameResult, IllegalMove, Move, MoveList, Outcome, Point, Reason, moves};

impl Position {
    /// All legal moves: placements in point order (each starred one right after the plain one),
    /// then pass. Empty when the game is over.
    pub fn legal_moves(&self) -> MoveList {
        moves::in_order(&self.legal_points(), &self.starred_points(), self.can_pass())
    }

    /// Number of legal moves.
    pub fn count_legal_moves(&self) -> usize {
        self.legal_points().count() + self.starred_points().count() + usize::from(self.can_pass())
    }

    /// The points of all legal placements.
    pub fn legal_points(&self) -> Bitboard {
        if self.outcome().is_some() {
            return Bitboard::EMPTY;
        }
        self.placements().legal
    }

    /// The points that capture and suicide allow but another rule forbids; empty outside the `go`
    /// family. In a finished game, the points that would be forbidden if it continued.
    pub fn banned_points(&self) -> Bitboard {
        let Placements { playable, legal } = self.placements();
        playable.without(legal)
    }

    fn placements(&self) -> &Placements {
        let all = |points| Placements { playable: points, legal: points };
        self.placements.get_or_init(|| match &self.family {
            FamilyState::Go(state) => state.placements(&self.common),
            FamilyState::AlterIgo(_) => all(self.empty()),
            FamilyState::Conquest(state) => all(state.free(&self.common)),
        })
    }

    /// The points where a placement can also be settled in the opposite order (Conquest's announced
    /// choice).
    pub fn starred_points(&self) -> Bitboard {
        if self.outcome().is_some() {
            return Bitboard::EMPTY;
        }
        match &self.family {
            FamilyState::Go(_) | FamilyState::AlterIgo(_) => Bitboard::EMPTY,
            FamilyState::Conquest(state) => state.starred(&self.common),
        }
    }

    /// Whether the player to move may pass or return a prisoner.
    pub fn can_pass(&self) -> bool {
        self.outcome().is_none() && self.pass_error().is_none()
    }

    /// Checks whether [`Position::play`] would accept the move.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn check_move(&self, candidate: Move) -> Result<(), IllegalMove> {
        self.check(candidate).map(|_| ())
    }

    /// Like [`Position::check_move`]; also returns the move's effect if it had to be computed.
    fn check(&self, candidate: Move) -> Result<Option<Effect>, IllegalMove> {
        if self.outcome().is_some() {
            return Err(IllegalMove::GameOver);
        }
        let Some(point) = candidate.point() else {
            return self.pass_error().map_or(Ok(None), Err);
        };
        if !self.board().contains(point) {
            return Err(IllegalMove::OffBoard(point));
        }
        if !self.empty().contains(point) {
            return Err(IllegalMove::Occupied(point));
        }
        let mut effect = None;
        let forbidden = match &self.family {
            FamilyState::Go(state) => {
                let effect = effect.insert(go::effect(&self.common, point));
                state.forbids(&self.common, point, effect)
            }
            FamilyState::AlterIgo(_) => None,
            FamilyState::Conquest(state) => state.forbids(point),
        };
        if let Some(rule) = forbidden {
            return Err(rule);
        }
        match candidate {
            Move::PlaceStarred(point) if !self.starred_points().contains(point) => {
                Err(IllegalMove::NoChoice(candidate))
            }
            Move::PlaceStarred(_) | Move::Place(_) | Move::Pass => Ok(effect),
        }
    }

    /// Takes a turn.
    ///
    /// # Errors
    /// The rule that forbids the move; the position is then unchanged.
    pub fn play(&mut self, chosen: Move) -> Result<(), IllegalMove> {
        let effect = self.check(chosen)?;
        self.take_turn(chosen, effect);
        Ok(())
    }

    /// Takes a turn known to be legal. An illegal one leads to a position that no game can reach.
    pub fn play_unchecked(&mut self, chosen: Move) {
        self.take_turn(chosen, None);
    }

    fn take_turn(&mut self, chosen: Move, effect: Option<Effect>) {
        self.placements = OnceLock::new();
        let common = &mut self.common;
        common.turns += 1;
        common.recent.rotate_right(1);
        common.recent[0] = chosen.point();
        match chosen {
            Move::Pass => self.pass(),
            Move::Place(point) => self.place(point, false, effect),
            Move::PlaceStarred(point) => self.place(point, true, effect),
        }
        self.end_if_no_legal_move();
        self.end_at_move_limit();
    }

    fn pass(&mut self) {
        match &mut self.family {
            FamilyState::Go(state) => state.pass(&mut self.common),
            FamilyState::AlterIgo(state) => state.pass(&mut self.common),
            // Conquest has no passes.
            FamilyState::Conquest(_) => self.common.turn = self.common.turn.opponent(),
        }
        self.end_by_passes();
    }

    fn place(&mut self, point: Point, starred: bool, effect: Option<Effect>) {
        let common = &mut self.common;
        common.passes = 0;
        match &mut self.family {
            FamilyState::Go(state) => state.place(common, point, effect),
            FamilyState::AlterIgo(state) => state.place(common, point),
            FamilyState::Conquest(state) => state.place(common, point, starred),
        }
    }

    /// Why the player to move may not pass (or return a prisoner) now.
    fn pass_error(&self) -> Option<IllegalMove> {
        match &self.family {
            FamilyState::Go(state) => state.pass_error(&self.common),
            FamilyState::AlterIgo(state) => state.pass_error(&self.common),
            FamilyState::Conquest(_) => Some(IllegalMove::NoPass),
        }
    }

    /// Ends a game that these rules would have ended, although it went on under others.
    pub(super) fn end_if_over(&mut self) {
        if self.outcome().is_some() {
            return;
        }
        if let FamilyState::Go(state) = &self.family {
            state.judge_capture_goal(&mut self.common);
        }
        if self.outcome().is_none() {
            self.end_by_passes();
        }
        self.end_stuck_turn();
        self.end_if_no_legal_move();
        self.end_at_move_limit();
    }

    /// How the game has ended as far as the position shows it, whatever result it has been given.
    pub(super) fn shown_end(&self) -> Option<Outcome> {
        let mut position = self.clone();
        position.common.outcome = None;
        position.end_if_over();
        position.outcome()
    }

    /// Ends a turn of several stones that has begun and cannot go on.
    pub(super) fn end_stuck_turn(&mut self) {
        if let FamilyState::Go(state) = &mut self.family {
            state.end_stuck_turn(&mut self.common);
        }
    }

    fn end_by_passes(&mut self) {
        let rules = self.rules();
        if rules.is_scored_by_area() && self.passes() >= rules.passes_to_end {
            self.finish_by_score(Reason::Passes);
        }
    }

    /// Ends the game if the player to move has no legal move.
    pub(super) fn end_if_no_legal_move(&mut self) {
        if self.outcome().is_some() || self.can_pass() || !self.legal_points().is_empty() {
            return;
        }
        match &self.family {
            FamilyState::Go(_) => {
                self.common.finish(GameResult::Won(self.turn().opponent()), Reason::NoMove);
            }
            // Filling the last empty point empties the board, so there is always a legal placement.
            FamilyState::AlterIgo(_) => {}
            FamilyState::Conquest(_) => self.finish_by_score(Reason::NoFreePoint),
        }
    }

    fn end_at_move_limit(&mut self) {
        if self.outcome().is_none() && self.turns() >= self.rules().max_moves {
            if self.rules().has_score() {
                self.finish_by_score(Reason::MoveLimit);
            } else {
                self.common.finish(GameResult::Draw, Reason::MoveLimit);
            }
        }
    }

    fn finish_by_score(&mut self, reason: Reason) {
        let score = self.score().unwrap_or_default();
        self.common.finish(GameResult::of_score(score), reason);
    }
}

//! Taking a turn.

use super::candidates::Candidates;
use super::capture::{self, Effect, effect};
use super::repetition::{has_occurred, key_after};
use super::state::{GoState, LastTurn};
use super::territory::is_incursion;
use crate::history::Change;
use crate::position::Common;
use crate::{Bitboard, Color, GameResult, IllegalMove, Point, Reason};

impl GoState {
    /// Plays a stone known to be legal, with its effect if already computed, and passes the turn to
    /// the opponent.
    pub(crate) fn place(&mut self, common: &mut Common, point: Point, known: Option<Effect>) {
        let effect = known.unwrap_or_else(|| effect(common, point));
        let incursion = common.rules.has_incursions() && is_incursion(common, point);
        if !self.needing_tile(common, Candidates::One(point, &effect)).is_empty() {
            self.add_tile(point);
        }
        if let Some(hot) = &mut self.hot {
            hot.record(common, point, &effect);
        }
        let own = common.turn.index();
        let was_here = common.ever_occupied[own].contains(point);
        common.stones_key = key_after(common, point, &effect);
        common.stones[own] = (common.stones[own] | Bitboard::of(point)).without(&effect.suicide);
        common.stones[1 - own] = common.stones[1 - own].without(&effect.captured);
        common.ever_occupied[own].insert(point);
        for (color, removed) in [(own, &effect.captured), (1 - own, &effect.suicide)] {
            if !removed.is_empty() {
                let count = removed.count() as u16;
                // A position set up by hand may have any number of prisoners.
                self.prisoners[color] = self.prisoners[color].saturating_add(count);
                self.taken[color] = self.taken[color].saturating_add(count);
            }
        }
        self.last = LastTurn {
            incursion,
            minimal: incursion && effect.captured_strings <= 1,
            capture: effect.captured_strings > 0,
            ko: effect.captured.single(),
        };
        self.last_placement_incursion = incursion;
        self.judge_capture_goal(common);
        // A stone on a point that its colour has never occupied gives a new position, unless it is
        // removed at once.
        if common.outcome.is_none()
            && common.rules.draws_by_repetition()
            && (was_here || !effect.suicide.is_empty())
            && has_occurred(common, common.stones_key)
        {
            common.finish(GameResult::Draw, Reason::Repetition);
        }
        common.record_turn(&effect.change(common.turn, point));
        self.placements_left -= 1;
        self.mid_turn = true;
        if self.placements_left == 0 || self.cannot_go_on(common) {
            self.end_turn(common);
        }
    }

    /// Passes, returns a prisoner, or ends a turn in which a stone has been placed.
    pub(crate) fn pass(&mut self, common: &mut Common) {
        self.last = LastTurn::default();
        if let Some(hot) = &mut self.hot {
            hot.cool();
        }
        if common.rules.returns_prisoners() {
            self.prisoners[common.turn.index()] -= 1;
        } else if !self.mid_turn {
            common.passes = common.passes.saturating_add(1);
        }
        common.record_turn(&Change::NONE);
        self.end_turn(common);
    }

    fn end_turn(&mut self, common: &mut Common) {
        common.turn = common.turn.opponent();
        self.placements_left = common.rules.stones_per_turn;
        self.mid_turn = false;
    }

    /// Ends a turn that has begun under other rules or in a text, and in which nothing more can be
    /// placed: taken here, it would have ended with its last stone.
    pub(crate) fn end_stuck_turn(&mut self, common: &mut Common) {
        if self.mid_turn && self.cannot_go_on(common) {
            self.end_turn(common);
        }
    }

    /// Whether a turn ends early because no further placement is legal.
    fn cannot_go_on(&self, common: &Common) -> bool {
        !common.rules.has_pass() && self.placements(common).legal.is_empty()
    }

    /// Why the player to move may not pass (or return a prisoner) now.
    pub(crate) fn pass_error(&self, common: &Common) -> Option<IllegalMove> {
        if common.rules.returns_prisoners() {
            (self.prisoners[common.turn.index()] == 0).then_some(IllegalMove::NoPrisoner)
        } else {
            (!common.rules.has_pass()).then_some(IllegalMove::NoPass)
        }
    }

    /// Of the `legal` points, those where a placement wins at once by its captures, and those where
    /// it loses by its suicide.
    pub(crate) fn deciding_points(&self, common: &Common, legal: Bitboard) -> [Bitboard; 2] {
        let goal = usize::from(common.rules.capture_goal);
        if goal == 0 {
            return [Bitboard::EMPTY; 2];
        }
        let missing = |color: Color| goal.saturating_sub(self.taken[color.index()].into());
        let [own, opposing] = [missing(common.turn), missing(common.turn.opponent())];
        let empty = common.empty();
        let [capturing, _] = capture::capturing(common.own_and_opposing()[1], &empty);
        // Every capture takes at least one stone.
        let wins = |&point: &Point| own <= 1 || effect(common, point).captured.count() >= own;
        let loses = |&point: &Point| effect(common, point).suicide.count() >= opposing;
        let suicides =
            if common.rules.suicide { legal.without(&empty.neighbours()) } else { Bitboard::EMPTY };
        [(legal & capturing).iter().filter(wins).collect(), suicides.iter().filter(loses).collect()]
    }

    /// Ends the game if a player has taken as many stones as win it.
    pub(crate) fn judge_capture_goal(&self, common: &mut Common) {
        let goal = common.rules.capture_goal;
        if goal > 0
            && let Some(winner) =
                Color::BOTH.into_iter().find(|color| self.taken[color.index()] >= goal)
        {
            common.finish(GameResult::Won(winner), Reason::CaptureGoal);
        }
    }
}

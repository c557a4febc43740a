//! What a position brings along to other rules although its own do not record it.

use super::read::Draft;
use crate::go::{self, GoState};
use crate::history::Change;
use crate::position::state::{FamilyState, Position};
use crate::{Bitboard, Color, Rules, strings};

impl Position {
    /// Adds to the lines of this position what `rules` depend on and its own rules do not record:
    /// the prisoners that a game begins with there, the stones left in this turn, whether the last
    /// placement was an incursion, the hot stones, and passes.
    pub(super) fn add_unrecorded(&self, rules: &Rules, draft: &mut Draft) {
        let FamilyState::Go(state) = &self.family else { return };
        draft.prisoners = Some(prisoners_under(rules, self.rules(), state.prisoners));
        draft.left = left_under(rules, self.rules(), state);
        // Only the opponent's last turn bans anything, and one that begins anew was the player's own.
        if draft.left.is_some_and(|(_, mid_turn)| !mid_turn) {
            draft.last = None;
        }
        if rules.has_incursions() && !self.rules().has_incursions() {
            self.add_incursion(state, draft);
        }
        if self.rules().has_hot_stones() {
            draft.history = with_passes(&draft.history, self.turn());
        } else if rules.has_hot_stones() {
            draft.hot = Some(self.hot_stones_under(rules));
        }
    }

    /// The stones that the recorded turns have left hot; none if one of these turns removed other
    /// stones than it would under these rules.
    fn hot_stones_under(&self, rules: &Rules) -> Bitboard {
        let changes = self.changes();
        let mut stones = self.common.stones;
        changes.iter().rev().for_each(|change| change.take_back(&mut stones));
        let mut replayed = Position::with_board(*rules, stones, Color::Black);
        let common = &mut replayed.common;
        let FamilyState::Go(GoState { hot: Some(hot), .. }) = &mut replayed.family else {
            return Bitboard::EMPTY;
        };
        for change in &changes {
            let Some((color, point)) = change.placed else {
                hot.cool();
                continue;
            };
            common.turn = color;
            let effect = go::effect(common, point);
            if effect.change(color, point).removed != change.removed {
                return Bitboard::EMPTY;
            }
            hot.record(common, point, &effect);
            change.make(&mut common.stones);
            common.ever_occupied[color.index()].insert(point);
        }
        hot.stones(rules)
    }

    fn add_incursion(&self, state: &GoState, draft: &mut Draft) {
        let Some(change) = self.last_placement(state) else { return };
        let Some((player, point)) = change.placed else { return };
        let mut stones = self.common.stones;
        change.take_back(&mut stones);
        let empty = self.board().without(&(stones[0] | stones[1]));
        let opponent = player.opponent().index();
        let incursion = strings::territories(&stones, &empty)[opponent].contains(point);
        draft.placement_incursion = incursion;
        // Only the opponent's last turn bans anything, and a pass is none.
        if self.common.recent[0] == Some(point) && player != self.turn() {
            let last = draft.last.get_or_insert_default();
            last.incursion = incursion;
            last.minimal = incursion && change.removed[opponent].strings().count() <= 1;
        }
    }

    /// The last placement, if it is known what it removed.
    fn last_placement(&self, state: &GoState) -> Option<Change> {
        let recorded = self.changes().into_iter().rev().find(|change| change.placed.is_some());
        if recorded.is_some() {
            return recorded;
        }
        // Rules that do not look back keep only the last turn, and of its captures a single stone.
        // What came before a pass is unknown, and so is a tile that was due then.
        let point = self.common.recent[0]?;
        let player = if state.mid_turn { self.turn() } else { self.turn().opponent() };
        let is_known = !state.last.capture || state.last.ko.is_some();
        if !is_known || !self.stones(player).contains(point) {
            return None;
        }
        let mut removed = [Bitboard::EMPTY; 2];
        removed[player.opponent().index()] = state.last.ko.map(Bitboard::of).unwrap_or_default();
        Some(Change { placed: Some((player, point)), removed })
    }
}

/// The turns of a game under rules of hot stones, which record only its plays: a pass came where a
/// player has two turns in a row. Two passes in a row are not seen. `next` is to move after them.
fn with_passes(plays: &[Change], next: Color) -> Vec<Change> {
    let player = |play: &Change| play.placed.map(|(color, _)| color);
    let followers = plays.iter().skip(1).map(player).chain([Some(next)]);
    let mut turns = Vec::new();
    for (play, follower) in plays.iter().zip(followers) {
        turns.push(*play);
        if player(play) == follower {
            turns.push(Change::NONE);
        }
    }
    turns
}

/// The stones left under `rules` in a turn that has begun, at least one because the player is still
/// to move, and whether it has begun there too; `None` before a turn, which has as many as `rules`
/// give it.
fn left_under(rules: &Rules, here: &Rules, state: &GoState) -> Option<(u8, bool)> {
    let placed = here.stones_per_turn.saturating_sub(state.placements_left);
    let left = rules.stones_per_turn.saturating_sub(placed).max(1);
    state.mid_turn.then_some((left, left < rules.stones_per_turn))
}

/// The prisoners that both players hold under `rules` who hold these under their own, `here`: they
/// begin with as many as `rules` give, and have gained and returned the same since.
fn prisoners_under(rules: &Rules, here: &Rules, held: [u16; 2]) -> [u16; 2] {
    let (first, first_here) = (rules.first_prisoners(), here.first_prisoners());
    Color::BOTH.map(|color| {
        let of = |prisoners: [u16; 2]| i32::from(prisoners[color.index()]);
        let under = of(first) + of(held) - of(first_here);
        under.clamp(0, u16::MAX.into()) as u16
    })
}

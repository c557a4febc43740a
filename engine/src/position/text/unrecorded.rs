//! What a position brings along to other rules although its own do not record it.

use super::read::Draft;
use crate::go::GoState;
use crate::history::Change;
use crate::position::state::{FamilyState, Position};
use crate::{Bitboard, Color, Rules, strings};

impl Position {
    /// Adds to the lines of this position what `rules` depend on and its own rules do not record:
    /// the prisoners that a game begins with there, and whether the last placement was an
    /// incursion.
    pub(super) fn add_unrecorded(&self, rules: &Rules, draft: &mut Draft) {
        let FamilyState::Go(state) = &self.family else { return };
        draft.prisoners = Some(prisoners_under(rules, self.rules(), state.prisoners));
        if rules.has_incursions() && !self.rules().has_incursions() {
            self.add_incursion(state, draft);
        }
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

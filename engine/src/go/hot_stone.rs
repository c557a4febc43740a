//! The Ing–Spight ko rule: ko plays, hot stones and odd cycles.

mod cycle;
mod plays;
mod stones;

use std::sync::Arc;

use super::candidates::Candidates;
use super::capture::Effect;
use crate::history::Change;
use crate::position::Common;
use crate::strings::liberties;
use crate::zobrist::Mixer;
use crate::{Bitboard, Point, Rules};
use plays::{OddCycle, OddCycles, Play, Plays};
use stones::Stones;

/// The hot stones, and the plays that the odd-cycle rule looks back on.
#[derive(Debug, Clone, Default)]
pub(crate) struct HotStones {
    stones: Stones,
    plays: Plays,
    completed: Option<Arc<OddCycles>>,
}

impl HotStones {
    pub(crate) fn stones(&self, rules: &Rules) -> Bitboard {
        self.stones.hot(rules)
    }

    pub(crate) fn set_stones(&mut self, stones: Bitboard) {
        self.stones = Stones::of(stones);
    }

    /// What each play of the game did, oldest first.
    pub(crate) fn changes(&self) -> Vec<Change> {
        self.plays.changes()
    }

    /// Odd cycles completed so far.
    pub(crate) fn count_odd_cycles(&self) -> usize {
        OddCycles::count(self.completed.as_deref())
    }

    /// A turn that is not a play cools every stone.
    pub(crate) fn cool(&mut self) {
        self.stones = Stones::default();
    }

    /// Completed odd cycles are determined by the plays, so the plays' key covers both.
    pub(crate) fn mix_into(&self, rules: &Rules, key: &mut Mixer) {
        key.add_board(&self.stones.hot(rules));
        key.add(self.plays.key());
    }

    /// Walks back from a play not yet made and returns the odd cycle that it would complete, if
    /// any.
    fn odd_cycle(&self, candidate: &Play) -> Option<OddCycle> {
        let is_used = |number| OddCycles::uses(self.completed.as_deref(), number);
        self.plays.odd_cycle(candidate, is_used)
    }
}

impl HotStones {
    /// The candidates that are ko plays capturing a hot stone.
    pub(crate) fn captures(&self, common: &Common, candidates: Candidates<'_>) -> Bitboard {
        let opposing = common.own_and_opposing()[1];
        let possibly_hot = self.stones.possibly_hot() & *opposing;
        if possibly_hot.is_empty() {
            return Bitboard::EMPTY;
        }
        let suspects = || {
            let empty = common.empty();
            possibly_hot
                .flood(opposing)
                .strings()
                .filter_map(|string| liberties(&string, &empty).single())
                .collect()
        };
        candidates.filter(common, suspects, |point, effect| {
            effect.captured.intersects(&possibly_hot)
                && effect.captured.intersects(&self.stones.hot(&common.rules))
                && is_ko_play(common, point, effect)
        })
    }

    /// The candidates that would complete an odd cycle of this game a second time.
    pub(crate) fn completed_cycles(&self, common: &Common, candidates: Candidates<'_>) -> Bitboard {
        let Some(completed) = &self.completed else { return Bitboard::EMPTY };
        // Only a play of a completed cycle can complete that cycle again.
        let points = completed.points(common.turn);
        let completes_again = |point, effect: &Effect| {
            points.contains(point)
                && may_end_cycle(common, point, effect)
                && self
                    .odd_cycle(&as_play(common, point, effect))
                    .is_some_and(|cycle| OddCycles::holds(Some(completed), &cycle))
        };
        candidates.filter(common, || *points, completes_again)
    }

    /// Records a play of the player to move, both for the hot stones and for the list that the
    /// odd-cycle rule looks back on. Call it before the play changes the stones.
    pub(crate) fn record(&mut self, common: &Common, point: Point, effect: &Effect) {
        self.stones.play(common, point, effect);
        self.record_play(common, point, effect);
    }

    /// Appends a play of the player to move to the list, with the odd cycle that it completes.
    pub(crate) fn record_play(&mut self, common: &Common, point: Point, effect: &Effect) {
        let play = as_play(common, point, effect);
        if may_end_cycle(common, point, effect)
            && let Some(cycle) = self.odd_cycle(&play)
        {
            let older = self.completed.take();
            self.completed = Some(Arc::new(OddCycles::new(cycle, older)));
        }
        self.plays.push(play);
    }
}

/// Whether a cycle could end with this play. The play adds a stone on `point`, so in a cycle an
/// earlier play must have removed a stone of that colour from it: the colour has already had a
/// stone on this point. A suicide adds no stone, so it may always end one.
fn may_end_cycle(common: &Common, point: Point, effect: &Effect) -> bool {
    common.ever_occupied[common.turn.index()].contains(point) || !effect.suicide.is_empty()
}

fn as_play(common: &Common, point: Point, effect: &Effect) -> Play {
    let stone = Bitboard::of(point);
    let own = (common.stones[common.turn.index()] | stone).without(&effect.suicide);
    Play::new(common.turn, point, &stone.flood(&own), effect)
}

fn is_ko_play(common: &Common, point: Point, effect: &Effect) -> bool {
    cycle::is_ko_play(
        &common.rules,
        &common.own_and_opposing().map(|stones| *stones),
        point,
        effect,
    )
}

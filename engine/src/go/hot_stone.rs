//! The Ing–Spight ko rule: ko plays, hot stones and odd cycles.

mod cycle;
mod plays;

use std::sync::Arc;

use crate::go::{self, Effect};
use crate::history::Change;
use crate::position::Common;
use crate::strings::{liberties, strings};
use crate::zobrist::Mixer;
use crate::{Bitboard, IllegalMove, Point};
use plays::{OddCycle, OddCycles, Play, Plays};

/// The hot stones, and the plays that the odd cycle rule looks back on.
#[derive(Debug, Clone, Default)]
pub(crate) struct HotStones {
    stones: Bitboard,
    plays: Plays,
    completed: Option<Arc<OddCycles>>,
}

impl HotStones {
    pub(crate) fn stones(&self) -> Bitboard {
        self.stones
    }

    pub(crate) fn set_stones(&mut self, stones: Bitboard) {
        self.stones = stones;
    }

    /// What each play of the game did, oldest first.
    pub(crate) fn changes(&self) -> Vec<Change> {
        self.plays.changes()
    }

    /// After a turn that is no play nothing is hot.
    pub(crate) fn cool(&mut self) {
        self.stones = Bitboard::EMPTY;
    }

    /// The odd cycles completed so far follow from the plays, so the plays' key stands for both.
    pub(crate) fn mix_into(&self, key: &mut Mixer) {
        key.add_board(&self.stones);
        key.add(self.plays.key());
    }

    /// Walks back from a play that is not made yet: the odd cycle that it completes, if any.
    fn odd_cycle(&self, candidate: &Play) -> Option<OddCycle> {
        let is_used = |number| OddCycles::uses(self.completed.as_deref(), number);
        self.plays.odd_cycle(candidate, is_used)
    }
}

impl HotStones {
    /// Of the `candidates`, playable by the other rules, the points that the ko rule or the odd cycle rule forbids.
    pub(crate) fn bans(&self, common: &Common, candidates: Bitboard) -> Bitboard {
        let mut suspects = Bitboard::EMPTY;
        let opposing = *common.own_and_opposing()[1];
        let hot = self.stones & opposing;
        if !hot.is_empty() {
            let empty = common.empty();
            suspects = strings(hot.flood(&opposing))
                .filter_map(|string| liberties(&string, &empty).single())
                .collect();
        }
        if let Some(cycles) = &self.completed {
            // Only a play of a completed cycle can complete that cycle again.
            suspects |= *cycles.points(common.turn);
        }
        (suspects & candidates)
            .iter()
            .filter(|&point| self.forbids(common, point, &go::effect(common, point)).is_some())
            .collect()
    }

    /// Which of the two rules forbids a placement with this effect, legal by Go capture, if any.
    pub(crate) fn forbids(
        &self,
        common: &Common,
        point: Point,
        effect: &Effect,
    ) -> Option<IllegalMove> {
        if effect.captured.meets(&self.stones) && is_ko_play(common, point, effect) {
            return Some(IllegalMove::HotStone);
        }
        let completed = self.completed.as_deref()?;
        if !completed.points(common.turn).contains(point) || !may_end_cycle(common, point, effect) {
            return None;
        }
        let cycle = self.odd_cycle(&as_play(common, point, effect))?;
        OddCycles::holds(Some(completed), &cycle).then_some(IllegalMove::OddCycle)
    }

    /// Makes a play of the player to move hot or not, and enters it into the list that the odd cycle rule looks back
    /// on. To be called while the stones still stand as before the play.
    pub(crate) fn record(&mut self, common: &Common, point: Point, effect: &Effect) {
        self.stones = if is_ko_play(common, point, effect) {
            (self.stones | Bitboard::of(point)).without(&(effect.captured | effect.suicide))
        } else {
            Bitboard::EMPTY
        };
        self.remember(common, point, effect);
    }

    /// Enters a play of the player to move into the list, and the odd cycle that it completes.
    pub(crate) fn remember(&mut self, common: &Common, point: Point, effect: &Effect) {
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

/// Whether a cycle could end with this play. Its effect adds a stone on `point`, so an earlier play must have removed
/// one of the same colour there: the colour has had a stone on that empty point. A suicide adds none.
fn may_end_cycle(common: &Common, point: Point, effect: &Effect) -> bool {
    common.had[common.turn.index()].contains(point) || !effect.suicide.is_empty()
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

//! The Ing–Spight ko rule: ko plays, hot stones and odd cycles.

mod cycle;
mod plays;

use std::sync::Arc;

use crate::go::Effect;
use crate::position::Position;
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

impl Position {
    /// Of the `candidates`, playable by the other rules, the points that the ko rule or the odd cycle rule forbids.
    pub(crate) fn hot_stone_bans(&self, candidates: Bitboard) -> Bitboard {
        let mut suspects = Bitboard::EMPTY;
        let opposing = self.stones[self.turn.opponent().index()];
        let hot = self.hot.stones & opposing;
        if !hot.is_empty() {
            let empty = self.empty();
            suspects = strings(hot.flood(&opposing))
                .filter_map(|string| liberties(&string, &empty).single())
                .collect();
        }
        if let Some(cycles) = &self.hot.completed {
            // Only a play of a completed cycle can complete that cycle again.
            suspects |= *cycles.points(self.turn);
        }
        (suspects & candidates)
            .iter()
            .filter(|&point| self.hot_stone_forbids(point, &self.effect(point)).is_some())
            .collect()
    }

    /// Which of the two rules forbids a placement with this effect, legal by Go capture, if any.
    pub(crate) fn hot_stone_forbids(&self, point: Point, effect: &Effect) -> Option<IllegalMove> {
        if effect.captured.meets(&self.hot.stones) && self.is_ko_play(point, effect) {
            return Some(IllegalMove::HotStone);
        }
        let completed = self.hot.completed.as_deref()?;
        if !completed.points(self.turn).contains(point) || !self.may_end_cycle(point, effect) {
            return None;
        }
        let cycle = self.hot.odd_cycle(&self.as_play(point, effect))?;
        OddCycles::holds(Some(completed), &cycle).then_some(IllegalMove::OddCycle)
    }

    /// Makes a play of the player to move hot or not, and enters it into the list that the odd cycle rule looks back
    /// on. To be called while the stones still stand as before the play.
    pub(crate) fn hot_stone_record(&mut self, point: Point, effect: &Effect) {
        self.hot.stones = if self.is_ko_play(point, effect) {
            (self.hot.stones | Bitboard::of(point)).without(&(effect.captured | effect.suicide))
        } else {
            Bitboard::EMPTY
        };
        let play = self.as_play(point, effect);
        if self.may_end_cycle(point, effect)
            && let Some(cycle) = self.hot.odd_cycle(&play)
        {
            let older = self.hot.completed.take();
            self.hot.completed = Some(Arc::new(OddCycles::new(cycle, older)));
        }
        self.hot.plays.push(play);
    }

    /// Whether a cycle could end with this play. Its effect adds a stone on `point`, so an earlier play must have
    /// removed one of the same colour there: the colour has had a stone on that empty point. A suicide adds none.
    fn may_end_cycle(&self, point: Point, effect: &Effect) -> bool {
        self.had[self.turn.index()].contains(point) || !effect.suicide.is_empty()
    }

    fn as_play(&self, point: Point, effect: &Effect) -> Play {
        let stone = Bitboard::of(point);
        let own = (self.stones[self.turn.index()] | stone).without(&effect.suicide);
        Play::new(self.turn, point, &stone.flood(&own), effect)
    }

    fn is_ko_play(&self, point: Point, effect: &Effect) -> bool {
        let stones = [self.turn, self.turn.opponent()].map(|color| self.stones[color.index()]);
        cycle::is_ko_play(&self.rules, &stones, point, effect)
    }
}

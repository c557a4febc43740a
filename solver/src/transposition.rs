//! The transposition table.

use engine::Move;

use crate::evidence::{Evidence, Path};
use crate::state::Limits;

/// Number of slots in which a result may be stored: the associativity of the table.
const WAYS: usize = 8;

/// Initial capacity of a table; most questions need little.
const INITIAL_SLOTS: usize = 1 << 12;

/// Maximum capacity of a table: with 64-bit addresses 2⁴⁰ slots, more than any machine has memory
/// for; with the 32-bit ones of WebAssembly 2²⁰, about 100 MB.
const MAX_SLOTS: usize = 1_usize << (usize::BITS / 8 * 5);

/// The answer to "is the value at least the target?", or that the depth did not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Answer {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Not known.
    #[default]
    Open,
}

/// A question at a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) key: u128,
    pub(super) target: i32,
    pub(super) turns: u16,
    pub(super) depth: u16,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    key: u128,
    /// The part of the history on which the evidence depends.
    fingerprint: u128,
    evidence: Evidence,
    target: i32,
    turns: u16,
    depth: u16,
    answer: Answer,
    best: Option<Move>,
    used: bool,
}

impl Slot {
    /// Whether the result holds on this path.
    fn holds(&self, question: &Question, path: &Path, limits: &Limits) -> bool {
        let in_time = if self.evidence.limit {
            self.turns == question.turns
        } else {
            usize::from(question.turns) + usize::from(self.evidence.height) <= limits.max_moves
        };
        in_time && path.fingerprint(&self.evidence) == self.fingerprint
    }

    /// Whether an equally deep search has failed here before, in this round of deepening. Histories
    /// are not compared: a wrong guess costs a round, and the last round, which searches to the end
    /// of every game, does not guess.
    fn was_open(&self, question: &Question, limits: &Limits) -> bool {
        self.target == question.target
            && self.turns == question.turns
            && self.depth >= question.depth
            && usize::from(question.turns) + usize::from(question.depth) < limits.max_moves
    }
}

/// A table of results. It grows as it fills; at its limit, the cheapest results are replaced.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    slots: Vec<Slot>,
    filled: usize,
    results: usize,
}

/// The stored answers to a question.
#[derive(Debug, Default)]
pub(super) struct StoredAnswer {
    pub(super) answer: Option<(Answer, Evidence)>,
    pub(super) best: Option<Move>,
}

impl TranspositionTable {
    pub(super) fn new(results: usize) -> TranspositionTable {
        TranspositionTable {
            slots: Vec::new(),
            filled: 0,
            results: results.clamp(INITIAL_SLOTS, MAX_SLOTS).next_power_of_two(),
        }
    }

    pub(super) fn look_up(
        &self,
        question: &Question,
        path: &Path,
        limits: &Limits,
    ) -> StoredAnswer {
        let mut stored = StoredAnswer::default();
        for slot in self.slots.get(self.places(question.key)).unwrap_or_default() {
            if !slot.used || slot.key != question.key {
                continue;
            }
            stored.best = stored.best.or(slot.best);
            let fits = match slot.answer {
                Answer::Yes => slot.target >= question.target && slot.holds(question, path, limits),
                Answer::No => slot.target <= question.target && slot.holds(question, path, limits),
                Answer::Open => slot.was_open(question, limits),
            };
            if fits {
                stored.answer = Some((slot.answer, slot.evidence));
                if slot.answer != Answer::Open {
                    break;
                }
            }
        }
        stored
    }

    pub(super) fn store(
        &mut self,
        question: &Question,
        answer: Answer,
        evidence: &Evidence,
        path: &Path,
        best: Option<Move>,
    ) {
        if 2 * self.filled >= self.slots.len() && self.slots.len() < self.results {
            self.grow();
        }
        self.place(Slot {
            key: question.key,
            fingerprint: path.fingerprint(evidence),
            evidence: *evidence,
            target: question.target,
            turns: question.turns,
            depth: question.depth,
            answer,
            best,
            used: true,
        });
    }

    fn grow(&mut self) {
        let larger = (2 * self.slots.len()).max(INITIAL_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); larger]);
        self.filled = 0;
        old.into_iter().filter(|slot| slot.used).for_each(|slot| self.place(slot));
    }

    fn place(&mut self, new: Slot) {
        let places = self.places(new.key);
        let worth = |slot: &Slot| match (slot.used, slot.answer) {
            (false, _) => (0, 0),
            (true, Answer::Open) if slot.key == new.key => (1, 0),
            (true, Answer::Open) => (2, slot.depth),
            (true, Answer::Yes | Answer::No) => (3, slot.evidence.height),
        };
        if let Some(slot) = self.slots[places].iter_mut().min_by_key(|slot| worth(slot)) {
            self.filled += usize::from(!slot.used);
            *slot = new;
        }
    }

    fn places(&self, key: u128) -> std::ops::Range<usize> {
        let last = self.slots.len().max(WAYS) - WAYS;
        let first = key as usize & last & !(WAYS - 1);
        first..first + WAYS
    }
}

//! Is a play a ko play? A depth-first search for a cycle that begins with it.
//!
//! Below, *mover* is the player of the first play and *other* the opponent, who makes the last. *Left* is the number
//! of plays that a cycle of the greatest length has left. Every bound grows with it, so whatever is pruned for the
//! greatest length is not a cycle of a smaller length either.

use arrayvec::ArrayVec;

use super::plays::sum;
use crate::go::Effect;
use crate::strings::{liberties, strings};
use crate::zobrist;
use crate::{Bitboard, Color, Point, Rules};

/// The largest `max_cycle`.
const LONGEST: usize = 10;

/// Stones of the mover and of the other.
type Stones = [Bitboard; 2];

const MOVER: usize = 0;
const OTHER: usize = 1;

/// Whether a play on `point` with this effect, legal by Go capture, begins a cycle.
pub(super) fn is_ko_play(rules: &Rules, start: &Stones, point: Point, effect: &Effect) -> bool {
    // The mover loses as many stones as plays are the mover's, among them this one with its string.
    if !rules.suicide && outgrows(point, &start[MOVER], usize::from(rules.max_cycle) / 2) {
        return false;
    }
    let board = rules.size.board();
    let mut search = Search {
        start: *start,
        counts: start.map(|stones| stones.count()),
        board,
        suicide: rules.suicide,
        longest: rules.max_cycle.into(),
        effects: ArrayVec::new(),
        passed: ArrayVec::new(),
    };
    let after = search.after(start, MOVER, point, effect);
    search.effects.push(effect_sum(MOVER, point, effect));
    search.returns(&after, search.longest - 1)
}

/// The stones' keys that a play adds, minus those that it removes: zero, summed over several plays, iff they have no
/// net effect (128 random bits a stone).
fn effect_sum(side: usize, point: Point, effect: &Effect) -> u128 {
    let [own, opposing] = [Color::BOTH[side], Color::BOTH[1 - side]];
    zobrist::stone(own, point)
        .wrapping_sub(sum(opposing, &effect.captured))
        .wrapping_sub(sum(own, &effect.suicide))
}

struct Search {
    start: Stones,
    counts: [usize; 2],
    board: Bitboard,
    suicide: bool,
    longest: usize,
    /// Of the plays made, the first one included.
    effects: ArrayVec<u128, LONGEST>,
    /// The stones after each play made.
    passed: ArrayVec<Stones, LONGEST>,
}

/// What has to happen before the stones of the start can stand again.
struct Task {
    /// Points that are empty now and on which a stone must be put.
    fill: Bitboard,
    /// Plays that may go elsewhere.
    spare: usize,
}

impl Search {
    fn after(&self, stones: &Stones, side: usize, point: Point, effect: &Effect) -> Stones {
        let mut after = *stones;
        after[side] = (after[side] | Bitboard::of(point)).without(&effect.suicide);
        after[1 - side] = after[1 - side].without(&effect.captured);
        after
    }

    /// Whether some plays lead from `stones` back to the start, in all an even number without an odd cycle.
    fn returns(&mut self, stones: &Stones, left: usize) -> bool {
        let side = (self.longest - left) % 2;
        if *stones == self.start {
            // A longer cycle would hold all these plays as a subset, so whatever is wrong with them is wrong with it.
            return side == MOVER && !self.holds_odd_cycle();
        }
        // Plays between two visits of the same stones have no net effect. An odd number is an odd cycle inside; an
        // even number can be left out, which leaves a shorter cycle that is found without this visit.
        if left == 0 || self.passed.contains(stones) {
            return false;
        }
        let Some(task) = self.task(stones, left) else {
            return false;
        };
        self.passed.push(*stones);
        let found = self.continues(stones, left, side, &task);
        self.passed.pop();
        found
    }

    fn continues(&mut self, stones: &Stones, left: usize, side: usize, task: &Task) -> bool {
        let [own, opposing] = [stones[side], stones[1 - side]];
        let empty = self.board.without(&(own | opposing));
        let missing = self.start[side].without(&own);
        // Replacing a missing stone first finds the common ko at once.
        let others = if missing.count() == left.div_ceil(2) {
            // Each missing stone takes one play, and this side has no plays to spare.
            Bitboard::EMPTY
        } else {
            self.worthwhile(&empty, &opposing, task).without(&missing)
        };
        let quiet = task.fill | few_outside(&empty, &task.fill, task.spare);
        let losses = (own.count() + left.div_ceil(2)).saturating_sub(self.counts[side]);
        // The opponent may stand on a missing stone's point, and has to be removed from it first.
        for point in (missing & empty).iter().chain(others.iter()) {
            // A stone too many falls with its whole string.
            if !self.suicide && !missing.contains(point) && outgrows(point, &own, losses) {
                continue;
            }
            let effect = Effect::of(point, &own, &opposing, &empty);
            if effect.suicide_error(self.suicide).is_some() {
                continue;
            }
            // Points were let through because they may capture; this one does not.
            let useless = effect.captured_strings == 0 && effect.suicide.is_empty();
            if useless && !quiet.contains(point) && !missing.contains(point) {
                continue;
            }
            self.effects.push(effect_sum(side, point, &effect));
            let after = self.after(stones, side, point, &effect);
            let found = self.returns(&after, left - 1);
            self.effects.pop();
            if found {
                return true;
            }
        }
        false
    }

    /// The empty points on which a stone may help.
    ///
    /// A stone that fills no point of the task uses up a spare play. If it neither captures nor is a suicide, then it
    /// is itself to be removed, so that its liberties join the task: no more of them than spare plays after it.
    fn worthwhile(&self, empty: &Bitboard, opposing: &Bitboard, task: &Task) -> Bitboard {
        let fill = task.fill & *empty;
        if task.spare == 0 {
            return fill;
        }
        if self.suicide {
            return *empty;
        }
        // A stone next to two empty points is not captured by filling one.
        let capturable = opposing.without(&empty.next_to(2));
        fill | (capturable.neighbours() & *empty) | few_outside(empty, &task.fill, task.spare)
    }

    /// What is left to do, or `None` if it cannot be done.
    ///
    /// - A stone that is missing takes a play of its colour on its point.
    /// - A stone too many must be removed, and with it all its string. So each present liberty of a string with a
    ///   stone too many (*doomed*) must be filled at some time.
    /// - All these points are empty now and different, so they take as many plays. Unless suicide is allowed, the
    ///   last play's stone stays, so it goes on a point where the other had a stone at the start: if none of these is
    ///   empty now, the last play fills no point of the task.
    /// - Until the end a colour loses as many stones as it has now, plus its plays, minus its stones at the start: no
    ///   fewer than are doomed now.
    fn task(&self, stones: &Stones, left: usize) -> Option<Task> {
        let mover_left = left / 2;
        let plays = [mover_left, left - mover_left];
        let empty = self.board.without(&(stones[MOVER] | stones[OTHER]));
        let missing = [0, 1].map(|side| self.start[side].without(&stones[side]));
        let mut fill = missing[MOVER] | missing[OTHER];
        for side in [MOVER, OTHER] {
            if missing[side].count() > plays[side] {
                return None;
            }
            let extra = stones[side].without(&self.start[side]);
            if extra.is_empty() {
                continue;
            }
            let doomed = extra.flood(&stones[side]);
            let losses = (stones[side].count() + plays[side]).checked_sub(self.counts[side])?;
            if doomed.count() > losses {
                return None;
            }
            if !self.suicide {
                let removable = match side {
                    MOVER => self.mover_removable(&doomed, &empty, &missing[OTHER], left, losses),
                    // The mover's last play is the last but one.
                    _ => liberties(&doomed, &empty).count() < left,
                };
                if !removable {
                    return None;
                }
            }
            fill |= liberties(&doomed, &empty);
        }
        let last_elsewhere = !self.suicide && missing[OTHER].is_empty();
        let spare = left.checked_sub(fill.count() + usize::from(last_elsewhere))?;
        // Only the last play may be on a missing stone's point, so the others are filled by the earlier plays.
        let earlier = fill.without(&missing[OTHER]).count();
        if !self.suicide && earlier >= left {
            return None;
        }
        let task = Task { fill, spare };
        (!last_elsewhere || self.other_can_lose(&stones[OTHER], &empty, &task, left))
            .then_some(task)
    }

    /// Whether the mover can capture a stone that the other had at the start; without suicide, and while none of
    /// these is missing. The last play has to put such a stone back.
    ///
    /// It falls with its string, before the last play. Until then the string only grows, and its present liberties
    /// are filled by the same plays as the rest of the task. With the string fall, sooner or later, all stones that
    /// the other has too many, among them the one that a play of the other adds now.
    fn other_can_lose(
        &self,
        stones: &Bitboard,
        empty: &Bitboard,
        task: &Task,
        left: usize,
    ) -> bool {
        let extra = stones.without(&self.start[OTHER]);
        let added = left % 2;
        // The other has as many stones as at the start, plus the extra ones: that many are lost, plus one a play.
        let losses = extra.count() + left.div_ceil(2);
        strings(*stones).any(|string| {
            (string | extra).count() + added <= losses
                && liberties(&string, empty).without(&task.fill).count() <= task.spare
                && string.meets(&self.start[OTHER])
        })
    }

    /// Whether the other can remove all the mover's doomed strings; without suicide.
    ///
    /// Take the capture of one such string, of `size` stones now. If a stone of the other then stands on one of its
    /// present liberties where none stood at the start, the mover must capture that stone later, so the string
    /// falls at the third last play or before: two plays fewer can fill its liberties, one of each player, and the
    /// mover's fillers fall with the string, in all at most `losses` stones. Otherwise the mover fills all the
    /// liberties that are not missing stones' points, and loses them with the string.
    fn mover_removable(
        &self,
        doomed: &Bitboard,
        empty: &Bitboard,
        missing_other: &Bitboard,
        left: usize,
        losses: usize,
    ) -> bool {
        let mover_left = left / 2;
        let other_left = left - mover_left;
        strings(*doomed).all(|string| {
            let libs = liberties(&string, empty);
            let fillers = losses - string.count();
            let early = other_left.saturating_sub(1) + fillers.min(mover_left.saturating_sub(1));
            libs.count() <= early
                || (libs.count() <= left
                    && libs.without(missing_other).count() <= fillers.min(mover_left))
        })
    }

    /// Whether some odd number of the plays, which together have no net effect, has none either.
    fn holds_odd_cycle(&self) -> bool {
        let Some((&first, rest)) = self.effects.split_first() else {
            return false;
        };
        // What an odd subset leaves is an odd subset without net effect too, so look at those with the first play.
        (0..1_u32 << rest.len()).filter(|subset| subset.count_ones() % 2 == 0).any(|subset| {
            let chosen = rest.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
            chosen.fold(first, |sum, (_, &effect)| sum.wrapping_add(effect)) == 0
        })
    }
}

/// Whether a stone on `point` belongs to a string of more than `limit` stones.
fn outgrows(point: Point, own: &Bitboard, limit: usize) -> bool {
    let mut string = Bitboard::of(point);
    let own = *own | string;
    // Every step adds a stone until the string is complete.
    for _ in 0..limit {
        string = (string | string.neighbours()) & own;
    }
    string.count() > limit
}

/// The empty points outside `fill` with fewer than `limit` empty neighbours outside `fill`.
fn few_outside(empty: &Bitboard, fill: &Bitboard, limit: usize) -> Bitboard {
    let open = empty.without(fill);
    open.without(&open.next_to(limit))
}

#[cfg(test)]
mod tests;

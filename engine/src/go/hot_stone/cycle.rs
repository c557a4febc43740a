//! Decides whether a play is a ko play, by a depth-first search for a cycle that begins with it.
//!
//! Below, *mover* is the player of the first play and *other* the opponent, who makes the last one.
//! *Left* is the number of plays that remain in a cycle of the maximum length. Every bound grows
//! with it, so whatever is pruned for the maximum length cannot be part of a shorter cycle either.

use arrayvec::ArrayVec;

use super::plays::sum;
use crate::go::Effect;
use crate::strings::liberties;
use crate::zobrist;
use crate::{Bitboard, Color, Point, Rules};

/// The largest `max_cycle`.
const MAX_PLAYS: usize = 10;

/// The stones of the mover and of the other.
type Stones = [Bitboard; 2];

const MOVER: usize = 0;
const OTHER: usize = 1;

/// Whether a play on `point` with this effect, legal by Go capture, begins a cycle.
pub(super) fn is_ko_play(rules: &Rules, start: &Stones, point: Point, effect: &Effect) -> bool {
    // The mover loses as many stones as the mover makes plays, including this one with its string.
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

/// The sum of the keys of the stones that a play adds, minus those of the stones that it removes.
/// Summed over several plays it is zero if and only if they have no net effect (with 128 random
/// bits per stone).
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
    /// The effect sums of the plays made so far, including the first.
    effects: ArrayVec<u128, MAX_PLAYS>,
    /// The stones after each play made.
    passed: ArrayVec<Stones, MAX_PLAYS>,
}

/// What must happen before the starting stones can stand again.
struct Task {
    /// Empty points that must be filled with a stone.
    fill: Bitboard,
    /// Plays that are free to go elsewhere.
    spare: usize,
}

impl Search {
    fn after(&self, stones: &Stones, side: usize, point: Point, effect: &Effect) -> Stones {
        let mut after = *stones;
        after[side] = (after[side] | Bitboard::of(point)).without(&effect.suicide);
        after[1 - side] = after[1 - side].without(&effect.captured);
        after
    }

    /// Whether some plays lead from `stones` back to the start, with an even total number and no
    /// odd cycle.
    fn returns(&mut self, stones: &Stones, left: usize) -> bool {
        let side = (self.longest - left) % 2;
        if *stones == self.start {
            // A longer cycle would contain all these plays, so whatever rules them out rules it out
            // too.
            return side == MOVER && !self.holds_odd_cycle();
        }
        // Plays between two occurrences of the same stones have no net effect. An odd number of
        // them is an odd cycle inside; an even number can be left out, which gives a shorter cycle
        // that is found on another path.
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
        // Trying missing stones first finds common kos immediately.
        let others = if missing.count() == left.div_ceil(2) {
            // Each missing stone takes one play, and this side has none to spare.
            Bitboard::EMPTY
        } else {
            self.worthwhile(&empty, &opposing, task).without(&missing)
        };
        let quiet = task.fill | few_outside(&empty, &task.fill, task.spare);
        let losses = (own.count() + left.div_ceil(2)).saturating_sub(self.counts[side]);
        // An opposing stone may occupy a missing stone's point and must be removed first.
        for point in (missing & empty).iter().chain(others.iter()) {
            // An extra stone is removed together with its whole string.
            if !self.suicide && !missing.contains(point) && outgrows(point, &own, losses) {
                continue;
            }
            let effect = Effect::of(point, &own, &opposing, &empty);
            if effect.suicide_error(self.suicide).is_some() {
                continue;
            }
            // These points were let through because they might capture; this one does not.
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

    /// The empty points where a stone might help.
    ///
    /// A stone that fills no point of the task uses up a spare play. If it neither captures nor is
    /// a suicide, it must itself be removed later, which adds its liberties to the task: there can
    /// be no more of them than spare plays after it.
    fn worthwhile(&self, empty: &Bitboard, opposing: &Bitboard, task: &Task) -> Bitboard {
        let fill = task.fill & *empty;
        if task.spare == 0 {
            return fill;
        }
        if self.suicide {
            return *empty;
        }
        // A stone with two empty neighbours cannot be captured by filling one.
        let capturable = opposing.without(&empty.next_to(2));
        fill | (capturable.neighbours() & *empty) | few_outside(empty, &task.fill, task.spare)
    }

    /// What remains to be done, or `None` if it cannot be done.
    ///
    /// - A missing stone takes a play of its colour on its point.
    /// - An extra stone must be removed together with its whole string. So every current liberty of
    ///   a string containing an extra stone (a *doomed* string) must be filled at some point.
    /// - All these points are distinct and currently empty, so they take one play each. Unless
    ///   suicide is allowed, the last play's stone stays, so it goes on a point where the other had
    ///   a stone at the start: if none of these is empty now, the last play fills no point of the
    ///   task.
    /// - By the end, a colour loses as many stones as it has now, plus its plays, minus its stones
    ///   at the start: at least as many as are doomed now.
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
                    // The mover's last play is the second to last.
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
        // Only the last play may be on a missing stone's point, so the earlier plays must fill the
        // others.
        let earlier = fill.without(&missing[OTHER]).count();
        if !self.suicide && earlier >= left {
            return None;
        }
        let task = Task { fill, spare };
        (!last_elsewhere || self.other_can_lose(&stones[OTHER], &empty, &task, left))
            .then_some(task)
    }

    /// Whether the mover can capture a stone that the other had at the start; used when suicide is
    /// not allowed and none of these stones is missing. The last play has to put such a stone back.
    ///
    /// The stone is captured with its string, before the last play. Until then the string only
    /// grows, and its current liberties are filled by the same plays as the rest of the task.
    /// Sooner or later all of the other's extra stones are captured along with it, including the
    /// one that a play by the other adds now.
    fn other_can_lose(
        &self,
        stones: &Bitboard,
        empty: &Bitboard,
        task: &Task,
        left: usize,
    ) -> bool {
        let extra = stones.without(&self.start[OTHER]);
        let added = left % 2;
        // The other has its starting stones plus the extra ones: it loses that many, plus one per
        // play.
        let losses = extra.count() + left.div_ceil(2);
        stones.strings().any(|string| {
            (string | extra).count() + added <= losses
                && liberties(&string, empty).without(&task.fill).count() <= task.spare
                && string.intersects(&self.start[OTHER])
        })
    }

    /// Whether the other can remove all of the mover's doomed strings; used when suicide is not
    /// allowed.
    ///
    /// Consider the capture of one such string, of `size` stones now. If the other then has a stone
    /// on one of its current liberties where none stood at the start, the mover must capture that
    /// stone later, so the string is captured at the third-last play or before: its liberties must
    /// be filled with two plays fewer, one of each player, and the mover's fillers are captured
    /// with the string, in total at most `losses` stones. Otherwise the mover fills all the
    /// liberties that are not points of missing stones, and loses those fillers with the string.
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
        doomed.strings().all(|string| {
            let libs = liberties(&string, empty);
            let fillers = losses - string.count();
            let early = other_left.saturating_sub(1) + fillers.min(mover_left.saturating_sub(1));
            libs.count() <= early
                || (libs.count() <= left
                    && libs.without(missing_other).count() <= fillers.min(mover_left))
        })
    }

    /// Whether some odd number of the plays, which together have no net effect, has none on its own
    /// either.
    fn holds_odd_cycle(&self) -> bool {
        let Some((&first, rest)) = self.effects.split_first() else {
            return false;
        };
        // The complement of such a subset is odd and has no net effect either, so checking the
        // subsets that contain the first play is enough.
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

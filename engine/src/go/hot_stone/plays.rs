//! The plays of a game, and the odd cycles found by walking back through them.

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::go::Effect;
use crate::history::Change;
use crate::zobrist;
use crate::{Bitboard, Color, Point};

/// Plays in the longest odd cycle: the walk back stops at the tenth play.
const MAX_PLAYS: usize = 9;

const CHUNK: usize = 8;

/// A placement with its removals.
#[derive(Debug, Clone)]
pub(super) struct Play {
    player: Color,
    point: Point,
    /// The placed point and the points of the removed stones.
    touched: Bitboard,
    is_suicide: bool,
    /// Sums to zero over plays that have no net effect together and, with 128 random bits per
    /// stone, over no others.
    effect: u128,
    /// Equal only for plays that are the "same".
    same: u128,
}

impl Play {
    /// A play; `string` is the placed stone's string after it.
    pub(super) fn new(player: Color, point: Point, string: &Bitboard, effect: &Effect) -> Play {
        let [string, suicide] = [string, &effect.suicide].map(|set| sum(player, set));
        let captured = sum(player.opponent(), &effect.captured);
        let stone = zobrist::stone(player, point);
        Play {
            player,
            point,
            touched: Bitboard::of(point) | effect.captured | effect.suicide,
            is_suicide: !effect.suicide.is_empty(),
            effect: stone.wrapping_sub(captured).wrapping_sub(suicide),
            // No two different plays weight every stone's key equally, so their sums differ like
            // random numbers.
            same: stone
                .wrapping_mul(7)
                .wrapping_add(string.wrapping_mul(3))
                .wrapping_add(captured.wrapping_mul(5))
                .wrapping_add(suicide.wrapping_mul(11)),
        }
    }
}

impl Play {
    fn change(&self) -> Change {
        let mut removed = [Bitboard::EMPTY; 2];
        if self.is_suicide {
            removed[self.player.index()] = self.touched;
        } else {
            removed[self.player.opponent().index()] =
                self.touched.without(&Bitboard::of(self.point));
        }
        Change { placed: Some((self.player, self.point)), removed }
    }
}

/// The sum of the keys of a set of stones.
pub(super) fn sum(color: Color, set: &Bitboard) -> u128 {
    set.iter().fold(0, |sum, point| sum.wrapping_add(zobrist::stone(color, point)))
}

/// The plays of a game, oldest first; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Plays {
    newest: Option<Arc<Chunk>>,
    length: u32,
    key: u64,
}

#[derive(Debug, Clone)]
struct Chunk {
    older: Option<Arc<Chunk>>,
    plays: ArrayVec<Play, CHUNK>,
}

impl Plays {
    /// A key of all plays in order.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    pub(super) fn push(&mut self, play: Play) {
        self.key = zobrist::mix(self.key ^ play.same as u64);
        self.length += 1;
        match &mut self.newest {
            Some(chunk) if !chunk.plays.is_full() => Arc::make_mut(chunk).plays.push(play),
            newest => {
                let mut plays = ArrayVec::new();
                plays.push(play);
                *newest = Some(Arc::new(Chunk { older: newest.take(), plays }));
            }
        }
    }

    /// What each play did, oldest first.
    pub(super) fn changes(&self) -> Vec<Change> {
        let mut changes: Vec<Change> = self.iter().map(|(_, play)| play.change()).collect();
        changes.reverse();
        changes
    }

    /// All plays with their numbers, newest first.
    fn iter(&self) -> impl Iterator<Item = (u32, &Play)> {
        let mut chunk = self.newest.as_deref();
        let mut plays: &[Play] = &[];
        let mut number = self.length;
        std::iter::from_fn(move || {
            if plays.is_empty() {
                let next = chunk?;
                chunk = next.older.as_deref();
                plays = &next.plays;
            }
            let (play, rest) = plays.split_last()?;
            plays = rest;
            number -= 1;
            Some((number, play))
        })
    }

    /// Walks back from a `candidate` for the next play and returns the odd cycle that it would
    /// complete, if any.
    pub(super) fn odd_cycle(
        &self,
        candidate: &Play,
        is_used: impl Fn(u32) -> bool,
    ) -> Option<OddCycle> {
        let mut taken: ArrayVec<(u32, &Play), MAX_PLAYS> = ArrayVec::new();
        taken.push((self.length, candidate));
        let mut touched = candidate.touched;
        let mut effect = candidate.effect;
        for (number, play) in self.iter() {
            if !play.touched.intersects(&touched) {
                continue;
            }
            if is_used(number) || taken.is_full() {
                return None;
            }
            touched |= play.touched;
            effect = effect.wrapping_add(play.effect);
            taken.push((number, play));
            if effect == 0 {
                return (taken.len() % 2 == 1).then(|| OddCycle::new(&taken));
            }
        }
        None
    }
}

/// An odd number of plays with no net effect.
#[derive(Debug)]
pub(super) struct OddCycle {
    /// The "same" keys, sorted and without duplicates.
    plays: ArrayVec<u128, MAX_PLAYS>,
    /// The numbers of the plays in the game.
    numbers: ArrayVec<u32, MAX_PLAYS>,
    points: [Bitboard; 2],
}

impl OddCycle {
    fn new(taken: &[(u32, &Play)]) -> OddCycle {
        let mut same: ArrayVec<u128, MAX_PLAYS> = taken.iter().map(|(_, play)| play.same).collect();
        same.sort_unstable();
        let mut plays = ArrayVec::<u128, MAX_PLAYS>::new();
        for key in same {
            if plays.last() != Some(&key) {
                plays.push(key);
            }
        }
        let mut points = [Bitboard::EMPTY; 2];
        for (_, play) in taken {
            points[play.player.index()].insert(play.point);
        }
        OddCycle { plays, numbers: taken.iter().map(|&(number, _)| number).collect(), points }
    }
}

/// The odd cycles completed in a game, newest first.
#[derive(Debug)]
pub(super) struct OddCycles {
    cycle: OddCycle,
    /// The points of the plays of this and all older cycles, by player.
    points: [Bitboard; 2],
    older: Option<Arc<OddCycles>>,
}

impl OddCycles {
    pub(super) fn new(cycle: OddCycle, older: Option<Arc<OddCycles>>) -> OddCycles {
        let mut points = cycle.points;
        if let Some(older) = &older {
            points[0] |= older.points[0];
            points[1] |= older.points[1];
        }
        OddCycles { cycle, points, older }
    }

    /// The points where `player` made a play of any of the cycles.
    pub(super) fn points(&self, player: Color) -> &Bitboard {
        &self.points[player.index()]
    }

    fn iter(newest: Option<&OddCycles>) -> impl Iterator<Item = &OddCycle> {
        std::iter::successors(newest, |cycles| cycles.older.as_deref()).map(|cycles| &cycles.cycle)
    }

    pub(super) fn count(newest: Option<&OddCycles>) -> usize {
        OddCycles::iter(newest).count()
    }

    /// Whether the play with this number already belongs to a completed cycle.
    pub(super) fn uses(newest: Option<&OddCycles>, number: u32) -> bool {
        OddCycles::iter(newest).any(|cycle| cycle.numbers.contains(&number))
    }

    /// Whether the same set of plays has been completed before.
    pub(super) fn holds(newest: Option<&OddCycles>, cycle: &OddCycle) -> bool {
        OddCycles::iter(newest).any(|old| old.plays == cycle.plays)
    }
}

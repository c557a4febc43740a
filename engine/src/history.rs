//! The stone positions of a game so far, cheap to clone and to extend.

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::{Bitboard, Color, Point};

const CHUNK: usize = 8;

/// Words of the filter that recognises most new keys immediately: 14 in 15 of them at 150 turns.
const FILTER: usize = 32;

/// What a turn did to the stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// The stone placed; `None` for a pass and for the start of the game.
    pub(crate) placed: Option<(Color, Point)>,
    /// The stones removed of each colour. After suicide the placed stone is one of them.
    pub(crate) removed: [Bitboard; 2],
}

impl Change {
    /// No change.
    pub(crate) const NONE: Change = Change { placed: None, removed: [Bitboard::EMPTY; 2] };

    /// Applies the change to `stones`.
    pub(crate) fn make(&self, stones: &mut [Bitboard; 2]) {
        if let Some((color, point)) = self.placed {
            stones[color.index()].insert(point);
        }
        for (stones, removed) in stones.iter_mut().zip(&self.removed) {
            *stones = stones.without(removed);
        }
    }

    /// Undoes the change in `stones`.
    pub(crate) fn take_back(&self, stones: &mut [Bitboard; 2]) {
        for (stones, removed) in stones.iter_mut().zip(&self.removed) {
            *stones |= *removed;
        }
        if let Some((color, point)) = self.placed {
            stones[color.index()].remove(point);
        }
    }
}

/// One 128-bit key per turn, oldest first and including the start, and what each turn did. Clones
/// share all full chunks, so that a search can clone a position at every leaf of a long game.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    filter: [u64; FILTER],
    older: Option<Arc<Chunk>>,
    recent: ArrayVec<u128, CHUNK>,
    placed: ArrayVec<Placed, CHUNK>,
    removed: Option<Arc<Removed>>,
    length: usize,
}

#[derive(Debug)]
struct Chunk {
    older: Option<Arc<Chunk>>,
    keys: [u128; CHUNK],
    placed: [Placed; CHUNK],
    removed: Option<Arc<Removed>>,
}

/// A placed stone in two bytes; 0 for none.
#[derive(Debug, Clone, Copy, Default)]
struct Placed(u16);

impl Placed {
    fn of(placed: Option<(Color, Point)>) -> Placed {
        Placed(placed.map_or(0, |(color, point)| (2 * point.bit() + color.index() + 1) as u16))
    }

    fn stone(self) -> Option<(Color, Point)> {
        let code = usize::from(self.0.checked_sub(1)?);
        Some((Color::BOTH[code % 2], Point::from_bit(code / 2)))
    }
}

/// The removals in the turns of a chunk, newest first; most turns have none.
#[derive(Debug)]
struct Removed {
    turn: usize,
    stones: [Bitboard; 2],
    older: Option<Arc<Removed>>,
}

impl History {
    pub(crate) fn push(&mut self, key: u128, change: &Change) {
        if self.recent.is_full() {
            let mut keys = [0; CHUNK];
            keys.copy_from_slice(&self.recent);
            let mut placed = [Placed::default(); CHUNK];
            placed.copy_from_slice(&self.placed);
            let (older, removed) = (self.older.take(), self.removed.take());
            self.older = Some(Arc::new(Chunk { older, keys, placed, removed }));
            self.recent.clear();
            self.placed.clear();
        }
        if change.removed.iter().any(|stones| !stones.is_empty()) {
            let older = self.removed.take();
            let removed = Removed { turn: self.length, stones: change.removed, older };
            self.removed = Some(Arc::new(removed));
        }
        self.recent.push(key);
        self.placed.push(Placed::of(change.placed));
        self.length += 1;
        let (word, bit) = filter_place(key);
        self.filter[word] |= bit;
    }

    /// Whether `key` may have been pushed; `false` is certain.
    pub(crate) fn may_hold(&self, key: u128) -> bool {
        let (word, bit) = filter_place(key);
        self.filter[word] & bit != 0
    }

    /// Number of keys pushed.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// What each turn did, oldest first.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let mut placed: Vec<&[Placed]> = vec![&self.placed];
        let mut removals = vec![&self.removed];
        let mut chunk = self.older.as_deref();
        while let Some(full) = chunk {
            placed.push(&full.placed);
            removals.push(&full.removed);
            chunk = full.older.as_deref();
        }
        let stones = placed.iter().rev().flat_map(|chunk| chunk.iter());
        let mut changes: Vec<Change> =
            stones.map(|placed| Change { placed: placed.stone(), ..Change::NONE }).collect();
        for newest in removals {
            let mut next = newest.as_deref();
            while let Some(removed) = next {
                changes[removed.turn].removed = removed.stones;
                next = removed.older.as_deref();
            }
        }
        changes
    }

    /// All keys with their turn numbers, newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, u128)> {
        let mut chunk = self.older.as_deref();
        let mut keys: &[u128] = &self.recent;
        let mut turn = self.length;
        std::iter::from_fn(move || {
            if keys.is_empty() {
                let next = chunk?;
                chunk = next.older.as_deref();
                keys = &next.keys;
            }
            let (&key, rest) = keys.split_last()?;
            keys = rest;
            turn -= 1;
            Some((turn, key))
        })
    }
}

/// The filter's word and bit of a key.
fn filter_place(key: u128) -> (usize, u64) {
    ((key >> 8) as usize % FILTER, 1 << (key as u32 % 64))
}

//! The stone positions of a game so far, cheap to clone and to extend.

use std::sync::Arc;

use arrayvec::ArrayVec;

const CHUNK: usize = 8;

/// Words of the filter that tells most new keys from all old ones at a glance: at 150 turns 14 in 15 of them.
const FILTER: usize = 32;

/// One 128-bit key a turn, oldest first, the start included. A clone shares all full chunks, so that a search may
/// clone a position at every leaf of a long game.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    filter: [u64; FILTER],
    older: Option<Arc<Chunk>>,
    recent: ArrayVec<u128, CHUNK>,
    length: usize,
}

#[derive(Debug)]
struct Chunk {
    older: Option<Arc<Chunk>>,
    keys: [u128; CHUNK],
}

impl History {
    pub(crate) fn push(&mut self, key: u128) {
        if self.recent.is_full() {
            let mut keys = [0; CHUNK];
            keys.copy_from_slice(&self.recent);
            self.older = Some(Arc::new(Chunk { older: self.older.take(), keys }));
            self.recent.clear();
        }
        self.recent.push(key);
        self.length += 1;
        let (word, bit) = filter_place(key);
        self.filter[word] |= bit;
    }

    /// False only if `key` was never pushed.
    pub(crate) fn may_hold(&self, key: u128) -> bool {
        let (word, bit) = filter_place(key);
        self.filter[word] & bit != 0
    }

    /// Number of keys pushed.
    pub(crate) fn len(&self) -> usize {
        self.length
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

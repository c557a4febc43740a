//! Games in progress, stored where the next process in the slot finds them.
//!
//! Format: magic word; length and CRC-32C of the header (4 bytes each, little-endian); header
//! (postcard); the games, in a format that only self-play reads.

use bytes::Bytes;
use selfplay::format::{LIMITS, framed};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::Cursor;
use crate::names::{self, Slot};
use crate::store::{Store, StoreError};

const MAGIC: &[u8; 8] = b"HSTPARK1";

/// The largest object of parked games, in bytes: as many games as self-play reads, whose limit is
/// that before compression, and the header.
const MAX_BYTES: u64 = LIMITS.bytes + (16 << 20);

/// Games in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// Their seeds. If such a game is finished, another process may finish it too.
    pub seeds: Vec<u64>,
    /// The games, in self-play's format.
    pub games: Bytes,
}

/// Why an object of parked games cannot be used. A worker starts without it, since losing these
/// games does less harm than not starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReadParkedError {
    /// Too many bytes.
    #[error("more than {MAX_BYTES} bytes")]
    TooLarge,
    /// The beginning is not that of parked games.
    #[error("not parked games of this version")]
    Foreign,
    /// The header is damaged.
    #[error("its header is damaged ({0})")]
    Damaged(&'static str),
    /// It belongs to another run or another slot.
    #[error("of another run or slot")]
    Others,
}

#[derive(Serialize, Deserialize)]
struct Header {
    run: String,
    slot: Slot,
    seeds: Vec<u64>,
}

impl Parked {
    /// Stores the games for the next process in the slot, replacing those stored before.
    ///
    /// # Errors
    /// The store fails.
    pub async fn put(&self, store: &Store, run: &str, slot: &Slot) -> Result<(), StoreError> {
        let header = Header { run: run.to_owned(), slot: slot.clone(), seeds: self.seeds.clone() };
        let bytes = [MAGIC, framed(&header).as_slice(), &self.games].concat();
        store.put(&names::parked(slot), bytes.into()).await
    }

    /// The games left by the previous process in the slot, if there are any that can be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(
        store: &Store,
        run: &str,
        slot: &Slot,
    ) -> Result<Result<Option<Parked>, ReadParkedError>, StoreError> {
        Ok(match store.get(&names::parked(slot), MAX_BYTES).await {
            Err(StoreError::TooLarge { .. }) => Err(ReadParkedError::TooLarge),
            bytes => bytes?.map(|bytes| read(&bytes, run, slot)).transpose(),
        })
    }
}

fn read(bytes: &Bytes, run: &str, slot: &Slot) -> Result<Parked, ReadParkedError> {
    let mut cursor = Cursor::after(MAGIC, bytes).ok_or(ReadParkedError::Foreign)?;
    let header: Header = cursor.framed().map_err(ReadParkedError::Damaged)?;
    if header.run != run || header.slot != *slot {
        return Err(ReadParkedError::Others);
    }
    Ok(Parked { seeds: header.seeds, games: bytes.slice_ref(cursor.rest()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_runs_own_games_are_found() {
        let store = Store::open("memory://").unwrap();
        let (a, b): (Slot, Slot) = ("a".parse().unwrap(), "b".parse().unwrap());
        let parked = Parked { seeds: vec![3, 5], games: Bytes::from("games") };
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), Ok(None));
        parked.put(&store, "r", &a).await.unwrap();
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), Ok(Some(parked)));
        assert_eq!(Parked::get(&store, "other", &a).await.unwrap(), Err(ReadParkedError::Others));
        assert_eq!(Parked::get(&store, "r", &b).await.unwrap(), Ok(None));
        store.put(&names::parked(&a), Bytes::from("HSTPARK1 rubbish")).await.unwrap();
        let unreadable = Parked::get(&store, "r", &a).await.unwrap();
        assert!(matches!(unreadable, Err(ReadParkedError::Damaged(_))), "{unreadable:?}");
        store.put(&names::parked(&a), Bytes::from("rubbish")).await.unwrap();
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), Err(ReadParkedError::Foreign));
    }
}

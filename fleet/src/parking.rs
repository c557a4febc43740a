//! Games in progress, put where the next process in the slot finds them.
//!
//! Magic word; length and CRC-32C of the header (4 bytes each, little-endian); header (postcard); the games, which only
//! self-play reads.

use bytes::Bytes;
use selfplay::format::framed;
use serde::{Deserialize, Serialize};

use crate::frame::Cursor;
use crate::names::{self, Slot};
use crate::store::{Store, StoreError};

const MAGIC: &[u8; 8] = b"HSTPARK1";

/// The largest object of parked games, in bytes.
const LARGEST: u64 = 64 << 20;

/// Games in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// Their seeds. If such a game is finished, somebody else may finish it, too.
    pub seeds: Vec<u64>,
    /// The games, as self-play writes them.
    pub games: Bytes,
}

#[derive(Serialize, Deserialize)]
struct Header {
    run: String,
    slot: Slot,
    seeds: Vec<u64>,
}

impl Parked {
    /// Puts the games where the next process in the slot finds them, over those that were there.
    ///
    /// # Errors
    /// The store fails.
    pub async fn put(&self, store: &Store, run: &str, slot: &Slot) -> Result<(), StoreError> {
        let header = Header { run: run.to_owned(), slot: slot.clone(), seeds: self.seeds.clone() };
        let bytes = [MAGIC, framed(&header).as_slice(), &self.games].concat();
        store.put(&names::parked(slot), bytes.into()).await
    }

    /// The games that the last process in the slot has left; `None` if it has left none of this run that can be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(store: &Store, run: &str, slot: &Slot) -> Result<Option<Parked>, StoreError> {
        let bytes = match store.get(&names::parked(slot), LARGEST).await {
            // Unreadable ones are worth less than a worker that does not start.
            Err(StoreError::TooLarge { .. }) => None,
            bytes => bytes?,
        };
        Ok(bytes.and_then(|bytes| read(&bytes, run, slot)))
    }
}

fn read(bytes: &Bytes, run: &str, slot: &Slot) -> Option<Parked> {
    let mut cursor = Cursor::after(MAGIC, bytes)?;
    let header: Header = cursor.framed().ok()?;
    let is_ours = header.run == run && header.slot == *slot;
    is_ours.then(|| Parked { seeds: header.seeds, games: bytes.slice_ref(cursor.rest()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_runs_own_games_are_found() {
        let store = Store::open("memory://").unwrap();
        let (a, b): (Slot, Slot) = ("a".parse().unwrap(), "b".parse().unwrap());
        let parked = Parked { seeds: vec![3, 5], games: Bytes::from("games") };
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), None);
        parked.put(&store, "r", &a).await.unwrap();
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), Some(parked));
        assert_eq!(Parked::get(&store, "other", &a).await.unwrap(), None);
        assert_eq!(Parked::get(&store, "r", &b).await.unwrap(), None);
        store.put(&names::parked(&a), Bytes::from("HSTPARK1 rubbish")).await.unwrap();
        assert_eq!(Parked::get(&store, "r", &a).await.unwrap(), None);
    }
}

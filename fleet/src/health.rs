//! What a worker tells of itself, for people.

use object_store::path::Path;
use serde::{Deserialize, Serialize};

use crate::books::{json, read_json};
use crate::names::{self, Slot};
use crate::store::{Store, StoreError};

/// Larger than any, in bytes.
const LARGEST: u64 = 64 << 10;

/// A worker's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// Its slot.
    pub slot: Slot,
    /// Which process in the slot it is.
    pub generation: u64,
    /// How often it has told of itself. A worker whose number stands still is silent.
    pub beat: u64,
    /// Seconds since it started.
    pub seconds: f64,
    /// Files that have arrived.
    pub files: u64,
    /// Their games.
    pub games: u64,
    /// Evaluations of the network.
    pub evaluations: u64,
    /// Files that wait to be sent.
    pub waiting: u64,
    /// Training step of its weights.
    pub model: u64,
    /// Whether it waits, as it was told to.
    pub holds: bool,
    /// Requests that failed.
    pub store_errors: u64,
}

impl Health {
    /// Tells.
    ///
    /// # Errors
    /// The store fails.
    pub async fn put(&self, store: &Store) -> Result<(), StoreError> {
        store.put(&names::health(&self.slot), json(self)).await
    }

    /// What a worker has told last; `None` if it has told nothing that can be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(store: &Store, slot: &Slot) -> Result<Option<Health>, StoreError> {
        read(store, &names::health(slot)).await
    }

    /// What all workers have told last. What cannot be read is left out.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get_all(store: &Store) -> Result<Vec<Health>, StoreError> {
        let mut all = Vec::new();
        for listed in store.list(&names::all_health()).await? {
            all.extend(read(store, &listed.name).await?);
        }
        Ok(all)
    }
}

async fn read(store: &Store, name: &Path) -> Result<Option<Health>, StoreError> {
    match read_json(store, name, LARGEST).await {
        Err(StoreError::Damaged { .. } | StoreError::TooLarge { .. }) => Ok(None),
        health => health,
    }
}

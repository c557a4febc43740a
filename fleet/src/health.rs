//! What a worker tells of itself, for people.

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

    /// What all workers have told last. What cannot be read is left out.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get_all(store: &Store) -> Result<Vec<Health>, StoreError> {
        let mut all = Vec::new();
        for listed in store.list(&names::all_health()).await? {
            match read_json(store, &listed.name, LARGEST).await {
                Ok(health) => all.extend::<Option<Health>>(health),
                Err(StoreError::Damaged { .. } | StoreError::TooLarge { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

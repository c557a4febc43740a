//! Health reports of workers and the learner, for people.

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::{self, Slot};
use crate::store::{Listed, Requests, Store, StoreError, json, read_json};

/// Upper limit on the size of a report, in bytes.
const MAX_BYTES: u64 = 64 << 10;
/// Number of objects read concurrently.
const AT_ONCE: usize = 16;

/// A worker's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Its slot.
    pub slot: Slot,
    /// Its generation in that slot.
    pub generation: u64,
    /// The machine's name.
    pub host: String,
    /// Number of reports so far.
    pub beat: u64,
    /// Seconds since it started.
    pub seconds: f64,
    /// Seconds of these in which it did not play for the run: it waited, or played a match. Earlier
    /// versions do not say so.
    #[serde(default)]
    pub idle: f64,
    /// Files that have arrived.
    pub files: u64,
    /// Number of games in them.
    pub games: u64,
    /// Evaluations of the network.
    pub evaluations: u64,
    /// Files waiting to be sent.
    pub waiting: u64,
    /// Training step of its weights.
    pub model: u64,
    /// Whether it is waiting as ordered.
    pub holds: bool,
    /// Requests that it has made.
    pub requests: Requests,
    /// Number of them that failed.
    pub store_errors: u64,
}

/// A learner's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnerHealth {
    /// The machine's name.
    pub host: String,
    /// Seconds since it opened the commit log.
    pub seconds: f64,
    /// Samples per second during its last learning, not counting the time spent waiting for games.
    pub samples_per_second: Option<f64>,
    /// Requests that it has made.
    pub requests: Requests,
}

impl Health {
    /// Writes the report.
    ///
    /// # Errors
    /// The store fails.
    pub async fn put(&self, store: &Store) -> Result<(), StoreError> {
        store.put(&names::health(&self.slot), json(self)).await
    }

    /// A worker's latest report; `None` if there is none that can be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(store: &Store, slot: &Slot) -> Result<Option<Health>, StoreError> {
        read(store, &names::health(slot)).await
    }

    /// The latest reports of all workers. Unreadable ones are left out.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get_all(store: &Store) -> Result<Vec<Health>, StoreError> {
        let listed = store.list(&names::all_health()).await?;
        let told = Health::get_listed(store, &listed).await?;
        Ok(told.into_iter().map(|(_, health)| health).collect())
    }

    /// The latest reports of the workers in these objects, each with its object.
    pub(crate) async fn get_listed<'a>(
        store: &Store,
        listed: &'a [Listed],
    ) -> Result<Vec<(&'a Listed, Health)>, StoreError> {
        let read = |listed: &'a Listed| async move {
            let health = read::<Health>(store, &listed.name).await?;
            Ok::<_, StoreError>(health.map(|health| (listed, health)))
        };
        let told = futures_util::stream::iter(listed).map(read).buffered(AT_ONCE);
        let told: Vec<Option<_>> = told.try_collect().await?;
        Ok(told.into_iter().flatten().collect())
    }
}

impl LearnerHealth {
    /// Writes the report.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn put(&self, store: &Store) -> Result<(), StoreError> {
        store.put(&names::learner(), json(self)).await
    }

    /// The learner's latest report; `None` if there is none that can be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(store: &Store) -> Result<Option<LearnerHealth>, StoreError> {
        read(store, &names::learner()).await
    }
}

async fn read<T: DeserializeOwned>(store: &Store, name: &Path) -> Result<Option<T>, StoreError> {
    match read_json(store, name, MAX_BYTES).await {
        Err(StoreError::Damaged { .. } | StoreError::TooLarge { .. }) => Ok(None),
        health => health,
    }
}

//! What workers and the learner tell of themselves, for people.

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::books::{json, read_json};
use crate::names::{self, Slot};
use crate::store::{Listed, Requests, Store, StoreError};

/// Larger than any, in bytes.
const LARGEST: u64 = 64 << 10;
/// Objects read at the same time.
const AT_ONCE: usize = 16;

/// A worker's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Its slot.
    pub slot: Slot,
    /// Which process in the slot it is.
    pub generation: u64,
    /// The machine's name.
    pub host: String,
    /// How often it has told of itself.
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
    /// Requests that it has made.
    pub requests: Requests,
    /// Those that failed.
    pub store_errors: u64,
}

/// A learner's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnerHealth {
    /// The machine's name.
    pub host: String,
    /// Seconds since it opened the books.
    pub seconds: f64,
    /// Samples a second while it last learnt, without the time in which it waited for games.
    pub samples_per_second: Option<f64>,
    /// Requests that it has made.
    pub requests: Requests,
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
        let listed = store.list(&names::all_health()).await?;
        let told = Health::get_listed(store, &listed).await?;
        Ok(told.into_iter().map(|(_, health)| health).collect())
    }

    /// What the workers of these objects have told last, with the objects.
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
    /// Tells.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn put(&self, store: &Store) -> Result<(), StoreError> {
        store.put(&names::learner(), json(self)).await
    }

    /// What a learner has told last; `None` if none has, or if it cannot be read.
    ///
    /// # Errors
    /// The store fails.
    pub async fn get(store: &Store) -> Result<Option<LearnerHealth>, StoreError> {
        read(store, &names::learner()).await
    }
}

async fn read<T: DeserializeOwned>(store: &Store, name: &Path) -> Result<Option<T>, StoreError> {
    match read_json(store, name, LARGEST).await {
        Err(StoreError::Damaged { .. } | StoreError::TooLarge { .. }) => Ok(None),
        health => health,
    }
}

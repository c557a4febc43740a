//! Claims of workers: which generation of its slot each one is.

use serde::{Deserialize, Serialize};

use crate::names::{self, Slot};
use crate::store::{Created, Store, StoreError, json};

/// What a worker says about itself when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Distinguishes it from others that start at the same time.
    pub nonce: String,
    /// The machine's name.
    pub host: String,
    /// The program's version.
    pub version: String,
    /// The device that runs the network.
    pub device: String,
}

impl Claim {
    /// Becomes the newest generation of a slot, and returns its number. The previous generation
    /// stops when it notices.
    ///
    /// # Errors
    /// The store fails.
    pub async fn enter(&self, store: &Store, slot: &Slot) -> Result<u64, StoreError> {
        let listed = store.list(&names::claims(slot)).await?;
        let newest = listed.iter().filter_map(|it| names::claimed_generation(&it.name)).max();
        let mut generation = newest.map_or(0, |newest| newest + 1);
        while store.create(&names::claim(slot, generation), json(self)).await? != Created::Mine {
            generation += 1;
        }
        Ok(generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_process_has_a_generation_of_its_own() {
        let store = Store::open("memory://").unwrap();
        let slot: Slot = "a".parse().unwrap();
        let tasks: Vec<_> = (0..8)
            .map(|number: u64| {
                let (store, slot) = (store.clone(), slot.clone());
                let (host, version, device) = Default::default();
                let claim = Claim { nonce: number.to_string(), host, version, device };
                tokio::spawn(async move { claim.enter(&store, &slot).await.unwrap() })
            })
            .collect();
        let mut generations = Vec::new();
        for task in tasks {
            generations.push(task.await.unwrap());
        }
        generations.sort_unstable();
        assert_eq!(generations, (0..8).collect::<Vec<u64>>());
    }
}

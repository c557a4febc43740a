//! Published weights, as whoever plays with them reads them.

use bytes::Bytes;
use object_store::path::Path;

use crate::commit::ModelRecord;
use crate::digest::sha256;
use crate::names;
use crate::store::{Store, StoreError};

/// Larger than any card, in bytes.
const LARGEST_TEXT: u64 = 4 << 20;

/// Weights of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Training step.
    pub step: u64,
    /// The weights, as safetensors; their SHA-256 has been checked.
    pub weights: Bytes,
    /// The model's card.
    pub card: String,
    /// What the run knows of its kinds of games, as the learner has written it.
    pub kinds: String,
    /// Simulations of each search with them.
    pub simulations: u32,
}

impl Model {
    /// Reads the weights that a commit announces, with its simulations.
    ///
    /// # Errors
    /// The store fails, or the weights are missing or are others than those announced.
    pub async fn read(
        store: &Store,
        record: &ModelRecord,
        simulations: u32,
    ) -> Result<Model, StoreError> {
        let ModelRecord { step, sha256: announced } = record;
        let name = names::weights(*step, announced);
        let damaged = |why: &str| StoreError::Damaged { name: name.clone(), why: why.to_owned() };
        let weights = store.get(&name, u64::MAX).await?;
        let weights = weights.ok_or_else(|| damaged("it is missing"))?;
        if sha256(&weights) != *announced {
            return Err(damaged("its SHA-256 is another than was announced"));
        }
        let card = text(store, &names::card(*step, announced)).await?;
        let kinds = text(store, &names::kinds(*step, announced)).await?;
        Ok(Model { step: *step, weights, card, kinds, simulations })
    }
}

/// A text beside the weights; empty if there is none.
async fn text(store: &Store, name: &Path) -> Result<String, StoreError> {
    let bytes = store.get(name, LARGEST_TEXT).await?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

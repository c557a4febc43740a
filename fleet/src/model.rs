//! Published weights, as read by whoever plays with them.

use bytes::Bytes;
use object_store::path::Path;
use thiserror::Error;

use crate::commit::ModelRecord;
use crate::content::get_checked;
use crate::names;
use crate::store::{Store, StoreError};

/// Upper limit on the size of texts such as cards, in bytes.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// Weights of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Training step.
    pub step: u64,
    /// The weights, as safetensors; their SHA-256 has been checked.
    pub weights: Bytes,
    /// The model's card.
    pub card: String,
    /// What the run knows about its kinds of games, as written by the learner.
    pub kinds: String,
}

/// Why a model cannot be found.
#[derive(Debug, Error)]
pub enum FindModelError {
    /// The store fails, or the model is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing has been published yet.
    #[error("the store has no model of a run")]
    Empty,
    /// There is no model of that step.
    #[error("the store has no model of step {wanted}: the newest is of step {newest}")]
    Absent {
        /// What was asked for.
        wanted: String,
        /// The last step for which there is one.
        newest: u64,
    },
    /// Several learners have published different models of that step.
    #[error("the store has several models of step {wanted}: say which one, as in {first}")]
    Several {
        /// What was asked for.
        wanted: String,
        /// The name of one of them.
        first: String,
    },
}

impl Model {
    /// Reads the weights announced by a commit.
    ///
    /// # Errors
    /// The store fails, or the weights are missing or differ from those announced.
    pub async fn read(store: &Store, record: &ModelRecord) -> Result<Model, StoreError> {
        Model::at(store, record.step, &record.sha256).await
    }

    /// Finds a model by its training step, or by its name: the step, a hyphen, and the beginning of
    /// the weights' SHA-256.
    ///
    /// # Errors
    /// There is no such model or more than one, or the store fails.
    pub async fn find(store: &Store, wanted: &str) -> Result<Model, FindModelError> {
        let listed = store.list(&names::models()).await?;
        let of_weights = listed.iter().filter(|it| it.name.filename() == Some(names::WEIGHTS));
        let mut all: Vec<(u64, String)> =
            of_weights.filter_map(|it| names::folder_parts(&it.name)).collect();
        all.sort_unstable();
        let name = |(step, digest): &(u64, String)| format!("{step}-{digest}");
        let is_wanted = |it: &&(u64, String)| it.0.to_string() == wanted || name(it) == wanted;
        let found: Vec<_> = all.iter().filter(is_wanted).collect();
        let wanted = wanted.to_owned();
        match (&found[..], all.last()) {
            ([(step, digest)], _) => Ok(Model::at(store, *step, digest).await?),
            ([], None) => Err(FindModelError::Empty),
            ([], Some((newest, _))) => Err(FindModelError::Absent { wanted, newest: *newest }),
            ([first, ..], _) => Err(FindModelError::Several { wanted, first: name(first) }),
        }
    }

    /// The model of a step whose weights have a SHA-256 beginning with `digest`.
    async fn at(store: &Store, step: u64, digest: &str) -> Result<Model, StoreError> {
        let weights = get_checked(store, &names::weights(step, digest), digest).await?;
        let card = text(store, &names::card(step, digest)).await?;
        let kinds = text(store, &names::kinds(step, digest)).await?;
        Ok(Model { step, weights, card, kinds })
    }
}

/// A text stored next to the weights; empty if there is none.
async fn text(store: &Store, name: &Path) -> Result<String, StoreError> {
    let bytes = store.get(name, MAX_TEXT_BYTES).await?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::sha256;

    #[tokio::test]
    async fn models_are_found_by_their_steps_and_names() {
        let store = Store::open("memory://").unwrap();
        let find = async |wanted: &str| Model::find(&store, wanted).await;
        assert!(matches!(find("20").await, Err(FindModelError::Empty)));
        for (step, weights) in [(1000, "a"), (20, "b"), (30, "c"), (30, "d")] {
            let digest = sha256(weights.as_bytes());
            store.put(&names::weights(step, &digest), weights.into()).await.unwrap();
            store.put(&names::card(step, &digest), "card".into()).await.unwrap();
        }
        let found = find("20").await.unwrap();
        assert_eq!((found.step, found.weights, found.card), (20, "b".into(), "card".to_owned()));
        let absent = find("7").await.unwrap_err().to_string();
        assert!(absent.contains("no model of step 7: the newest is of step 1000"), "{absent}");
        let Err(FindModelError::Several { first, .. }) = find("30").await else { panic!() };
        assert!(
            ["c", "d"].contains(&&*String::from_utf8_lossy(&find(&first).await.unwrap().weights))
        );
        store.put(&names::weights(20, &sha256(b"b")), "others".into()).await.unwrap();
        let damaged = find("20").await.unwrap_err().to_string();
        assert!(damaged.contains("SHA-256"), "{damaged}");
    }
}

//! The models that a run has published.

use bytes::Bytes;

use crate::names;
use crate::store::{Store, StoreError};

/// A model as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedModel {
    /// Its card.
    pub card: Bytes,
    /// Its weights, as safetensors.
    pub weights: Bytes,
}

impl PublishedModel {
    /// Training steps and names of all there are, by step: a step, a hyphen and the beginning of the weights' SHA-256.
    ///
    /// # Errors
    /// The store fails.
    pub async fn all(store: &Store) -> Result<Vec<(u64, String)>, StoreError> {
        let listed = store.list(&names::models()).await?;
        let of_weights = listed.iter().filter(|it| it.name.filename() == Some(names::WEIGHTS));
        let named = |(step, rest): (u64, String)| (step, format!("{step}-{rest}"));
        let mut all: Vec<_> =
            of_weights.filter_map(|it| names::folder_parts(&it.name).map(named)).collect();
        all.sort_unstable();
        Ok(all)
    }

    /// The model of a name; `None` if there is none.
    ///
    /// # Errors
    /// The store fails.
    pub async fn read(store: &Store, name: &str) -> Result<Option<PublishedModel>, StoreError> {
        let folder = names::models().join(name);
        let object = async |file: &str| store.get(&folder.clone().join(file), u64::MAX).await;
        let (card, weights) = (object(names::CARD).await?, object(names::WEIGHTS).await?);
        Ok(card.zip(weights).map(|(card, weights)| PublishedModel { card, weights }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn models_are_found_by_their_steps() {
        let store = Store::open("memory://").unwrap();
        assert_eq!(PublishedModel::all(&store).await.unwrap(), []);
        for (step, sha) in [(1000, "aaaaaaaaa"), (20, "bbbbbbbbb")] {
            store.put(&names::weights(step, sha), "weights".into()).await.unwrap();
            store.put(&names::card(step, sha), "card".into()).await.unwrap();
        }
        let all = PublishedModel::all(&store).await.unwrap();
        assert_eq!(all, [(20, "20-bbbbbbbb".to_owned()), (1000, "1000-aaaaaaaa".to_owned())]);
        let found = PublishedModel::read(&store, &all[0].1).await.unwrap().unwrap();
        assert_eq!((found.card, found.weights), ("card".into(), "weights".into()));
        assert_eq!(PublishedModel::read(&store, "20-cccccccc").await.unwrap(), None);
    }
}

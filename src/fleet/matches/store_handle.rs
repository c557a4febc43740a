//! Access to the store of matches.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use fleet::blocking::AsyncRuntime;
use fleet::{Model, Store, get_content, put_content};
use models::StoredModel;

use crate::fleet::store;

/// Prefix of paths to models that a run in the store has published.
const PUBLISHED: &str = "store:";

/// How long a store may be unreachable.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// An object store, and the runtime that carries requests to it. Clones share both.
#[derive(Clone)]
pub struct StoreHandle {
    pub runtime: AsyncRuntime,
    pub store: Store,
}

impl StoreHandle {
    /// Opens a store by its address.
    pub fn open(url: &str) -> Result<StoreHandle> {
        StoreHandle::new(store::open_for(url, PATIENCE)?)
    }

    /// A handle to a store.
    pub fn new(store: Store) -> Result<StoreHandle> {
        Ok(StoreHandle { runtime: AsyncRuntime::start()?, store })
    }

    /// The model that a path refers to: `store:STEP`, published by a run in the store, or a model
    /// on this machine.
    pub fn model(&self, path: &Path) -> Result<StoredModel> {
        match path.to_str().and_then(|path| path.strip_prefix(PUBLISHED)) {
            Some(step) => self.published(step),
            None => crate::model::stored(path),
        }
    }

    fn published(&self, wanted: &str) -> Result<StoredModel> {
        let model = self.runtime.wait(Model::find(&self.store, wanted))?;
        let path = PathBuf::from(format!("{PUBLISHED}{wanted}"));
        Ok(StoredModel::built_in(path, model.card.as_bytes(), model.weights.to_vec())?)
    }

    /// Puts weights into the store, and returns the name by which they can be found.
    pub fn put(&self, weights: &[u8]) -> Result<String> {
        let bytes = weights.to_vec().into();
        Ok(self.runtime.wait(put_content(&self.store, bytes))?)
    }

    /// Weights that have been put into the store.
    pub fn get(&self, name: &str) -> Result<Vec<u8>> {
        let bytes = self.runtime.wait(get_content(&self.store, name))?;
        Ok(bytes.to_vec())
    }
}

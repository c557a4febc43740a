//! Where matches are played.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fleet::blocking::Carrier;
use fleet::{PublishedModel, Store, get_content, put_content};
use models::StoredModel;

use crate::exit::opening;
use crate::fleet_store;

/// What paths of models begin with that a run in the store has published.
const PUBLISHED: &str = "store:";

/// An object store, and what carries requests to it. Clones are the same.
#[derive(Clone)]
pub struct Place {
    pub carrier: Carrier,
    pub store: Store,
}

impl Place {
    /// Opens a store by its address.
    pub fn open(url: &str) -> Result<Place> {
        Place::at(fleet_store::open(url)?)
    }

    /// The place of a store.
    pub fn at(store: Store) -> Result<Place> {
        Ok(Place { carrier: Carrier::start()?, store })
    }

    /// The model that a path means: `store:STEP`, which a run in the store has published, or one of this machine.
    pub fn model(&self, path: &Path) -> Result<StoredModel> {
        match path.to_str().and_then(|path| path.strip_prefix(PUBLISHED)) {
            Some(step) => self.published(step),
            None => crate::model::stored(path),
        }
    }

    fn published(&self, wanted: &str) -> Result<StoredModel> {
        let all = self.carrier.wait(PublishedModel::all(&self.store)).map_err(opening)?;
        let is_wanted = |step: u64, name: &str| name == wanted || step.to_string() == wanted;
        let found: Vec<&String> = all
            .iter()
            .filter(|(step, name)| is_wanted(*step, name))
            .map(|(_, name)| name)
            .collect();
        let name = match (&found[..], all.last()) {
            (&[name], _) => name,
            (&[], None) => bail!("the store has no model of a run"),
            (&[], Some((newest, _))) => {
                bail!("the store has no model of step {wanted}: the newest is of step {newest}")
            }
            (&[first, ..], _) => {
                bail!(
                    "the store has several models of step {wanted}: name one, as in {PUBLISHED}{first}"
                )
            }
        };
        let model = self.carrier.wait(PublishedModel::read(&self.store, name)).map_err(opening)?;
        let model =
            model.with_context(|| format!("{PUBLISHED}{name} lacks its card or weights"))?;
        let place = PathBuf::from(format!("{PUBLISHED}{name}"));
        Ok(StoredModel::built_in(place, &model.card, model.weights.to_vec())?)
    }

    /// Puts weights into the store, and returns the name by which they are found.
    pub fn put(&self, weights: &[u8]) -> Result<String> {
        let bytes = weights.to_vec().into();
        Ok(self.carrier.wait(put_content(&self.store, bytes)).map_err(opening)?)
    }

    /// Weights that somebody has put into the store.
    pub fn get(&self, name: &str) -> Result<Vec<u8>> {
        let bytes = self.carrier.wait(get_content(&self.store, name))?;
        Ok(bytes.to_vec())
    }
}

//! A stored model, before a network is built from it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use engine::Rules;

use crate::weights::{self, WEIGHTS};
use crate::{Card, ModelError, Network, files};

/// A card and the bytes of its weights, which are checked when a network is built from them.
#[derive(Debug, Clone)]
pub struct StoredModel {
    folder: PathBuf,
    card: Card,
    weights: Cow<'static, [u8]>,
}

impl StoredModel {
    /// Reads the files of a model folder.
    ///
    /// # Errors
    /// One of them is missing or cannot be read, or the card is not valid for this program.
    pub fn read(folder: &Path) -> Result<StoredModel, ModelError> {
        let (folder, card) = (folder.to_owned(), Card::load(folder)?);
        let weights = files::read(&folder.join(WEIGHTS))?.into();
        Ok(StoredModel { folder, card, weights })
    }

    /// A model in memory, such as one embedded in the program. Errors name `folder` as its
    /// location.
    ///
    /// # Errors
    /// The card is not valid for this program.
    pub fn built_in(
        folder: PathBuf,
        card: &[u8],
        weights: impl Into<Cow<'static, [u8]>>,
    ) -> Result<StoredModel, ModelError> {
        let card = Card::read(&folder, card)?;
        Ok(StoredModel { folder, card, weights: weights.into() })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its card.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The bytes of its weights file.
    pub fn weights(&self) -> &[u8] {
        &self.weights
    }

    /// Saves it in another folder with its weights rounded to 16 bits.
    ///
    /// # Errors
    /// The weights are damaged, or the folder cannot be written.
    pub fn save_halved(&self, folder: &Path) -> Result<(), ModelError> {
        let path = self.folder.join(WEIGHTS);
        let file = weights::checked(&path, &self.card, &self.weights)?;
        weights::save_halved(folder, &self.card, &file)
    }

    /// The network, for `rules` if given.
    ///
    /// # Errors
    /// It has not learnt these rules, or the weights do not match the card.
    pub fn network(&self, rules: Option<&Rules>) -> Result<Network, ModelError> {
        self.card.check(&self.folder, rules)?;
        weights::read(&self.folder, &self.card, &self.weights)
    }
}

/// Loads a network from its folder, and checks that it plays `rules` if given.
///
/// # Errors
/// The files are missing, damaged, made by another version, or for another game or board size.
pub fn load(folder: &Path, rules: Option<&Rules>) -> Result<Network, ModelError> {
    StoredModel::read(folder)?.network(rules)
}

//! The model from which a run may start instead of random weights.

use std::path::Path;

use models::{Card, StoredModel, model_folder};

use crate::run::{KINDS, kinds_in};
use crate::sealed::parse_sealed;
use crate::{Kinds, RunError, TrainError};

/// A model, and the fair compensation that its run found for each kind of game.
#[derive(Debug, Clone)]
pub struct StartingModel {
    pub(crate) model: StoredModel,
    pub(crate) kinds: Kinds,
}

impl StartingModel {
    /// Reads a model folder, or the newest checkpoint of a run folder.
    ///
    /// # Errors
    /// There is no model, or one of its files cannot be read.
    pub fn read(path: &Path) -> Result<StartingModel, TrainError> {
        let folder = model_folder(path)?;
        let model = StoredModel::read(&folder)?;
        Ok(StartingModel { model, kinds: kinds_in(&folder)? })
    }

    /// A model embedded in the program, with the text of its table of kinds of games.
    ///
    /// # Errors
    /// The table is damaged.
    pub fn built_in(model: StoredModel, kinds: Option<&str>) -> Result<StartingModel, RunError> {
        let path = model.folder().join(KINDS);
        // A model in a store without a table has an empty text.
        let kinds = kinds.filter(|text| !text.is_empty());
        let kinds = kinds.map(|text| parse_sealed(&path, text)).transpose()?;
        Ok(StartingModel { model, kinds: kinds.unwrap_or_default() })
    }

    /// The model.
    pub fn model(&self) -> &StoredModel {
        &self.model
    }

    /// The kinds of games of its run.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The model's card.
    pub fn card(&self) -> &Card {
        self.model.card()
    }
}

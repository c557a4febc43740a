//! Opens trained models.

use std::path::Path;

use anyhow::{Context, Result, bail};
use engine::Rules;
use models::{Card, Client, Server, ServerSettings, StoredModel, model_folder};
use search::Cached;

use crate::released::{self, Released};

/// Number of cached evaluations per player: those of the last games' searches, in at most about 100
/// MB.
pub const CACHED_EVALUATIONS: usize = 65_536;

/// The model in a model folder, or of a run's newest checkpoint; if there is no such folder, the
/// released model with that name.
pub fn stored(path: &Path) -> Result<StoredModel> {
    Ok(match released_at(path)? {
        Some(released) => released.stored()?,
        None => StoredModel::read(&model_folder(path)?)?,
    })
}

/// The same, including the fair compensations that its run has found, for a run that begins with
/// it.
#[cfg(feature = "train")]
pub fn starting_model(path: &Path) -> Result<train::StartingModel> {
    Ok(match released_at(path)? {
        Some(released) => train::StartingModel::built_in(released.stored()?, released.kinds)?,
        None => train::StartingModel::read(path)?,
    })
}

/// The released model that a path refers to; `None` if there is a folder at that path.
fn released_at(path: &Path) -> Result<Option<&'static Released>> {
    match released::named(path) {
        _ if path.exists() => Ok(None),
        Some(released) => Ok(Some(released)),
        None => bail!(
            "{}: no such folder or released model: expected a folder or one of {}",
            path.display(),
            released::names()
        ),
    }
}

/// A model that answers evaluation requests.
pub struct OpenModel {
    /// The model's card.
    pub card: Card,
    server: Server,
}

impl OpenModel {
    /// Starts the model at a path, for `rules` if any are given: see [`stored`].
    pub fn open(path: &Path, rules: Option<&Rules>, settings: ServerSettings) -> Result<OpenModel> {
        OpenModel::start(&stored(path)?, rules, settings)
    }

    /// Starts an embedded model, for `rules` if given.
    pub fn released(
        released: &Released,
        rules: Option<&Rules>,
        settings: ServerSettings,
    ) -> Result<OpenModel> {
        OpenModel::start(&released.stored()?, rules, settings)
    }

    /// Starts a model, for `rules` if given.
    pub fn start(
        model: &StoredModel,
        rules: Option<&Rules>,
        settings: ServerSettings,
    ) -> Result<OpenModel> {
        let (name, card) = (model.folder().display(), model.card().clone());
        let server = Server::start(model.network(rules)?, settings)
            .with_context(|| format!("cannot start {name}"))?;
        let Card { rules, scope, training_step: step, architecture, .. } = &card;
        let others = if scope.is_some() { " and others" } else { "" };
        eprintln!(
            "{name}: {rules}{others}, step {step}, {} blocks × {} channels, {} on {}",
            architecture.blocks, architecture.channels, settings.precision, settings.device
        );
        Ok(OpenModel { card, server })
    }

    /// The version shown to clients: the program's, and the model's training step.
    pub fn version(&self) -> String {
        format!("{} (step {})", env!("CARGO_PKG_VERSION"), self.card.training_step)
    }

    /// A client of the model.
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// A client that caches the evaluations of the last searches, which the next ones will ask for
    /// again.
    pub fn cached_client(&self) -> Cached<Client> {
        Cached::new(self.client(), CACHED_EVALUATIONS)
    }
}

//! `fleet fetch`: a run's model, out of its store.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fleet::blocking::Carrier;
use fleet::{Books, Commit, Model, ModelRecord};
use models::{CARD, StoredModel, WEIGHTS};

use crate::exit::opening;
use crate::fleet_store;

/// Get a run's model out of its store.
///
/// The folder can be given wherever a model is asked for: to `play`, `match`, `serve`, `lab` or `train --from`.
#[derive(Args)]
pub struct FetchArguments {
    /// The store: file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN.
    #[arg(long, value_name = "URL")]
    store: String,
    /// A folder that does not exist yet.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// The training step of the model. [default: the newest]
    #[arg(long)]
    step: Option<u64>,
}

impl FetchArguments {
    /// Fetches the model.
    pub fn execute(&self, carrier: &Carrier) -> Result<()> {
        let to = &self.to;
        ensure!(!to.exists(), "{} exists: give a folder that does not", to.display());
        let store = fleet_store::open(&self.store)?;
        let books = Books::new(store.clone());
        let newest = carrier.wait(books.newest()).map_err(opening)?;
        let newest = newest.context("no learner has begun the run")?;
        let (record, simulations) = match self.step {
            None => {
                let simulations = newest.simulations;
                (newest.model.context("the run has no model yet")?, simulations)
            }
            Some(step) => published(carrier, &books, &newest, step)?,
        };
        let model = carrier.wait(Model::read(&store, &record, simulations)).map_err(opening)?;
        let step = model.step;
        let place = PathBuf::from(format!("the model of step {step}"));
        StoredModel::built_in(place, model.card.as_bytes(), model.weights.to_vec())?;
        write(to, &model).with_context(|| format!("{} cannot be written", to.display()))?;
        println!("{}: the model of step {step}", to.display());
        Ok(())
    }
}

/// The model of a step, and its simulations.
fn published(
    carrier: &Carrier,
    books: &Books,
    newest: &Commit,
    step: u64,
) -> Result<(ModelRecord, u32)> {
    let commits = carrier.wait(books.read_all(0..=newest.number)).map_err(opening)?;
    let mut steps: Vec<u64> = Vec::new();
    for commit in commits {
        let Some(model) = commit.model else { continue };
        if model.step == step {
            return Ok((model, commit.simulations));
        }
        if steps.last() != Some(&model.step) {
            steps.push(model.step);
        }
    }
    let nearest = steps.into_iter().min_by_key(|other| other.abs_diff(step));
    match nearest {
        Some(nearest) => bail!("no model of step {step} was published: the nearest is {nearest}"),
        None => bail!("the run has no model yet"),
    }
}

/// Fills the folder under another name first, so that it is never there in part.
fn write(folder: &Path, model: &Model) -> std::io::Result<()> {
    let partial = folder.with_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    fs::create_dir_all(&partial)?;
    fs::write(partial.join(WEIGHTS), &model.weights)?;
    fs::write(partial.join(CARD), &model.card)?;
    if !model.kinds.is_empty() {
        fs::write(partial.join(train::KINDS), &model.kinds)?;
    }
    fs::rename(&partial, folder)
}

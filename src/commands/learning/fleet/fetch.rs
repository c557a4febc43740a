//! `fleet fetch`: copies a run's model, or the run itself, out of its store.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use fleet::blocking::AsyncRuntime;
use fleet::{Archive, CommitLog, Model, Run, Store};
use models::{CARD, StoredModel, WEIGHTS};
use train::{Intake, RunConfig, encoding_version, fetch_run};

use crate::fleet::source::StoreArchive;
use crate::fleet::store::StoreArguments;

/// Get a run's model out of its store, or the run.
///
/// The folder can be given wherever a model is asked for: to `play`, `match`, `serve`, `lab` or `train --from`; with
/// `--run` also to `train --fork`, and to `train --resume --run` on one machine. The run in the store goes on.
#[derive(Args)]
pub struct FetchArguments {
    #[command(flatten)]
    place: StoreArguments,
    /// A folder that does not exist yet.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// The training step of the model, or its name if there are several of that step. [default: the newest]
    #[arg(long)]
    step: Option<String>,
    /// Get the newest intact checkpoint, with the games that are learnt from.
    #[arg(long, conflicts_with = "step")]
    run: bool,
}

impl FetchArguments {
    /// Fetches the model.
    pub fn execute(&self, runtime: &AsyncRuntime) -> Result<()> {
        let to = &self.to;
        ensure!(!to.exists(), "{} exists: give a folder that does not", to.display());
        let store = self.place.open()?;
        if self.run {
            return self.fetch_run(runtime, &store);
        }
        let model = match &self.step {
            Some(wanted) => runtime.wait(Model::find(&store, wanted))?,
            None => {
                let newest = runtime.wait(CommitLog::new(store.clone()).newest())?;
                let newest = newest.context("no learner has begun the run")?;
                let record = newest.model.context("the run has no model yet")?;
                runtime.wait(Model::read(&store, &record))?
            }
        };
        let step = model.step;
        let place = PathBuf::from(format!("the model of step {step}"));
        StoredModel::built_in(place, model.card.as_bytes(), model.weights.to_vec())?;
        write(to, &model).with_context(|| format!("{} cannot be written", to.display()))?;
        println!("{}: the model of step {step}", to.display());
        Ok(())
    }

    fn fetch_run(&self, runtime: &AsyncRuntime, store: &Store) -> Result<()> {
        let run = runtime.wait(Run::read(store, encoding_version()))?;
        let config = RunConfig::from_table(run.config, &self.place.url)?;
        let archive = runtime.wait(Archive::open(store))?;
        let archive = archive.context("no learner has begun the run")?;
        ensure!(!archive.newest().checkpoints.is_empty(), "the run has no checkpoint yet");
        let mut archive = StoreArchive::new(runtime, archive, Intake::new(&config)?);
        let state = fetch_run(&self.to, &config, &mut archive)?;
        println!(
            "{}: the run at step {}, after {} positions",
            self.to.display(),
            state.step,
            state.positions
        );
        Ok(())
    }
}

/// Fills the folder under a temporary name first, so that it never exists only in part.
fn write(folder: &Path, model: &Model) -> std::io::Result<()> {
    // A trailing slash would place it inside the folder that does not exist yet.
    let folder: PathBuf = folder.components().collect();
    let mut partial = folder.clone().into_os_string();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    fs::create_dir_all(&partial)?;
    fs::write(partial.join(WEIGHTS), &model.weights)?;
    fs::write(partial.join(CARD), &model.card)?;
    if !model.kinds.is_empty() {
        fs::write(partial.join(train::KINDS), &model.kinds)?;
    }
    fs::rename(&partial, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_of_the_folder_does_no_harm() {
        let home = tempfile::tempdir().unwrap();
        let (card, kinds) = ("card".to_owned(), String::new());
        let model = Model { step: 1, weights: "weights".into(), card, kinds };
        write(&home.path().join("model/"), &model).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("model").join(CARD)).unwrap(), "card");
        let all: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
        assert_eq!(all.len(), 1, "nothing else is left");
    }
}

//! `fleet fetch`: copies a run's model, or the run itself, out of its store.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use fleet::blocking::AsyncRuntime;
use fleet::{Archive, CommitLog, Model, Run, Store};
use models::{CARD, StoredModel, WEIGHTS};
use train::{Intake, RunConfig, RunFolder, encoding_version, fetch_run};

use crate::fleet::source::StoreArchive;
use crate::fleet::store::StoreArguments;

/// Ending of the name of a folder that is being filled. What has such a name may be removed, so it
/// is one that nobody gives to a folder of their own.
const PARTIAL: &str = ".hotstone-partial";

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
        fill(to, |folder| {
            write(folder, &model).with_context(|| format!("{} cannot be written", to.display()))
        })?;
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
        // The run's lock is released when its folder has been filled, before that is renamed.
        let state = fill(&self.to, |folder| Ok(fetch_run(folder, &config, &mut archive)?))?;
        println!(
            "{}: the run at step {}, after {} positions",
            self.to.display(),
            state.step,
            state.positions
        );
        Ok(())
    }
}

/// Lets `write` create the folder under a temporary name first, so that it never exists only in
/// part.
fn fill<T>(folder: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    // A trailing slash would place it inside the folder that does not exist yet.
    let folder: PathBuf = folder.components().collect();
    let mut partial = folder.clone().into_os_string();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    // Left by a fetch that was killed, perhaps of another model.
    RunFolder::discard(&partial)?;
    let filled = write(&partial).and_then(|written| {
        fs::rename(&partial, &folder)
            .with_context(|| format!("{} cannot be written", folder.display()))?;
        Ok(written)
    });
    if filled.is_err() {
        // The first error is the one that counts.
        let _ = fs::remove_dir_all(&partial);
    }
    filled
}

/// Writes the files of a model into a new folder.
fn write(folder: &Path, model: &Model) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(WEIGHTS), &model.weights)?;
    fs::write(folder.join(CARD), &model.card)?;
    if !model.kinds.is_empty() {
        fs::write(folder.join(train::KINDS), &model.kinds)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(kinds: &str) -> Model {
        let (card, kinds) = ("card".to_owned(), kinds.to_owned());
        Model { step: 1, weights: "weights".into(), card, kinds }
    }

    #[test]
    fn a_slash_at_the_end_of_the_folder_does_no_harm() {
        let home = tempfile::tempdir().unwrap();
        fill(&home.path().join("model/"), |folder| Ok(write(folder, &model(""))?)).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("model").join(CARD)).unwrap(), "card");
        let all: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
        assert_eq!(all.len(), 1, "nothing else is left");
    }

    #[test]
    fn a_fetch_that_failed_or_was_killed_leaves_nothing_to_the_next() {
        let home = tempfile::tempdir().unwrap();
        let to = home.path().join("model");
        let left = || fs::read_dir(home.path()).unwrap().count();
        let failed = fill(&to, |folder| -> Result<()> {
            write(folder, &model("kinds"))?;
            anyhow::bail!("the connection is gone")
        });
        assert_eq!(failed.unwrap_err().to_string(), "the connection is gone");
        assert_eq!(left(), 0);
        let partial = home.path().join(format!("model{PARTIAL}"));
        write(&partial, &model("kinds")).unwrap();
        let lock = fs::File::create(partial.join("lock")).unwrap();
        lock.lock().unwrap();
        let refused = fill(&to, |folder| Ok(write(folder, &model(""))?)).unwrap_err().to_string();
        assert!(refused.contains("is in use by another process"), "{refused}");
        // Killed after its last file.
        drop(lock);
        fill(&to, |folder| Ok(write(folder, &model(""))?)).unwrap();
        assert!(to.join(CARD).exists() && !to.join(train::KINDS).exists());
        assert_eq!(left(), 1);
    }
}

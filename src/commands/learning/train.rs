//! `train`: trains in one process, or as the learner of a run in an object store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fleet::blocking::AsyncRuntime;
use fleet::{Archive, Exit, FORMAT, Learner, LearnerSettings, Run, RunError, Slot, sha256};
use train::{Intake, RemoteTraining, RunConfig, RunFolder, StartingModel, encoding_version};

use crate::fleet::exit::Stopped;
use crate::fleet::host;
use crate::fleet::source::StoreSource;
use crate::fleet::store::{open_for, time};
use crate::model;

/// Learn a variant by self-play, from nothing or from a model.
#[derive(Args)]
pub struct TrainingArguments {
    #[command(flatten)]
    train: train::command::TrainArguments,
    /// Learn from the games of workers (`hotstone worker`) in an object store: file:///FOLDER, s3://BUCKET/RUN or
    /// gs://BUCKET/RUN. The store then holds the run, and its folder only logs and copies.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Begin the run, or resume it if the store already contains it: for jobs that are restarted again and again.
    #[arg(long, requires = "store", conflicts_with = "resume")]
    begin_or_resume: bool,
    /// Use a store that cannot keep out a second learner; you guarantee that there is none.
    #[arg(long, requires = "store")]
    sole_learner: bool,
    /// Reject everything from the worker in this slot, whose machine or program is faulty. May be repeated.
    #[arg(long = "ban", requires = "store", value_name = "SLOT")]
    banned: Vec<Slot>,
    /// Stop when the store has been unreachable for this time.
    #[arg(long, requires = "store", value_name = "TIME", value_parser = time, default_value = "30m")]
    patience: Duration,
}

impl TrainingArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        match &self.store {
            Some(url) if !self.train.only_prints() => self.learn_from(url),
            Some(_) | None => self.train.execute(model::starting_model),
        }
    }

    /// Checks whether a learner could begin with these arguments, as far as that is possible
    /// without the store.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<()> {
        ensure!(
            !self.train.only_prints(),
            "--print-config prints a configuration and learns nothing: leave it out"
        );
        self.asked().map(drop)
    }

    /// The model to begin from, and the configuration.
    fn asked(&self) -> Result<(Option<StartingModel>, Option<RunConfig>)> {
        ensure!(
            self.train.forks().is_none(),
            "--fork begins a run on one machine: leave out --store"
        );
        let starting_model = self.train.starting_model(model::starting_model)?;
        let given = self.train.configuration(starting_model.as_ref())?;
        ensure!(given.is_some() || self.train.resumes(), "--config is needed to begin a run");
        Ok((starting_model, given))
    }

    fn learn_from(&self, url: &str) -> Result<()> {
        let (starting_model, given) = self.asked().context(Stopped(Exit::Unfit))?;
        // A machine without the device has none after a restart either.
        let options = self.train.options().context(Stopped(Exit::Unfit))?;
        let runtime = AsyncRuntime::start()?;
        let store = open_for(url, self.patience)?;
        let known = match runtime.wait(Run::read(&store, encoding_version())) {
            Ok(run) => Some(run),
            Err(RunError::Absent) => None,
            Err(error) => return Err(error.into()),
        };
        let begins_from = starting_model.as_ref().map(|from| sha256(from.model().weights()));
        let chosen = self.chosen(url, known, given, begins_from.clone());
        let (run, config) = chosen.context(Stopped(Exit::Unfit))?;
        // After its first checkpoint, a run needs no initial model.
        let past = runtime.wait(Archive::open(&store))?;
        let has_begun = past.is_some_and(|past| !past.newest().checkpoints.is_empty());
        let starting_model = starting_model.filter(|_| !has_begun);
        if !has_begun {
            // Checked before the store is told about a new learner.
            check_same(url, &run, begins_from.as_deref()).context(Stopped(Exit::Unfit))?;
            if let Some(starting_model) = &starting_model {
                RemoteTraining::check(&config, starting_model).context(Stopped(Exit::Unfit))?;
            }
        }
        let folder = self.folder(&run);
        let settings = LearnerSettings {
            take_files: config.fleet.take_files,
            banned: self.banned.iter().cloned().collect(),
            is_sole: self.sole_learner,
            beat: Duration::from_secs_f64(config.fleet.beat),
            host: host::name(),
            ..LearnerSettings::default()
        };
        // Prepared before the store is told about a new learner: one that cannot begin must not
        // send another away.
        let folder =
            RunFolder::serve(&folder, &config).map_err(train::command::run_error_with_advice)?;
        let learner = runtime.wait(Learner::open(store, run, settings))?;
        let source = StoreSource::new(&runtime, learner, Intake::new(&config)?);
        let training =
            RemoteTraining::open(folder, config, options, starting_model, Box::new(source))
                .map_err(train::command::run_error_with_advice)?;
        let state = training.run()?;
        self.train.sum_up(url, &state);
        Ok(())
    }

    /// The run that the store holds, or a new one.
    fn chosen(
        &self,
        url: &str,
        known: Option<Run>,
        given: Option<RunConfig>,
        begins_from: Option<String>,
    ) -> Result<(Run, RunConfig)> {
        match (known, given) {
            (Some(run), _) if !self.train.resumes() && !self.begin_or_resume => {
                bail!("{url} already holds run {}: add --resume to continue it", run.id)
            }
            (Some(run), given) => Ok((run.clone(), continued(url, &run, given)?)),
            (None, Some(given)) if !self.train.resumes() => begun(given, begins_from),
            (None, _) => bail!("{url} holds no run: leave out --resume to begin one"),
        }
    }

    fn folder(&self, run: &Run) -> PathBuf {
        let own = || Path::new("runs").join(format!("store-{}", run.id));
        self.train.given_folder().map_or_else(own, Path::to_owned)
    }
}

/// The configuration of a run that continues.
fn continued(url: &str, run: &Run, given: Option<RunConfig>) -> Result<RunConfig> {
    let config = RunConfig::from_table(run.config.clone(), url)?;
    ensure!(
        given.is_none_or(|given| given == config),
        "{url} holds a run that was begun with another configuration: resume without --config and --set"
    );
    Ok(config)
}

/// A new run.
fn begun(config: RunConfig, begins_from: Option<String>) -> Result<(Run, RunConfig)> {
    let mixed = if config.mixture.is_empty() { "" } else { " and others, mixed" };
    let run = Run {
        id: format!("{:016x}", rand::random::<u64>()),
        format: FORMAT,
        encoder: encoding_version(),
        rules: format!("{}{mixed}", config.rules),
        begins_from,
        config: config.to_table()?,
    };
    Ok((run, config))
}

/// Checks that the run begins with the weights it was created with, whoever makes its first
/// checkpoint.
fn check_same(url: &str, run: &Run, given: Option<&str>) -> Result<()> {
    let short = |sha256: &str| sha256.chars().take(8).collect::<String>();
    match (run.begins_from.as_deref(), given) {
        (wanted, given) if wanted == given => Ok(()),
        (Some(wanted), None) => bail!(
            "{url} holds a run that begins from a model with SHA-256 {}… and has no checkpoint yet: give that model again, \
             with --begin-or-resume and --from",
            short(wanted)
        ),
        (Some(wanted), Some(given)) => bail!(
            "{url} holds a run that begins from a model with SHA-256 {}… and has no checkpoint yet: --from is another \
             model, with {}…",
            short(wanted),
            short(given)
        ),
        (None, _) => bail!(
            "{url} holds a run that begins from random weights: leave out --from, or begin another run in another place"
        ),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        arguments: TrainingArguments,
    }

    #[test]
    fn a_run_begins_from_the_model_that_it_was_begun_with() {
        let config = RunConfig::find(Path::new("smoke"), &[]).unwrap();
        let run = |from: Option<&str>| begun(config.clone(), from.map(str::to_owned)).unwrap().0;
        for from in [None, Some("0123456789")] {
            assert!(check_same("s3://b/r", &run(from), from).is_ok());
        }
        for (from, given, why) in [
            (Some("0123456789"), None, "--begin-or-resume and --from"),
            (Some("0123456789"), Some("9876543210"), "01234567… and has"),
            (None, Some("9876543210"), "random weights"),
        ] {
            let error = check_same("s3://b/r", &run(from), given).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_learner_without_the_device_that_it_is_told_to_use_is_not_started_again() {
        for option in ["--device abacus", "--precision f7"] {
            let words = format!("train --config smoke --store file:///nowhere {option}");
            let arguments = Program::try_parse_from(words.split(' ')).unwrap().arguments;
            let error = arguments.execute().unwrap_err();
            assert_eq!(crate::fleet::exit::of(&error), Some(Exit::Unfit), "{error:#}");
        }
    }

    #[test]
    fn a_model_that_does_not_fit_is_refused_before_the_store_holds_a_run() {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join("store");
        std::fs::create_dir(&store).unwrap();
        let url = format!("file://{}", store.display());
        let run = home.path().join("run").display().to_string();
        let words = "train --config smoke --from universal --device cpu --store";
        let words = words.split(' ').chain([url.as_str(), "--run", run.as_str()]);
        let arguments = Program::try_parse_from(words).unwrap().arguments;
        let error = arguments.execute().unwrap_err();
        assert_eq!(crate::fleet::exit::of(&error), Some(Exit::Unfit), "{error:#}");
        assert!(format!("{error:#}").contains("set network.blocks"), "{error:#}");
        assert!(!format!("{error:#}").contains("damaged"), "{error:#}");
        assert_eq!(std::fs::read_dir(&store).unwrap().count(), 0);
    }
}

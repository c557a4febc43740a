//! The command line of `hotstone train` and of the stand-alone `train` program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use models::{Device, Precision};

use crate::progress::duration;
use crate::{RunConfig, RunError, RunFolder, Training, TrainingOptions};

/// Learn a variant from nothing by self-play.
#[derive(Debug, Clone, Args)]
pub struct TrainArguments {
    /// Configuration file, for example configs/incursion-7.toml.
    #[arg(long, required_unless_present = "resume")]
    config: Option<PathBuf>,
    /// Change a setting of the configuration: key=value or table.key=value. May be given again.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "config")]
    changes: Vec<String>,
    /// Begin with the weights of a model folder, or of a run's newest checkpoint, in place of random ones. The network has to be
    /// of the same size; games and steps are counted anew.
    #[arg(long, value_name = "MODEL", requires = "config", conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Begin where another run stands, with its games and all that its learner needs, under the configuration given here. A run at a
    /// constant rate cools down in such a fork, and goes on itself.
    #[arg(long, value_name = "RUN", requires = "config", conflicts_with_all = ["resume", "from"])]
    fork: Option<PathBuf>,
    /// Folder of the run. [default: runs/ and the name of the configuration]
    #[arg(long)]
    run: Option<PathBuf>,
    /// Go on with the run in the folder.
    #[arg(long)]
    resume: bool,
    /// Print the whole configuration, every default spelled out, and stop.
    #[arg(long)]
    print_config: bool,
    /// Where the network runs: cpu, cuda, or auto for CUDA where there is a GPU.
    #[arg(long, default_value = "auto")]
    device: String,
    /// Arithmetic: f32, bf16, or auto for bf16 where the machine has it.
    #[arg(long, default_value = "auto")]
    precision: String,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

impl TrainArguments {
    /// Does what the arguments ask.
    ///
    /// # Errors
    /// One line that says what to do.
    pub fn execute(&self) -> Result<()> {
        let config =
            self.config.as_deref().map(|path| RunConfig::load(path, &self.changes)).transpose()?;
        if self.print_config {
            let config = config.context("--print-config needs --config")?;
            print!("{}", config.to_toml());
            return Ok(());
        }
        let device = Device::choose(&self.device)?;
        let precision = Precision::choose(&self.precision, device)?;
        let options = TrainingOptions { device, precision, quiet: self.quiet };
        let folder = self.folder()?;
        let training = if self.resume {
            if let Some(config) = config {
                check_same(&folder, &config)?;
            }
            Training::resume(&folder, options)?
        } else {
            let config = config.context("--config is needed to begin a run")?;
            if let Some(run) = &self.fork {
                RunFolder::fork(run, &folder, |_| config)?;
                return self.work(Training::resume(&folder, options)?, &folder);
            }
            let model = self.from.as_deref().map(crate::model_folder).transpose()?;
            Training::begin(&folder, config, options, model.as_deref())?
        };
        self.work(training, &folder)
    }

    fn work(&self, training: Training, folder: &Path) -> Result<()> {
        let state = training.run()?;
        if !self.quiet {
            println!(
                "{}: {} steps, {} games, {} positions in {}",
                folder.display(),
                state.step,
                state.games,
                state.positions,
                duration(state.seconds)
            );
        }
        Ok(())
    }

    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.run {
            return Ok(folder.clone());
        }
        match self.config.as_ref().and_then(|path| path.file_stem()) {
            Some(name) => Ok(PathBuf::from("runs").join(name)),
            None => bail!("--resume needs --run with the folder of the run"),
        }
    }
}

/// A configuration given together with --resume must be the run's own.
fn check_same(folder: &std::path::Path, config: &RunConfig) -> Result<(), crate::TrainError> {
    let own = RunFolder::config_of(folder);
    if own.exists() && RunConfig::load(&own, &[])? != *config {
        return Err(RunError::OtherConfig(folder.to_owned()).into());
    }
    Ok(())
}

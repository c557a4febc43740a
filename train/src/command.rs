//! The command line of `hotstone train` and of the stand-alone `train` program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use models::{Architecture, Device, Precision};

use crate::config::{BAD_BUDGET, standard_names_with_rules};
use crate::progress::duration;
use crate::{
    ConfigError, RunConfig, RunError, RunFolder, RunState, StartingModel, TrainError, Training,
    TrainingOptions,
};

/// Settings for fine-tuning a trained model on one more rule set in minutes: short phases, so that
/// the rate falls in many small steps, and less than half of the usual rate, which would undo what
/// the model knows.
const FINE_TUNING: &str = "\
    [self_play]\nsimulations = [[0.0, 16]]\ngames = 64\ndecided_chance = 0.03\n\
    [learning]\nlearning_rate = 0.0008\npositions_per_phase = 2048\nflat_until = 0.3\n\
    [evaluation]\nevery = 0\n";

/// Learn a variant by self-play, from nothing or from a model.
#[derive(Debug, Clone, Args)]
pub struct TrainArguments {
    #[arg(long, help = config_help(), required_unless_present_any = ["resume", "rules"])]
    config: Option<PathBuf>,
    /// The rules to learn, in place of the configuration's; with --size and --minutes no
    /// configuration is needed.
    #[arg(long)]
    rules: Option<String>,
    /// The side of the board, in place of the configuration's.
    #[arg(long, value_parser = side)]
    size: Option<u8>,
    /// Minutes of the run, in place of the configuration's budget.
    #[arg(long)]
    minutes: Option<f64>,
    /// Change a setting of the configuration: key=value or table.key=value. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    changes: Vec<String>,
    /// Start from the weights of a model folder, of a run's newest checkpoint, or of a released
    /// model (universal, earlier, beginner) instead of random ones. The network may have more
    /// blocks and channels than the model; games and steps are counted from zero. Without --config,
    /// the settings are those for learning one more rule set in minutes.
    #[arg(long, value_name = "MODEL", conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Start from another run's current state, with its games and its learner, under the
    /// configuration given here, whose minutes are those of the fork; positions include the other
    /// run's. A fork with a falling learning rate can finish a run whose own rate is constant and
    /// which may itself continue.
    #[arg(long, value_name = "RUN", requires = "config", conflicts_with_all = ["resume", "from"])]
    fork: Option<PathBuf>,
    /// Folder of the run. [default: runs/, with the rules and the size or the configuration's name,
    /// as in runs/tile-9]
    #[arg(long)]
    run: Option<PathBuf>,
    /// Continue the run in the folder. Games that this machine had in progress when the run ended
    /// are lost, and so are those finished in the last half minute before it was killed.
    #[arg(long)]
    resume: bool,
    /// Print the whole configuration, including every default, and exit.
    #[arg(long)]
    print_config: bool,
    /// Where the network runs: cpu, cuda, or auto for CUDA where there is a GPU.
    #[arg(long, default_value = "auto")]
    device: String,
    /// Arithmetic: f32, bf16, or auto for bf16 where it is faster.
    #[arg(long, default_value = "auto")]
    precision: String,
    /// Print only errors.
    #[arg(long)]
    quiet: bool,
}

impl TrainArguments {
    /// Whether the run is to be continued.
    pub fn resumes(&self) -> bool {
        self.resume
    }

    /// The run that it is to be forked from.
    pub fn forks(&self) -> Option<&Path> {
        self.fork.as_deref()
    }

    /// Whether only the configuration is to be printed.
    pub fn only_prints(&self) -> bool {
        self.print_config
    }

    /// The folder given for the run.
    pub fn given_folder(&self) -> Option<&Path> {
        self.run.as_deref()
    }

    /// The model to begin from, which `find` opens.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn starting_model(
        &self,
        find: impl FnOnce(&Path) -> Result<StartingModel>,
    ) -> Result<Option<StartingModel>> {
        self.from.as_deref().map(find).transpose()
    }

    /// Where the run computes, and what it shows.
    ///
    /// # Errors
    /// This machine has no such device, or the device no such arithmetic.
    pub fn options(&self) -> Result<TrainingOptions> {
        let device = Device::choose(&self.device).context("--device")?;
        let precision = Precision::choose(&self.precision, device).context("--precision")?;
        Ok(TrainingOptions { device, precision, quiet: self.quiet })
    }

    /// Says what a run has become.
    pub fn sum_up(&self, name: &str, state: &RunState) {
        if !self.quiet {
            println!("{name}: {}", summary(state));
        }
    }

    /// Runs the command; `find` opens the model given by `--from`.
    ///
    /// # Errors
    /// One line that says what to do.
    pub fn execute(&self, find: impl FnOnce(&Path) -> Result<StartingModel>) -> Result<()> {
        let starting_model = self.starting_model(find)?;
        let config = self.configuration(starting_model.as_ref())?;
        if self.print_config {
            let config = config.context(
                "--print-config needs --config or --rules; the configuration of a run is config.toml in its folder",
            )?;
            print!("{}", config.to_toml());
            return Ok(());
        }
        let options = self.options()?;
        let folder = self.folder()?;
        let training = if self.resume {
            if let Some(config) = config {
                RunFolder::expect_config(&folder, &config).map_err(run_error_with_advice)?;
            }
            Training::resume(&folder, options).map_err(run_error_with_advice)?
        } else {
            let config = config.context(
                "--config is needed to begin a run, for example --config 9 --rules tile",
            )?;
            if let Some(run) = &self.fork {
                RunFolder::fork(run, &folder, |_| config).map_err(run_error_with_advice)?;
                let training = Training::resume(&folder, options).map_err(run_error_with_advice)?;
                return self.work(training, &folder);
            }
            Training::begin(&folder, config, options, starting_model)
                .map_err(run_error_with_advice)?
        };
        self.work(training, &folder)
    }

    /// The configuration with the changes of the other arguments; without a file the defaults, with
    /// the network of the model to start from.
    ///
    /// # Errors
    /// It cannot be read, or makes no sense.
    pub fn configuration(
        &self,
        starting_model: Option<&StartingModel>,
    ) -> Result<Option<RunConfig>> {
        // TOML writes such numbers in other words, and the error would be about these.
        if self.minutes.is_some_and(|minutes| !minutes.is_finite()) {
            return Err(ConfigError::Value(BAD_BUDGET).into());
        }
        let mut changes = Vec::new();
        changes.extend(self.rules.as_ref().map(|rules| format!("rules={rules:?}")));
        changes.extend(self.size.map(|size| format!("size={size}")));
        // The whole budget: positions that the configuration also sets would end the run early, or
        // let a fork begin in the middle of its schedules.
        changes.extend(self.minutes.map(|minutes| format!("budget={{minutes={minutes:?}}}")));
        changes.extend(self.changes.iter().cloned());
        if let Some(name) = &self.config {
            let config = RunConfig::find(name, &changes).map_err(config_error_with_advice)?;
            let is_changed = self.changes.iter().any(|change| change.starts_with("mixture"));
            ensure!(
                self.rules.is_none() || config.mixture.is_empty() || is_changed,
                "--config {} learns many rule sets: --rules would not change that. Take one that learns what it is told, \
                 such as --config 7 or sizes, or leave out --rules",
                name.display()
            );
            return Ok(Some(config));
        }
        let Some(rules) = &self.rules else {
            ensure!(
                changes.is_empty(),
                "--set, --size and --minutes need --config or --rules; a run goes on as it was begun, and with other settings in another \
                 folder: --fork RUN --config 9 --rules tile --run FOLDER"
            );
            return Ok(None);
        };
        let has_budget =
            self.minutes.is_some() || self.changes.iter().any(|change| is_budget(change));
        let missing = match (self.size.is_some(), has_budget) {
            (true, true) => None,
            (false, true) => Some("--size"),
            (true, false) => Some("--minutes"),
            (false, false) => Some("--size and --minutes"),
        };
        if let Some(missing) = missing {
            ensure!(
                !self.resume,
                "a run goes on as it was begun: resume without --rules, or begin one with other rules in another folder, \
                 for example --config 9 --rules {rules} --run FOLDER"
            );
            bail!("--rules {rules} without --config needs {missing} too");
        }
        let base = match starting_model {
            Some(starting_model) => {
                let Architecture { blocks, channels } = starting_model.card().architecture;
                format!("{FINE_TUNING}\n[network]\nblocks = {blocks}\nchannels = {channels}\n")
            }
            None => String::new(),
        };
        Ok(Some(RunConfig::parse(&base, "--rules", &changes)?))
    }

    fn work(&self, training: Training, folder: &Path) -> Result<()> {
        let state = training.run()?;
        self.sum_up(&folder.display().to_string(), &state);
        Ok(())
    }

    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.run {
            let is_other = folder.exists() && !folder.is_dir();
            ensure!(!is_other, "--run {}: expected a folder, and this is none", folder.display());
            return Ok(folder.clone());
        }
        let size = self.size.map(|size| size.to_string());
        let config = self.config.as_deref().and_then(Path::file_stem);
        let config = config.map(|name| name.display().to_string());
        let name = match &self.rules {
            Some(rules) => size.or(config).map(|name| format!("{rules}-{name}")),
            None => config,
        };
        let name = name.context("--resume needs --run with the folder of the run")?;
        Ok(PathBuf::from("runs").join(name))
    }
}

/// What a run has become. A fork has taken its time only since it was forked.
fn summary(state: &RunState) -> String {
    let RunState { step, games, positions, seconds, forked, .. } = state;
    let own = match forked.positions {
        0 => String::new(),
        before => format!(", {} of them since the fork,", positions.saturating_sub(before)),
    };
    format!("{step} steps, {games} games, {positions} positions{own} in {}", duration(*seconds))
}

/// What `--config` may be, with all standard configurations.
fn config_help() -> String {
    let names = |has_rules| standard_names_with_rules(has_rules).join(", ");
    format!(
        "A standard configuration, or a file that ends in .toml. Of the standard ones, {} (a number is the side of the board; \
         sizes is one network for several boards) need --rules; {} do not (the universal ones learn all rule sets). On two cores 5 \
         takes 30 minutes (incursion 20), 7 45 minutes, 9 and sizes 2 hours, 13 8 hours, 19 24 hours, and demo 6 minutes; \
         --minutes changes that",
        names(false),
        names(true)
    )
}

/// Other commands also take oblong boards.
fn side(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| "expected the side of a square board, as in --size 9".to_owned())
}

fn is_budget(change: &str) -> bool {
    let key = change.split('=').next().unwrap_or_default().trim();
    key == "budget" || key.starts_with("budget.")
}

/// An error of a configuration, with what to type.
fn config_error_with_advice(error: ConfigError) -> anyhow::Error {
    match error {
        ConfigError::Unknown(_) | ConfigError::Read(..) | ConfigError::NoRules => {
            anyhow!("{error}; for example `--config 9 --rules tile`")
        }
        ConfigError::Parse { .. }
        | ConfigError::Rules(_)
        | ConfigError::Value(_)
        | ConfigError::Reference(_)
        | ConfigError::NotLearnt(_)
        | ConfigError::Network(_) => error.into(),
    }
}

/// An error of a run folder, with what to type.
pub fn run_error_with_advice(error: impl Into<TrainError>) -> anyhow::Error {
    let error = error.into();
    let TrainError::Run(run) = &error else { return error.into() };
    let advice = match run {
        RunError::Exists(_) => "add --resume to continue it, or choose another folder with --run",
        RunError::Missing(_) => {
            "expected the folder of one (without --resume and --fork a new one begins)"
        }
        RunError::OtherConfig(_) => {
            "resume without --config and --set, or go on with other settings in another folder: --fork RUN --config 9 --rules tile --run FOLDER"
        }
        RunError::Leftover(_) => "remove it, or choose another folder with --run",
        RunError::OwnGames(_) => "choose another folder with --run, or leave it out",
        RunError::InUse(_)
        | RunError::Model(_)
        | RunError::Io { .. }
        | RunError::Store(_)
        | RunError::NothingToResume(_)
        | RunError::NoGames(_)
        | RunError::OtherOrigin(_)
        | RunError::Unforkable { .. }
        | RunError::Damaged { .. }
        | RunError::OtherVersion { .. } => return error.into(),
    };
    // The error stays a cause: it says how a process ends.
    let message = format!("{error}: {advice}");
    anyhow::Error::from(error).context(message)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::{Budget, Fork};

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        train: TrainArguments,
    }

    fn arguments(typed: &str) -> TrainArguments {
        let words = std::iter::once("train").chain(typed.split(' '));
        Program::try_parse_from(words).unwrap().train
    }

    #[test]
    fn minutes_replace_the_budget_of_a_configuration_and_other_changes_come_after() {
        for (typed, positions, minutes) in [
            ("--config universal", Some(16_000_000), None),
            ("--config universal --minutes 9", None, Some(9.0)),
            (
                "--config universal --minutes 9 --set budget.positions=20000000",
                Some(20_000_000),
                Some(9.0),
            ),
            ("--config universal --minutes 9 --set budget.minutes=8.5", None, Some(8.5)),
            ("--config demo --minutes 9", None, Some(9.0)),
            ("--rules tile --size 6 --minutes 0.5", None, Some(0.5)),
            ("--rules tile --size 6 --set budget.positions=900", Some(900), None),
            ("--rules tile --size 6 --set budget={positions=900}", Some(900), None),
        ] {
            let config = arguments(typed).configuration(None).unwrap().unwrap();
            assert_eq!(config.budget, Budget { positions, minutes }, "{typed}");
        }
        for minutes in ["inf", "nan", "-inf", "1e999", "0"] {
            let typed = format!("--config demo --minutes={minutes}");
            let refused = arguments(&typed).configuration(None).unwrap_err();
            assert_eq!(refused.to_string(), BAD_BUDGET, "{minutes}");
        }
    }

    #[test]
    fn the_time_of_a_fork_is_told_with_what_it_has_played_itself() {
        let (step, games, positions, seconds) = (90, 8, 300, 61.0);
        let state = RunState { step, games, positions, seconds, ..RunState::default() };
        assert_eq!(summary(&state), "90 steps, 8 games, 300 positions in 1 min 01 s");
        let forked = Fork { step: 60, positions: 200 };
        assert_eq!(
            summary(&RunState { forked, ..state }),
            "90 steps, 8 games, 300 positions, 100 of them since the fork, in 1 min 01 s"
        );
    }

    #[test]
    fn an_oblong_board_is_refused_in_words() {
        let words = ["train", "--config", "9", "--rules", "tile", "--size", "5x7"];
        let refused = Program::try_parse_from(words).err().unwrap().to_string();
        assert!(refused.contains("expected the side of a square board"), "{refused}");
    }

    #[test]
    fn only_what_is_missing_is_asked_for() {
        for (typed, said) in [
            ("--rules go", "needs --size and --minutes too"),
            ("--rules go --size 5", "needs --minutes too"),
            ("--rules go --minutes 5", "needs --size too"),
            ("--rules go --set budget.positions=900", "needs --size too"),
            ("--resume --run r1 --rules go", "a run goes on as it was begun"),
        ] {
            let error = arguments(typed).configuration(None).unwrap_err().to_string();
            assert!(error.contains(said), "{typed}: {error}");
        }
    }

    #[test]
    fn the_configuration_of_a_run_is_in_its_folder() {
        let asked = arguments("--resume --run r1 --print-config");
        let refused = asked.execute(|_| unreachable!("no model is named")).unwrap_err().to_string();
        assert!(refused.contains("config.toml in its folder"), "{refused}");
    }

    #[test]
    fn the_help_names_every_standard_configuration() {
        let help = config_help();
        let words: Vec<&str> = help.split([' ', ',']).collect();
        for name in crate::standard_names() {
            assert!(words.contains(&name), "{name}: {help}");
        }
    }

    #[test]
    fn a_run_without_a_folder_is_named_after_what_it_learns() {
        for (typed, folder) in [
            ("--config 9 --rules tile", "runs/tile-9"),
            ("--config 9 --rules tile --size 8", "runs/tile-8"),
            ("--config gpu-9 --rules tile", "runs/tile-gpu-9"),
            ("--config demo", "runs/demo"),
            ("--config mine/small.toml", "runs/small"),
            ("--rules tile,end=area --size 6 --minutes 5", "runs/tile,end=area-6"),
            ("--config demo --run elsewhere --resume", "elsewhere"),
        ] {
            assert_eq!(arguments(typed).folder().unwrap(), Path::new(folder), "{typed}");
        }
    }
}

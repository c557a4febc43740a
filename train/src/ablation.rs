//! Paired short runs forked from one run: measures what a setting is worth, at a tenth of the cost
//! of separate runs.
//!
//! All arms continue from one checkpoint of a run, with its games, its optimizer state and equal
//! seeds, and each differs in one setting. Afterwards each arm plays a match against the arm that
//! it is compared with, under the rule sets of the run's panel. Braun (2026) found that such pairs
//! differ by 10 to 24 Elo by chance, and independent runs by 41.

mod table;

use std::path::{Path, PathBuf};

use arena::Estimate;
use engine::Rules;
use models::{Client, Server, ServerSettings, model_folder};
use serde::Deserialize;

use self::table::Table;
use crate::progress::Progress;
use crate::run::write_renamed;
use crate::{
    Budget, ConfigError, EvaluationSettings, Fork, RunConfig, RunError, RunFolder, RunState,
    TrainError, Training, TrainingOptions, rating,
};

/// The name of the arm without any change.
const UNCHANGED: &str = "as it is";

/// The arms of an ablation, read from a file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arms {
    #[serde(rename = "arm")]
    arms: Vec<Arm>,
}

/// One change, and what it is compared with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arm {
    name: String,
    /// Changed settings, as `table.key=value`.
    set: Vec<String>,
    /// The arm it is compared with; by default the unchanged one.
    against: Option<String>,
}

impl Arm {
    fn folder_name(&self) -> String {
        self.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
    }
}

/// The length and size of an ablation.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablation {
    /// The run to fork.
    pub run: PathBuf,
    /// Where the arms' runs and the table are written. If it is the folder of an earlier ablation,
    /// that one is continued.
    pub folder: PathBuf,
    /// Positions that each arm records.
    pub positions: u64,
    /// Number of repetitions, each with a different seed.
    pub seeds: u64,
    /// Games per match.
    pub games: usize,
    /// Simulations per move in matches.
    pub simulations: u32,
}

/// An arm with one seed, ready to train.
struct PreparedArm {
    folder: PathBuf,
    /// The state of the run from which it continues.
    origin: Fork,
}

/// The result of an arm with one seed.
struct FinishedArm {
    folder: PathBuf,
    /// Its final state, or why it failed.
    end: Result<RunState, TrainError>,
}

impl Arms {
    /// Reads the arms from a file.
    ///
    /// # Errors
    /// The file cannot be read or parsed, or an arm is compared with an unknown one.
    pub fn load(path: &Path) -> Result<Arms, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|e| ConfigError::Read(path.to_owned(), e))?;
        let bad =
            |message: String| ConfigError::Parse { origin: path.display().to_string(), message };
        let mut arms: Arms =
            toml::from_str(&text).map_err(|error| bad(error.message().replace('\n', " ")))?;
        let unchanged = Arm { name: UNCHANGED.to_owned(), set: Vec::new(), against: None };
        arms.arms.insert(0, unchanged);
        for (index, arm) in arms.arms.iter().enumerate() {
            if arms.place(&arm.name) != Some(index) {
                return Err(bad(format!("two arms are called '{}'", arm.name)));
            }
            let alike = |other: &&Arm| other.folder_name() == arm.folder_name();
            if let Some(other) = arms.arms[..index].iter().find(alike) {
                return Err(bad(format!(
                    "'{}' and '{}' would have the same folder: name one of them otherwise",
                    other.name, arm.name
                )));
            }
            if arm.against.as_ref() == Some(&arm.name) {
                return Err(bad(format!("'{}' is compared with itself", arm.name)));
            }
            if let Some(other) = arm.against.as_ref().filter(|other| arms.place(other).is_none()) {
                return Err(bad(format!(
                    "'{}' is compared with '{other}', which is not an arm",
                    arm.name
                )));
            }
        }
        Ok(arms)
    }

    /// The configuration of a run with each arm's changes, the unchanged arm first.
    ///
    /// # Errors
    /// A setting that does not exist, is out of range or has no effect, or an arm that would not
    /// learn what the matches are played under.
    pub fn configurations(&self, own: &RunConfig) -> Result<Vec<RunConfig>, ConfigError> {
        let text = own.to_toml();
        let played: Vec<Rules> = own.panel()?.into_iter().chain([own.largest()?]).collect();
        let configuration = |arm: &Arm| {
            let wrong = |message: String| ConfigError::Parse {
                origin: format!("arm '{}'", arm.name),
                message,
            };
            let config = RunConfig::parse(&text, "", &arm.set);
            let config = config.map_err(|error| wrong(error.to_string()))?;
            if let Some(problem) = without_effect(own, &config) {
                return Err(wrong(problem.to_owned()));
            }
            let card = config.card(0)?;
            match played.iter().find(|rules| card.check(Path::new(""), Some(*rules)).is_err()) {
                Some(rules) => Err(wrong(format!(
                    "it would not learn {rules} on {:#}, under which the arms play their matches",
                    rules.size
                ))),
                None => Ok(config),
            }
        };
        self.arms.iter().map(configuration).collect()
    }

    /// Keeps only the named arms and those that they are compared with, directly or through others.
    ///
    /// # Errors
    /// An unknown arm.
    pub fn only(&self, names: &[String]) -> Result<Arms, ConfigError> {
        let mut wanted = vec![0];
        for name in names {
            let mut place = self.place(name).ok_or_else(|| self.unknown(name))?;
            // The rival has a rival, too: without it, its match would be against the unchanged arm.
            while !wanted.contains(&place) {
                wanted.push(place);
                place = self.rival(place);
            }
        }
        let places = 0..self.arms.len();
        let arms = places.filter(|place| wanted.contains(place));
        Ok(Arms { arms: arms.map(|place| self.arms[place].clone()).collect() })
    }

    fn unknown(&self, name: &str) -> ConfigError {
        let names: Vec<&str> = self.arms[1..].iter().map(|arm| arm.name.as_str()).collect();
        let message = format!("unknown arm '{name}': expected {}", names.join(", "));
        ConfigError::Parse { origin: "arms".to_owned(), message }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.arms.iter().position(|arm| arm.name == name)
    }

    /// The index of the arm that an arm is compared with.
    fn rival(&self, arm: usize) -> usize {
        self.arms[arm].against.as_deref().and_then(|name| self.place(name)).unwrap_or(0)
    }
}

/// What is wrong with an arm that differs from the run's `own` configuration in settings by which
/// no arm is trained or compared: it would be measured as if it were unchanged.
fn without_effect(own: &RunConfig, config: &RunConfig) -> Option<&'static str> {
    if config.budget != own.budget {
        Some("budget would have no effect: leave it out, and set all lengths by --positions")
    } else if config.evaluation != own.evaluation {
        Some(
            "evaluation would have no effect: leave it out, and set the matches by --games and --simulations (they are \
             played under the run's own panel)",
        )
    } else if config.fleet != own.fleet {
        Some("fleet would have no effect: leave it out (arms are trained on one machine)")
    } else {
        None
    }
}

impl Ablation {
    /// Trains all arms, plays all matches, and returns the table as text. After each match, the
    /// table so far is in `table.md` in the folder, and its newest line is printed to standard
    /// error. What an earlier call has compared there stays in the table until it is compared again.
    ///
    /// # Errors
    /// The run cannot be forked, a setting does not exist, or the table cannot be written. An arm
    /// that diverges is a result, not an error.
    pub fn run(&self, arms: &Arms, options: TrainingOptions) -> Result<String, TrainError> {
        let own = RunConfig::load(&RunFolder::config_of(&self.run), &[])?;
        // Check all settings before the first arm starts.
        let configs = arms.configurations(&own)?;
        let path = self.folder.join("table.md");
        let mut table = Table::open(&path, self.heading(&own)?);
        for seed in 1..=self.seeds {
            let begin = |(arm, config)| self.begin(arm, config, seed);
            let started =
                arms.arms.iter().zip(&configs).map(begin).collect::<Result<Vec<_>, _>>()?;
            check_origins(&started)?;
            let train = |arm| train(arm, options);
            let finished = started.into_iter().map(train).collect::<Result<Vec<_>, _>>()?;
            for place in 1..arms.arms.len() {
                let rival = arms.rival(place);
                let elo = match (&finished[place].end, &finished[rival].end) {
                    (Ok(_), Ok(_)) => {
                        let pair = [&finished[place].folder, &finished[rival].folder];
                        Some(self.compare(pair, &own, seed, options)?)
                    }
                    _ => None,
                };
                let row = table.add(
                    &arms.arms[place].name,
                    &arms.arms[rival].name,
                    seed,
                    &finished[place].end,
                    elo,
                );
                write_renamed(&path, table.text().as_bytes())?;
                Progress::new(options.quiet).line(row.trim_end());
            }
        }
        Ok(table.text())
    }

    /// What the table says above its lines, for a run with the configuration `own`.
    fn heading(&self, own: &RunConfig) -> Result<String, ConfigError> {
        let panel = own.panel()?;
        let rules: Vec<String> = panel.iter().map(Rules::to_string).collect();
        Ok(format!(
            "{}, {rules} on {size:#}: {} positions an arm, {} games a match, {} simulations a move",
            self.run.display(),
            self.positions,
            self.games,
            self.simulations,
            rules = rules.join(", "),
            size = own.largest()?.size,
        ))
    }

    /// Forks the run, unless an earlier attempt has already done so.
    fn begin(&self, arm: &Arm, config: &RunConfig, seed: u64) -> Result<PreparedArm, TrainError> {
        let folder = self.folder.join(format!("{}-{seed}", arm.folder_name()));
        let of_arm = |from| self.config(config, from, seed);
        let is_begun = RunFolder::config_of(&folder).exists();
        if !is_begun {
            RunFolder::fork(&self.run, &folder, |state| of_arm(state.positions))?;
        }
        let latest = RunFolder::resume(&folder)?.latest()?;
        let origin = latest.map_or(Fork::default(), |(_, state)| state.forked);
        if is_begun {
            RunFolder::expect_config(&folder, &of_arm(origin.positions))?;
        }
        Ok(PreparedArm { folder, origin })
    }

    /// The configuration of an arm: its schedules run from the point where the run had `positions`
    /// positions to the end of the arm's own budget.
    fn config(&self, config: &RunConfig, positions: u64, seed: u64) -> RunConfig {
        RunConfig {
            seed: config.seed ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            budget: Budget {
                positions: Some(positions.saturating_add(self.positions)),
                minutes: None,
            },
            evaluation: EvaluationSettings { every: 0.0, ..config.evaluation.clone() },
            ..config.clone()
        }
    }

    fn compare(
        &self,
        runs: [&PathBuf; 2],
        config: &RunConfig,
        seed: u64,
        options: TrainingOptions,
    ) -> Result<Estimate, TrainError> {
        let rules = config.largest()?;
        let open = |run: &Path| -> Result<Server, TrainError> {
            let network = models::load(&model_folder(run)?, Some(&rules))?;
            Ok(Server::start(network, ServerSettings::new(options.device, options.precision))?)
        };
        let servers = [open(runs[0])?, open(runs[1])?];
        let mut players: [Client; 2] = [servers[0].client(), servers[1].client()];
        let settings = EvaluationSettings {
            games: self.games,
            simulations: self.simulations,
            ..config.evaluation.clone()
        };
        Ok(rating::elo_gain(&config.panel()?, &settings, &mut players, seed)?.elo)
    }
}

/// Arms that continue from different states of the run cannot be compared.
fn check_origins(started: &[PreparedArm]) -> Result<(), RunError> {
    match started.iter().find(|arm| arm.origin != started[0].origin) {
        Some(arm) => Err(RunError::OtherOrigin(arm.folder.clone())),
        None => Ok(()),
    }
}

/// Trains an arm to its end.
fn train(arm: PreparedArm, options: TrainingOptions) -> Result<FinishedArm, TrainError> {
    let PreparedArm { folder, .. } = arm;
    let end = match Training::resume(&folder, options)?.run() {
        Err(error @ TrainError::Diverged { .. }) => Err(error),
        other => Ok(other?),
    };
    Ok(FinishedArm { folder, end })
}

#[cfg(test)]
mod tests {
    use models::{Device, Precision};
    use selfplay::GameStore;

    use super::*;

    const SMOKE: &str = include_str!("../../configs/smoke.toml");
    const OPTIONS: TrainingOptions =
        TrainingOptions { device: Device::Cpu, precision: Precision::F32, quiet: true };

    fn arms_of(text: &str) -> Result<Arms, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arms.toml");
        std::fs::write(&path, text).unwrap();
        Arms::load(&path)
    }

    #[test]
    fn arms_go_on_from_the_run_with_their_own_settings_and_are_compared() {
        let home = tempfile::tempdir().unwrap();
        let run = home.path().join("run");
        let panel = "evaluation.panel=['incursion', 'incursion,komi=5']".to_owned();
        let config = RunConfig::parse(SMOKE, "smoke.toml", &[panel]).unwrap();
        let origin = Training::begin(&run, config, OPTIONS, None).unwrap().run().unwrap();
        let arms = arms_of(
            "[[arm]]\nname = 'reuse 2'\nset = ['learning.reuse=2']\n\
             [[arm]]\nname = 'muon'\nset = ['learning.optimizer=muon']\nagainst = 'reuse 2'\n",
        )
        .unwrap();
        let ablation = Ablation {
            folder: home.path().join("ablation"),
            run,
            positions: 150,
            seeds: 1,
            games: 4,
            simulations: 2,
        };
        let table = ablation.run(&arms, OPTIONS).unwrap();
        assert_eq!(table.lines().count(), 6, "{table}");
        assert!(table.contains("incursion, incursion,komi=5 on 4×4: "), "{table}");
        assert_eq!(std::fs::read_to_string(ablation.folder.join("table.md")).unwrap(), table);
        assert!(table.contains("| reuse 2 | as it is | 1 |"), "{table}");
        assert!(table.contains("| muon | reuse 2 | 1 |"), "{table}");
        for (arm, reuse) in [("as-it-is-1", 1.0), ("reuse-2-1", 2.0), ("muon-1", 1.0)] {
            let folder = RunFolder::resume(&ablation.folder.join(arm)).unwrap();
            let (_, state) = folder.latest().unwrap().unwrap();
            let own = state.positions - origin.positions;
            assert!((150..300).contains(&own), "{arm}: {own} positions");
            let steps = (own as f64 * reuse / 16.0) as u64;
            assert_eq!(state.step, origin.step + steps, "{arm}");
            assert!(state.used_below > origin.used_below && state.skipped_steps == 0, "{arm}");
            let keys = |run: &Path| GameStore::open(&run.join("games")).unwrap().keys().unwrap();
            assert!(keys(folder.root()).starts_with(&keys(&ablation.run)), "{arm}");
        }
        // Finished work is not repeated, and what is not compared again stays in the table.
        let first = arms.only(&["reuse 2".to_owned()]).unwrap();
        for again in [&arms, &first] {
            let table = ablation.run(again, OPTIONS).unwrap();
            assert_eq!(table.lines().count(), 6, "{table}");
            assert!(table.contains("| muon | reuse 2 | 1 |"), "{table}");
        }
        // With other settings or another state of the run, the folders' contents would not apply.
        let other = arms_of("[[arm]]\nname = 'reuse 2'\nset = ['learning.reuse=3']\n").unwrap();
        let error = ablation.run(&other, OPTIONS).unwrap_err().to_string();
        assert!(error.ends_with("reuse-2-1 was begun with another configuration"), "{error}");
        let longer = Ablation { positions: 200, ..ablation.clone() };
        assert!(longer.run(&arms, OPTIONS).is_err());
        // Less than a batch.
        let few = Ablation { positions: 9, folder: home.path().join("few"), ..ablation.clone() };
        let error = few.run(&arms, OPTIONS).unwrap_err().to_string();
        assert!(error.contains("9 more are too few") && error.contains("--positions"), "{error}");
        // The run itself is unchanged.
        let (_, state) = RunFolder::resume(&ablation.run).unwrap().latest().unwrap().unwrap();
        assert_eq!(state, origin);
    }

    #[test]
    fn arms_from_different_states_of_the_run_are_found_before_they_are_trained() {
        let home = tempfile::tempdir().unwrap();
        let run = home.path().join("run");
        let config = RunConfig::parse(SMOKE, "smoke.toml", &[]).unwrap();
        Training::begin(&run, config, OPTIONS, None).unwrap().run().unwrap();
        let folder = home.path().join("ablation");
        let ablation = Ablation { run, folder, positions: 50, seeds: 1, games: 2, simulations: 2 };
        let one = "[[arm]]\nname = 'muon'\nset = ['learning.optimizer=muon']\n";
        ablation.run(&arms_of(one).unwrap(), OPTIONS).unwrap();

        let config = RunFolder::config_of(&ablation.run);
        let longer = RunConfig::load(&config, &["budget.positions=900".to_owned()]).unwrap();
        std::fs::write(&config, longer.to_toml()).unwrap();
        let later = Training::resume(&ablation.run, OPTIONS).unwrap().run().unwrap();

        let two = format!("{one}[[arm]]\nname = 'new'\nset = ['learning.reuse=2']\n");
        let error = ablation.run(&arms_of(&two).unwrap(), OPTIONS).unwrap_err();
        assert!(matches!(error, TrainError::Run(RunError::OtherOrigin(_))), "{error}");
        let new = RunFolder::resume(&ablation.folder.join("new-1")).unwrap();
        let (_, state) = new.latest().unwrap().unwrap();
        assert_eq!(state.step, later.step, "not trained");
    }

    #[test]
    fn arms_that_make_no_sense_are_errors() {
        let error = |text| arms_of(text).unwrap_err().to_string();
        let twice = "[[arm]]\nname = 'a'\nset = []\n[[arm]]\nname = 'a'\nset = []\n";
        assert!(error(twice).contains("two arms are called 'a'"));
        let missing = "[[arm]]\nname = 'a'\nset = []\nagainst = 'b'\n";
        assert!(error(missing).contains("'b', which is not an arm"));
        let itself = "[[arm]]\nname = 'a'\nset = []\nagainst = 'a'\n";
        assert!(error(itself).contains("'a' is compared with itself"));
        let alike = "[[arm]]\nname = 'lr+'\nset = []\n[[arm]]\nname = 'lr-'\nset = []\n";
        assert!(error(alike).contains("'lr+' and 'lr-' would have the same folder"));
        let several =
            arms_of("[[arm]]\nname = 'a'\nset = []\n[[arm]]\nname = 'b'\nset = []\n").unwrap();
        let message = several.only(&["c".to_owned()]).unwrap_err().to_string();
        assert_eq!(message, "arms: unknown arm 'c': expected a, b");
        assert_eq!(several.only(&["b".to_owned()]).unwrap().arms.len(), 2);
        let chain = "[[arm]]\nname = 'a'\nset = []\n[[arm]]\nname = 'b'\nset = []\nagainst = 'a'\n\
                     [[arm]]\nname = 'c'\nset = []\nagainst = 'b'\n";
        let chain = arms_of(chain).unwrap().only(&["c".to_owned()]).unwrap();
        let rivals: Vec<usize> = (1..chain.arms.len()).map(|arm| chain.rival(arm)).collect();
        assert_eq!(rivals, [0, 1, 2], "each with the one that the file names");
        let config = RunConfig::parse(SMOKE, "smoke.toml", &[]).unwrap();
        let unknown = arms_of("[[arm]]\nname = 'a'\nset = ['learning.reus=2']\n").unwrap();
        let message = unknown.configurations(&config).unwrap_err().to_string();
        assert_eq!(message, "arm 'a': settings: unknown key 'reus': did you mean 'reuse'?");
        for set in ["budget.positions=301", "evaluation.simulations=77", "fleet.reuse_least=0.5"] {
            let arms = arms_of(&format!("[[arm]]\nname = 'a'\nset = ['{set}']\n")).unwrap();
            let message = arms.configurations(&config).unwrap_err().to_string();
            assert!(message.contains("would have no effect: leave it out"), "{set}: {message}");
        }
        let same = arms_of("[[arm]]\nname = 'a'\nset = ['budget.positions=300']\n").unwrap();
        assert_eq!(same.configurations(&config).unwrap().len(), 2, "as the run has it anyway");
        for set in ["rules=tile", "size=3"] {
            let arms = arms_of(&format!("[[arm]]\nname = 'a'\nset = ['{set}']\n")).unwrap();
            let message = arms.configurations(&config).unwrap_err().to_string();
            assert!(
                message.starts_with("arm 'a': it would not learn incursion on 4×4"),
                "{message}"
            );
        }
    }
}

//! The configuration of a run: typed, complete, and strict about unknown keys.

mod change;
mod error;
mod evaluation;
mod fleet;
mod learning;
mod mixture;
mod network;
mod reading;
mod standard;

use std::path::Path;

use engine::{Rules, Scope};
use models::{Architecture, Card};
use selfplay::{Component, Mixture, SelfPlaySettings};
use serde::{Deserialize, Serialize};

use self::change::{apply, large_seed, table_of};
pub use self::error::ConfigError;
pub use self::evaluation::EvaluationSettings;
pub use self::fleet::FleetSettings;
pub use self::learning::LearningSettings;
use self::learning::is_positive;
pub use self::mixture::MixtureSettings;
use self::reading::{deserialize, invalid_toml};
use self::standard::standard;
pub use self::standard::standard_names;
pub(crate) use self::standard::standard_names_with_rules;

/// What is wrong with a budget that ends a run at once or never.
pub(crate) const BAD_BUDGET: &str =
    "the budget (minutes, or positions) must be finite and more than 0";

/// What is wrong where one board is asked for in a configuration of several, or the reverse.
const BOTH_SIZES: &str = "expected either size or sizes: leave out --size, or change the sizes and their shares, as in --set sizes=[[5,1.0]]; \
     for several boards, take --config sizes";

/// Everything that determines a run. Saved as `config.toml` in its folder.
///
/// ```
/// use train::RunConfig;
///
/// let text = "rules = 'tile'\nsize = 7\n[budget]\nminutes = 5\n";
/// let config = RunConfig::parse(text, "example.toml", &["learning.batch=64".to_owned()])?;
/// assert_eq!(config.learning.batch, 64);
/// assert_eq!(RunConfig::parse(&config.to_toml(), "printed", &[])?, config);
/// let error = RunConfig::parse(text, "example.toml", &["learning.bach=64".to_owned()]);
/// assert!(error.is_err_and(|error| error.to_string().contains("did you mean 'batch'")));
/// # Ok::<(), train::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// A variant's name, and changes to it: `tile,end=area,tile_limit=2`.
    pub rules: String,
    /// Side of the board, in points, in a run of one size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u8>,
    /// For a run of several sizes: each with its share of the recorded positions, `[[5, 1.0], [7,
    /// 1.0], [9, 2.0]]`. KataGo found that mixed sizes learn as fast as one size, or slightly
    /// faster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<(u8, f32)>,
    /// Rule sets that the network learns together; only `rules` if empty. Each game has its own
    /// rule set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixture: Vec<MixtureSettings>,
    /// One in this many random combinations is held out, chosen by its identity, to test the
    /// network on rules that it has not seen. 0 holds none out.
    #[serde(default)]
    pub held_out: u64,
    /// Seed of all randomness in the run.
    #[serde(default)]
    pub seed: u64,
    /// Whether a phase is played while the games of the previous one are learnt from. This pays off
    /// where the network has its own device; two CPU cores are busy with either task alone. KataGo:
    /// always, on separate machines.
    #[serde(default)]
    pub overlap: bool,
    /// How long the run is.
    pub budget: Budget,
    /// The network.
    #[serde(default, deserialize_with = "network::network")]
    pub network: Architecture,
    /// The games.
    #[serde(default)]
    pub self_play: SelfPlaySettings,
    /// The learner.
    #[serde(default)]
    pub learning: LearningSettings,
    /// Matches against earlier checkpoints.
    #[serde(default)]
    pub evaluation: EvaluationSettings,
    /// Learner and workers on many machines.
    #[serde(default)]
    pub fleet: FleetSettings,
}

/// The end of a run: the first of these limits to be reached. At least one is required, because the
/// learning rate and the number of simulations depend on the fraction of the run that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Recorded positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// Minutes of work over all sessions of the run. Self-play ends with them; what has been
    /// recorded by then is still learnt from, and the last match is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

impl Budget {
    /// Fraction of the run that is complete, 0 to 1.
    pub fn progress(&self, positions: u64, seconds: f64) -> f32 {
        let by_positions = self.positions.map_or(0.0, |all| positions as f64 / all as f64);
        let by_time = self.minutes.map_or(0.0, |all| seconds / (60.0 * all));
        by_positions.max(by_time).min(1.0) as f32
    }
}

impl RunConfig {
    /// Reads the standard configuration of that name, or a file if the name ends in `.toml`, and
    /// then applies `key=value` changes.
    ///
    /// # Errors
    /// As for [`RunConfig::load`], or if the name is not among [`standard_names`].
    pub fn find(name: &Path, changes: &[String]) -> Result<RunConfig, ConfigError> {
        if name.extension().is_some_and(|ending| ending == "toml") {
            return RunConfig::load(name, changes);
        }
        let name = name.display().to_string();
        let text = standard(&name, changes).ok_or_else(|| ConfigError::Unknown(name.clone()))?;
        RunConfig::parse(text, &name, changes)
    }

    /// Reads a file and then applies `key=value` changes, where a key may be `table.key`.
    ///
    /// # Errors
    /// Anything unknown or out of range, with the file it is in.
    pub fn load(path: &Path, changes: &[String]) -> Result<RunConfig, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|e| ConfigError::Read(path.to_owned(), e))?;
        RunConfig::parse(&text, &path.display().to_string(), changes)
    }

    /// Reads TOML text like [`RunConfig::load`]; `origin` names it in errors.
    ///
    /// # Errors
    /// Anything unknown or out of range.
    pub fn parse(text: &str, origin: &str, changes: &[String]) -> Result<RunConfig, ConfigError> {
        let config: RunConfig = if changes.is_empty() {
            // Not via a table, whose integers are limited to i64: a seed may be any u64.
            let source =
                toml::Deserializer::parse(text).map_err(|e| invalid_toml(origin, text, &e))?;
            deserialize(source, origin)?
        } else {
            let (mut seed, mut table) =
                table_of(text).map_err(|e| invalid_toml(origin, text, &e))?;
            for change in changes {
                if let Some(large) = large_seed(change) {
                    seed = Some(large);
                    table.remove("seed");
                } else {
                    apply(&mut table, change)?;
                }
            }
            let seed = seed.filter(|_| !table.contains_key("seed"));
            let config: RunConfig = deserialize(table, "settings")?;
            RunConfig { seed: seed.unwrap_or(config.seed), ..config }
        };
        config.checked()
    }

    /// The rules of the run on each of its board sizes, in order, with their shares of the
    /// positions.
    ///
    /// # Errors
    /// The rules do not exist, no size is given, or one is given twice.
    pub fn tables(&self) -> Result<Vec<(Rules, f32)>, ConfigError> {
        let mut sizes = match (self.size, self.sizes.as_slice()) {
            (Some(size), []) => vec![(size, 1.0)],
            (None, [_, ..]) => self.sizes.clone(),
            (None, []) => return Err(ConfigError::Value("expected either size or sizes")),
            (Some(_), [_, ..]) => return Err(ConfigError::Value(BOTH_SIZES)),
        };
        sizes.sort_by_key(|&(size, _)| size);
        if sizes.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(ConfigError::Value("sizes names a size twice"));
        }
        if !sizes.iter().all(|(_, share)| share.is_finite() && *share > 0.0) {
            return Err(ConfigError::Value("the shares in sizes must be positive numbers"));
        }
        let table = |(size, share)| Ok((Rules::parse(&self.rules, size)?, share));
        sizes.into_iter().map(table).collect()
    }

    /// The run's own rules on its largest board.
    ///
    /// # Errors
    /// As for [`RunConfig::tables`].
    pub fn largest(&self) -> Result<Rules, ConfigError> {
        let tables = self.tables()?;
        tables.last().map(|(rules, _)| *rules).ok_or(ConfigError::Value("sizes is empty"))
    }

    /// What is played on each size, with its share of the recorded positions.
    ///
    /// # Errors
    /// As for [`RunConfig::tables`], or if the mixture is invalid.
    pub fn mixtures(&self) -> Result<Vec<(Mixture, f32)>, ConfigError> {
        let mixture = |(rules, share): (Rules, f32)| {
            if self.mixture.is_empty() {
                return Ok((Mixture::of(rules), share));
            }
            let mut components = Vec::new();
            for entry in &self.mixture {
                components.extend(entry.components(rules.size)?);
            }
            Ok((Mixture::new(rules.size, components, self.held_out), share))
        };
        self.tables()?.into_iter().map(mixture).collect()
    }

    /// The rules under which the run's matches are played.
    ///
    /// # Errors
    /// As for [`RunConfig::tables`], or if the rules do not exist or are named twice.
    pub fn panel(&self) -> Result<Vec<Rules>, ConfigError> {
        let largest = self.largest()?;
        if self.evaluation.panel.is_empty() {
            return Ok(vec![largest]);
        }
        let mut panel: Vec<Rules> = Vec::new();
        for text in &self.evaluation.panel {
            let rules = Rules::parse(text, largest.size)?;
            // The same games again would be no evidence.
            if panel.contains(&rules) {
                return Err(ConfigError::Value("evaluation.panel names a rule set twice"));
            }
            panel.push(rules);
        }
        Ok(panel)
    }

    /// The scope of a network of the run, if it learns several rule sets.
    ///
    /// # Errors
    /// As for [`RunConfig::mixtures`].
    pub fn scope(&self) -> Result<Option<Scope>, ConfigError> {
        if self.mixture.is_empty() {
            return Ok(None);
        }
        let (mixtures, mut scope) = (self.mixtures()?, Scope::default());
        for (component, _) in mixtures.iter().flat_map(|(mixture, _)| mixture.components()) {
            match component {
                Component::Named(rules) => scope.add(rules),
                Component::Combined => scope.add_combined(),
            }
        }
        Ok(Some(scope))
    }

    /// The card of the run's network after `step` learning steps.
    ///
    /// # Errors
    /// As for [`RunConfig::scope`].
    pub fn card(&self, step: u64) -> Result<Card, ConfigError> {
        let sizes = self.tables()?.iter().map(|(rules, _)| rules.size).collect();
        let own = Card::new(&self.largest()?, &self.network, step);
        Ok(Card { sizes, scope: self.scope()?, ..own })
    }

    /// The configuration as TOML, with every default written out.
    pub fn to_toml(&self) -> String {
        // Plain numbers, texts and tables, which TOML can always write.
        toml::to_string(self).unwrap_or_default()
    }

    /// The configuration as a table, with every default written out.
    ///
    /// # Errors
    /// The seed is too large for an integer of a TOML table.
    pub fn to_table(&self) -> Result<toml::Table, ConfigError> {
        toml::Table::try_from(self)
            .map_err(|_| ConfigError::Value("seed must be at most 9223372036854775807 here"))
    }

    /// Reads a table like [`RunConfig::load`] reads a file.
    ///
    /// # Errors
    /// Anything unknown or out of range.
    pub fn from_table(table: toml::Table, origin: &str) -> Result<RunConfig, ConfigError> {
        let config: RunConfig = deserialize(table, origin)?;
        config.checked()
    }

    fn checked(self) -> Result<RunConfig, ConfigError> {
        self.check_matches()?;
        self.network.check()?;
        self.evaluation.check_references(self.largest()?.size)?;
        let learning = &self.learning;
        let problem = if self.budget == Budget::default() {
            Some("budget needs positions or minutes")
        } else if self.budget.positions == Some(0)
            || self.budget.minutes.is_some_and(|minutes| !is_positive(minutes))
        {
            Some(BAD_BUDGET)
        } else if self.held_out == 1 {
            Some("held_out must be 0 or at least 2: 1 would hold out every combination")
        } else if let Some(problem) = learning.problem() {
            Some(problem)
        } else if self.budget.positions.is_some_and(|positions| learning.steps_at(positions) == 0) {
            Some(
                "budget.positions times learning.reuse must be at least learning.batch, or nothing would be learnt",
            )
        } else {
            let evaluation = self.evaluation.problem();
            evaluation.or_else(|| self.fleet.problem()).or_else(|| self.self_play.problem())
        };
        problem.map_or(Ok(self), |problem| Err(ConfigError::Value(problem)))
    }

    /// Checks that matches are played only under rules that the network learns.
    fn check_matches(&self) -> Result<(), ConfigError> {
        let (scope, own) = (self.scope()?, self.largest()?);
        let is_learnt = |rules: &Rules| match &scope {
            Some(scope) => scope.excludes(rules).is_none(),
            None => rules.kind_hash() == own.kind_hash(),
        };
        match self.panel()?.iter().chain([&own]).find(|rules| !is_learnt(rules)) {
            Some(rules) => Err(ConfigError::NotLearnt(rules.to_string())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "rules = 'incursion'\nsize = 7\n[budget]\npositions = 1000\n";

    fn error(text: &str, changes: &[&str]) -> String {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        RunConfig::parse(text, "x.toml", &changes).unwrap_err().to_string()
    }

    #[test]
    fn unknown_keys_come_with_the_nearest_right_one() {
        let text = format!("{SMALL}[learning]\nbatsh = 3\n");
        assert_eq!(error(&text, &[]), "x.toml: unknown key 'batsh': did you mean 'batch'?");
        let found = error(SMALL, &["self_play.game=3"]);
        assert_eq!(found, "settings: unknown key 'game': did you mean 'games'?");
        let found = error(SMALL, &["zzzzzzzzzzzz=1"]);
        assert!(found.contains("expected one of rules, size"), "{found}");
        let found = error(SMALL, &["evaluation.references=['model:x']"]);
        assert_eq!(found, "evaluation.references: 'model:x' is not built in");
        let solver = ["evaluation.references=['uct:9', 'solver']", "size=3"].map(str::to_owned);
        assert!(RunConfig::parse(SMALL, "x", &solver).is_ok());
        let found = RunConfig::parse(SMALL, "x", &solver[..1]).unwrap_err().to_string();
        assert!(found.contains("'solver' takes too long for a move on 7×7"), "{found}");
        let found = error(SMALL, &["learning.batch=many"]);
        assert_eq!(
            found,
            "settings: learning.batch: invalid type: string \"many\", expected usize"
        );
        let found = error(SMALL, &["network.channels=9"]);
        assert_eq!(found, "network: 9 channels, expected a multiple of 8 from 8 to 1024");
        let found = error(&SMALL.replace("= 7", "= []"), &[]);
        assert_eq!(found, "x.toml: size: invalid type: sequence, expected u8");
        let found = error(&format!("{SMALL}positions = 1"), &[]);
        assert!(found.starts_with("x.toml: line 5: duplicate key"), "{found}");
        let found = error(&SMALL.replace("incursion", "incurson"), &[]);
        assert_eq!(found, "rules: unknown variant 'incurson': did you mean 'incursion'?");
    }

    #[test]
    fn settings_that_would_stop_learning_in_silence_are_refused() {
        for change in [
            "learning.reuse=nan",
            "learning.window=nan",
            "learning.warm_up=nan",
            "learning.final_rate=2",
            "budget.minutes=nan",
            "budget.minutes=inf",
            "self_play.opening_plies=1e6",
            "self_play.sampled_plies=nan",
            "self_play.simulations=[[0.0, 70000]]",
            "self_play.games=100000000000",
            "self_play.workers=100000",
            "learning.losses.value=inf",
            "evaluation.every=nan",
            "evaluation.every=-1",
            "evaluation.largest_loss=nan",
            "evaluation.games=2000000",
            "evaluation.simulations=4000000000",
            "evaluation.suite=1000000000000",
            "learning.weight_decay=inf",
            "learning.batch=1000000",
            "learning.batch=0",
        ] {
            assert!(error(SMALL, &[change]).contains(" must "), "{change}");
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        let config = RunConfig::parse(SMALL, "x", &["learning.batch=64".to_owned()]).unwrap();
        assert_eq!(config.learning.batch, 64);
        assert_eq!(RunConfig::parse(&config.to_toml(), "x", &[]).unwrap(), config);
        // Also with changes, and with a seed as large as those of an ablation's arms.
        let large = RunConfig { seed: u64::MAX, ..config }.to_toml();
        let changed = |change: &str| RunConfig::parse(&large, "x", &[change.to_owned()]).unwrap();
        assert_eq!([changed("size=5"), changed("seed=5")].map(|it| it.seed), [u64::MAX, 5]);
        assert_eq!(changed("seed = 18446744073709551614").seed, u64::MAX - 1);
    }

    #[test]
    fn what_is_not_said_of_the_network_is_its_default() {
        let changed = |change: &str| RunConfig::parse(SMALL, "x", &[change.to_owned()]).unwrap();
        let usual = Architecture::default();
        assert_eq!(changed("network.blocks=2").network, Architecture { blocks: 2, ..usual });
        assert_eq!(changed("network.channels=32").network, Architecture { channels: 32, ..usual });
    }

    #[test]
    fn one_size_or_several() {
        let several = SMALL.replace("size = 7", "sizes = [[7, 2.0], [5, 1.0]]");
        let config = RunConfig::parse(&several, "x", &[]).unwrap();
        let tables = config.tables().unwrap();
        let sizes: Vec<usize> = tables.iter().map(|(rules, _)| rules.size.width()).collect();
        assert_eq!(sizes, [5, 7]);
        let neither = SMALL.replace("size = 7\n", "");
        assert_eq!(error(&neither, &[]), "expected either size or sizes");
        assert!(error(&several, &["size=5"]).contains("leave out --size"));
        let twice = SMALL.replace("size = 7", "sizes = [[7, 2.0], [7, 1.0]]");
        assert_eq!(error(&twice, &[]), "sizes names a size twice");
    }

    #[test]
    fn mixtures_are_rule_sets_and_shares() {
        let entry = |text: &str| format!("{SMALL}[[mixture]]\n{text}\n");
        let both =
            entry("rules = ['go', 'tile']\nshare = 1.0\n[[mixture]]\ncombined = true\nshare = 2.0");
        let config = RunConfig::parse(&both, "x", &[]).unwrap();
        let mixtures = config.mixtures().unwrap();
        let shares: Vec<f32> = mixtures[0].0.components().iter().map(|(_, share)| *share).collect();
        assert_eq!(shares, [0.5, 0.5, 2.0]);
        assert_eq!(RunConfig::parse(&config.to_toml(), "x", &[]).unwrap(), config);
        let problem = "mixture: expected either rules or combined = true";
        assert_eq!(error(&entry("share = 1.0"), &[]), problem);
        let text = entry("rules = ['go']\nshare = 0.0");
        assert_eq!(error(&text, &[]), "mixture.share must be a positive number");
        let found = error(&entry("rules = ['og']\nshare = 1.0"), &[]);
        assert!(found.contains("did you mean 'go'?"), "{found}");
        let mixed = entry("rules = ['go', 'stoical']\nshare = 1.0");
        for (text, change, rules) in [
            (&mixed, "rules='cushion'", "cushion"),
            (&mixed, "evaluation.panel=['stoical', 'tile']", "tile"),
            (&SMALL.to_owned(), "evaluation.panel=['tile']", "tile"),
        ] {
            let found = error(text, &[change]);
            assert!(found.starts_with(&format!("'{rules}' is not learnt")), "{change}: {found}");
        }
        // With its usual komi, given or not.
        let found = error(&mixed, &["evaluation.panel=['go', 'stoical', 'go,komi=9']"]);
        assert_eq!(found, "evaluation.panel names a rule set twice");
        let found = error(SMALL, &["evaluation.panel=['tiel']"]);
        assert!(found.contains("did you mean 'tile'?"), "{found}");
    }

    #[test]
    fn matches_come_at_doubling_shares_and_then_evenly() {
        let settings = EvaluationSettings { every: 0.25, ..EvaluationSettings::default() };
        let shares = std::iter::successors(Some(0.0), |&last| settings.next_match(last));
        let shares: Vec<f32> = shares.skip(1).take(7).collect();
        assert_eq!(shares, [0.03125, 0.0625, 0.125, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(EvaluationSettings { every: 0.0, ..settings }.next_match(0.0), None);
    }
}

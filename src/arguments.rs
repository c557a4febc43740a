//! Options shared by several commands: where networks compute, who plays, and how.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, ensure};
use arena::MAX_SIMULATIONS;
use bot::{Effort, Level, Player, Settings, SupportedRules};
use clap::Args;
use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use engine::{MAX_SIZE, Rules, Size};
use models::{Card, Device, Precision, ServerSettings, best_model_folder};

use crate::combined_evaluator::CombinedEvaluator;
use crate::model::{OpenModel, stored};
use crate::released::{BEGINNER, UNIVERSAL};

/// The default board size under rules that the released model has not learnt.
const USUAL_SIZE: u8 = 9;

/// Reads a count of at least `least`.
pub fn at_least(least: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..)
}

/// Reads a number of simulations per move of at least `least`, limited as for players of matches: a
/// search lists all of them before the first. A player against a person or a program takes any
/// number, because clients that mean no limit ask for billions.
pub fn simulations(least: i64) -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(least..=i64::from(MAX_SIMULATIONS))
}

/// Where and how networks compute.
#[derive(Args, Clone)]
pub struct ComputeArguments {
    /// Where the network runs: cpu, cuda, or auto for CUDA where there is a GPU.
    #[arg(long, default_value = "auto")]
    device: String,
    /// Arithmetic: f32, bf16, or auto for bf16 where it is faster.
    #[arg(long, default_value = "auto")]
    precision: String,
}

impl ComputeArguments {
    /// The best available device and precision.
    pub fn automatic() -> ComputeArguments {
        let automatic = || "auto".to_owned();
        ComputeArguments { device: automatic(), precision: automatic() }
    }

    /// The device and precision, checked against this machine.
    pub fn settings(&self) -> Result<ServerSettings> {
        let device = Device::choose(&self.device).context("--device")?;
        let precision = Precision::choose(&self.precision, device).context("--precision")?;
        Ok(ServerSettings::new(device, precision))
    }
}

/// Which model plays, and under which rules.
#[derive(Args)]
pub struct ModelArguments {
    /// A model folder, a run folder (its best checkpoint plays), or the name of a released model: universal, earlier or
    /// beginner.
    model: Option<PathBuf>,
    /// Side of the board to begin on, or width and height, as in 5x7 (networks play square boards only). [default: the
    /// largest that the model plays]
    #[arg(long)]
    size: Option<Size>,
    /// With a model, rules that it has learnt: those of its run with any komi, or for a model of many rule sets any of
    /// them. Without one, any rules: the universal model plays them if it has learnt them, else tree search with random
    /// playouts.
    #[arg(long)]
    rules: Option<String>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ModelArguments {
    /// Whether neither a model nor rules are given.
    fn is_unspecified(&self) -> bool {
        self.model.is_none() && self.rules.is_none()
    }

    /// Opens the players: returns the supported rules, the evaluators, and the version of the first
    /// player.
    pub fn open(&self) -> Result<(SupportedRules, CombinedEvaluator, String)> {
        let settings = self.compute.settings()?;
        let mut evaluator = CombinedEvaluator::new(settings);
        let supported = match (&self.model, &self.rules) {
            (Some(path), _) => {
                refuse_rules(path)?;
                let stored = stored(&best_model_folder(path)?)?;
                let supported = self.supported_by(stored.card())?;
                let rules = supported.first();
                stored.card().check(stored.folder(), Some(&rules)).map_err(|refused| {
                    anyhow!("{refused}; without a model, any rules can be played")
                })?;
                let model = OpenModel::start(&stored, None, settings)?;
                evaluator.prefer(path.display().to_string(), model);
                supported
            }
            (None, None) if self.size.is_none() => self.supported_by(&UNIVERSAL.card()?)?,
            (None, rules) => any(rules.as_deref().unwrap_or(&UNIVERSAL.card()?.rules), self.size)?,
        };
        let version = evaluator.announce_player(&supported.first());
        Ok((supported.with_all_others(), evaluator, version))
    }

    fn supported_by(&self, card: &Card) -> Result<SupportedRules> {
        let rules = self.rules.as_deref().unwrap_or(&card.rules);
        let supported = SupportedRules::learnt(rules, &card.sizes, card.scope.clone())?;
        Ok(match self.size {
            Some(size) => supported.beginning_on(size).map_err(|refused| {
                anyhow!("--size: {refused}; without a model, any size can be played")
            })?,
            None => supported,
        })
    }
}

/// Refuses a rule set in the place of a model, which would otherwise look like a missing folder.
fn refuse_rules(model: &Path) -> Result<()> {
    let name = model.display().to_string();
    let is_rules = !model.exists() && Rules::parse(&name, USUAL_SIZE).is_ok();
    ensure!(!is_rules, "{name} is a rule set, not a model: expected --rules {name}");
    Ok(())
}

/// Any rules, on one size.
fn any(rules: &str, size: Option<Size>) -> Result<SupportedRules> {
    let size = size.map_or_else(|| usual_size(rules), Ok)?;
    let supported = SupportedRules::new(rules, &[size])?;
    let learnt = UNIVERSAL.plays(&supported.first());
    let card = learnt.then(|| UNIVERSAL.card()).transpose()?;
    Ok(supported.with_scope(card.and_then(|card| card.scope)))
}

/// The largest board on which the released model plays these rules, or otherwise the default.
fn usual_size(rules: &str) -> Result<Size> {
    let usual = Rules::parse(rules, USUAL_SIZE)?;
    let sizes = (2..=MAX_SIZE).rev().filter_map(|side| Size::try_from(side).ok());
    let learnt = sizes
        .filter_map(|size| Rules::parse(rules, size).ok())
        .find(|rules| UNIVERSAL.plays(rules));
    Ok(learnt.unwrap_or(usual).size)
}

/// A player against a person or a program.
#[derive(Args)]
pub struct PlayerArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Simulations per move; without a network each is 32 random playouts.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// Seconds per move, in place of simulations.
    #[arg(long, conflicts_with_all = ["simulations", "level"])]
    seconds: Option<f32>,
    /// Strength from 1, the weakest, to 10, in place of --simulations. Level 10 has 32 simulations, fewer than the default;
    /// but 400 under rules and on boards that the released models have not learnt.
    #[arg(long, conflicts_with = "simulations")]
    level: Option<Level>,
    /// Seed of a level's random choices; a different game each time if left out.
    #[arg(long)]
    seed: Option<u64>,
}

impl PlayerArguments {
    /// Whether neither a model nor rules are given.
    pub fn is_unspecified(&self) -> bool {
        self.model.is_unspecified()
    }

    /// Sets up a player before its first game, and returns its version.
    pub fn open(&self) -> Result<(Player<CombinedEvaluator>, String)> {
        let settings = self.settings()?;
        let (supported, evaluator, version) = self.model.open()?;
        let beginner = CombinedEvaluator::beginner(self.model.compute.settings()?);
        let player = Player::new(supported, evaluator, settings);
        Ok((player.with_beginner(beginner, BEGINNER.learnt()?), version))
    }

    fn settings(&self) -> Result<Settings> {
        let mut settings = Settings { level: self.level, ..Settings::default() };
        settings.search.simulations = self.simulations;
        settings.seed = self.seed.unwrap_or_else(seed_of_now);
        if let Some(seconds) = self.seconds {
            ensure!(
                seconds > 0.0 && seconds.is_finite(),
                "--seconds {seconds}: expected a number above 0"
            );
            settings.effort = Effort::Seconds(seconds);
        }
        Ok(settings)
    }
}

/// A seed that differs between starts of the program.
fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64
}

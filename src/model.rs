//! Opening trained models for the commands that play.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use bot::{Effort, Level, Player, Repertoire, Settings};
use clap::Args;
use engine::Rules;
use models::{Card, Client, Device, Precision, Server, ServerSettings};
use search::Cached;

use crate::released;

/// Evaluations that a player remembers: those of the last games' searches, in about 100 MB at most.
const REMEMBERED_EVALUATIONS: usize = 65_536;

/// Where and how networks compute.
#[derive(Args, Clone)]
pub struct ComputeArguments {
    /// Where the network runs: cpu, cuda, or auto for CUDA where there is a GPU.
    #[arg(long, default_value = "auto")]
    device: String,
    /// Arithmetic: f32, bf16, or auto for bf16 where the machine has it.
    #[arg(long, default_value = "auto")]
    precision: String,
}

impl ComputeArguments {
    /// The device and arithmetic, checked against this machine.
    pub fn settings(&self) -> Result<ServerSettings> {
        let device = Device::choose(&self.device)?;
        let precision = Precision::choose(&self.precision, device)?;
        Ok(ServerSettings::new(device, precision))
    }
}

/// The card of a model folder, or of a run's newest checkpoint, and that folder.
pub fn card(path: &Path) -> Result<(PathBuf, Card)> {
    let folder = train::model_folder(path)?;
    let card = Card::load(&folder)?;
    Ok((folder, card))
}

/// A model that answers evaluation requests.
pub struct OpenModel {
    /// What the model says about itself.
    pub card: Card,
    server: Server,
}

impl OpenModel {
    /// Loads a model folder, or the newest checkpoint of a run folder, for `rules` if any are given, and starts it.
    pub fn open(path: &Path, rules: Option<&Rules>, settings: ServerSettings) -> Result<OpenModel> {
        let (folder, card) = card(path)?;
        let network = models::load(&folder, rules)?;
        let server = Server::start(network, settings)
            .with_context(|| format!("{} cannot be started", folder.display()))?;
        let Card { rules, training_step: step, architecture, .. } = &card;
        eprintln!(
            "{}: {rules}, step {step}, {} blocks × {} channels, {} on {}",
            folder.display(),
            architecture.blocks,
            architecture.channels,
            settings.precision,
            settings.device
        );
        Ok(OpenModel { card, server })
    }

    /// What protocols tell their clients: the program's version and how far the model was trained.
    pub fn version(&self) -> String {
        format!("{} (step {})", env!("CARGO_PKG_VERSION"), self.card.training_step)
    }

    /// Something that asks the model for evaluations.
    pub fn client(&self) -> Client {
        self.server.client()
    }
}

/// Which model is to answer, and under which rules.
#[derive(Args)]
pub struct ModelArguments {
    /// A model folder, or a run folder for its best checkpoint.
    #[arg(required_unless_present = "variant")]
    model: Option<PathBuf>,
    /// A released model of this variant, in place of a folder.
    #[arg(long, conflicts_with = "model")]
    variant: Option<String>,
    /// The released model for this side of the board; the largest if left out.
    #[arg(long, requires = "variant")]
    size: Option<u8>,
    /// Rules other than the model's own in komi or move limit.
    #[arg(long)]
    rules: Option<String>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ModelArguments {
    /// Opens the model, for the rules that it is to play.
    pub fn open(&self) -> Result<(OpenModel, Repertoire, Cached<Client>)> {
        let folder = match (&self.model, &self.variant) {
            (Some(path), _) => train::best_model_folder(path)?,
            (None, Some(variant)) => released::find(variant, self.size)?,
            (None, None) => bail!("give a model folder, or --variant for a released model"),
        };
        let card = Card::load(&folder)?;
        let text = self.rules.as_deref().unwrap_or(&card.rules);
        let repertoire = Repertoire::new(text, &card.sizes)?;
        let settings = self.compute.settings()?;
        let model = OpenModel::open(&folder, Some(&repertoire.largest()), settings)?;
        let evaluator = Cached::new(model.client(), REMEMBERED_EVALUATIONS);
        Ok((model, repertoire, evaluator))
    }
}

/// A model that plays against a person or a program.
#[derive(Args)]
pub struct PlayerArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Simulations a move.
    #[arg(long, default_value_t = 128)]
    simulations: u32,
    /// Seconds a move, in place of simulations.
    #[arg(long, conflicts_with_all = ["simulations", "clock", "level"])]
    seconds: Option<f32>,
    /// Take the time that the game's clock gives, where the client sets one.
    #[arg(long, conflicts_with = "level")]
    clock: bool,
    /// Strength from 1, the weakest, to 10, in place of simulations.
    #[arg(long, conflicts_with = "simulations")]
    level: Option<Level>,
    /// Decides what a level leaves to chance; another game each time if left out.
    #[arg(long)]
    seed: Option<u64>,
}

impl PlayerArguments {
    /// Opens the model and sets a player before its first game.
    pub fn open(&self) -> Result<(OpenModel, Player<Cached<Client>>)> {
        let settings = self.settings()?;
        let (model, repertoire, evaluator) = self.model.open()?;
        Ok((model, Player::new(repertoire, evaluator, settings)))
    }

    fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::default();
        settings.search.simulations = self.simulations;
        settings.seed = self.seed.unwrap_or_else(seed_of_now);
        if let Some(seconds) = self.seconds {
            ensure!(
                seconds > 0.0 && seconds.is_finite(),
                "--seconds {seconds}: give a number of seconds above 0"
            );
            settings.effort = Effort::Seconds(seconds);
        } else if self.clock {
            settings.effort = Effort::Clock;
        }
        Ok(self.level.map_or(settings, |level| settings.at_level(level)))
    }
}

/// A seed that differs from one start to the next.
fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64
}

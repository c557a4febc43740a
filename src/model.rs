//! Opening trained models for the commands that play.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bot::{Player, Repertoire, Settings};
use clap::Args;
use engine::Rules;
use models::{Card, Client, Device, Precision, Server, ServerSettings};
use search::Cached;

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

    /// Something that asks the model for evaluations.
    pub fn client(&self) -> Client {
        self.server.client()
    }
}

/// A model that plays against a person or a program.
#[derive(Args)]
pub struct PlayerArguments {
    /// A model folder, or a run folder for its newest checkpoint.
    model: PathBuf,
    /// Simulations a move.
    #[arg(long, default_value_t = 128)]
    simulations: u32,
    /// Rules other than the model's own in komi or move limit.
    #[arg(long)]
    rules: Option<String>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl PlayerArguments {
    /// Opens the model and sets a player before its first game.
    pub fn open(&self) -> Result<(OpenModel, Player<Cached<Client>>)> {
        let (_, card) = card(&self.model)?;
        let text = self.rules.as_deref().unwrap_or(&card.rules);
        let repertoire = Repertoire::new(text, &card.sizes)?;
        let model =
            OpenModel::open(&self.model, Some(&repertoire.largest()), self.compute.settings()?)?;
        let mut settings = Settings::default();
        settings.search.simulations = self.simulations;
        let evaluator = Cached::new(model.client(), REMEMBERED_EVALUATIONS);
        let player = Player::new(repertoire, evaluator, settings);
        Ok((model, player))
    }
}

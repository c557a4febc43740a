//! Opening trained models for the commands that play.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use engine::Rules;
use models::{Card, Client, Device, Precision, Server, ServerSettings};

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
        Ok(OpenModel { card, server })
    }

    /// Something that asks the model for evaluations.
    pub fn client(&self) -> Client {
        self.server.client()
    }
}

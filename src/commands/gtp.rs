//! `hotstone gtp`

use std::io::{stdin, stdout};
use std::path::PathBuf;

use anyhow::Result;
use bot::{Player, Repertoire, Settings};
use clap::Args;

use crate::model::{ComputeArguments, OpenModel};

/// Play over the Go Text Protocol, for Sabaki, GoGui and other clients.
#[derive(Args)]
pub struct GtpArguments {
    /// A model folder or a run folder.
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

impl GtpArguments {
    /// Answers standard input until `quit`.
    pub fn execute(&self) -> Result<()> {
        let (model, player) =
            player(&self.model, self.rules.as_deref(), self.simulations, &self.compute)?;
        let version = format!("{} (step {})", env!("CARGO_PKG_VERSION"), model.card.training_step);
        bot::gtp::Engine::new(player, version).run(stdin().lock(), stdout().lock())?;
        Ok(())
    }
}

/// A player with a model: the rules are the model's, unless others of the same kind are given.
pub fn player(
    path: &std::path::Path,
    rules: Option<&str>,
    simulations: u32,
    compute: &ComputeArguments,
) -> Result<(OpenModel, Player<models::Client>)> {
    let (_, card) = crate::model::card(path)?;
    let repertoire = Repertoire::new(rules.unwrap_or(&card.rules), &card.sizes)?;
    let model = OpenModel::open(path, Some(&repertoire.largest()), compute.settings()?)?;
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    let player = Player::new(repertoire, model.client(), settings);
    Ok((model, player))
}

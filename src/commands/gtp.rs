//! `hotstone gtp`

use std::io::{stdin, stdout};

use anyhow::Result;
use clap::Args;

use crate::model::PlayerArguments;

/// Play over the Go Text Protocol, for Sabaki, GoGui and other clients.
#[derive(Args)]
pub struct GtpArguments {
    #[command(flatten)]
    player: PlayerArguments,
}

impl GtpArguments {
    /// Answers standard input until `quit`.
    pub fn execute(&self) -> Result<()> {
        let (model, player) = self.player.open()?;
        let version = format!("{} (step {})", env!("CARGO_PKG_VERSION"), model.card.training_step);
        bot::gtp::Engine::new(player, version).run(stdin().lock(), stdout().lock())?;
        Ok(())
    }
}

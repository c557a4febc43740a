//! `hotstone play`

use std::io::{stdin, stdout};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use engine::Color;

use crate::commands::gtp::player;
use crate::model::ComputeArguments;

/// Play against a model in the terminal.
#[derive(Args)]
pub struct PlayArguments {
    /// A model folder or a run folder.
    model: PathBuf,
    /// Your stones.
    #[arg(long, value_enum, default_value_t = Stones::Black)]
    color: Stones,
    /// Simulations a move.
    #[arg(long, default_value_t = 128)]
    simulations: u32,
    /// Rules other than the model's own in komi or move limit.
    #[arg(long)]
    rules: Option<String>,
    #[command(flatten)]
    compute: ComputeArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stones {
    Black,
    White,
}

impl PlayArguments {
    /// Plays until the person quits.
    pub fn execute(&self) -> Result<()> {
        let (_model, mut player) =
            player(&self.model, self.rules.as_deref(), self.simulations, &self.compute)?;
        let human = match self.color {
            Stones::Black => Color::Black,
            Stones::White => Color::White,
        };
        bot::terminal::play(&mut player, human, stdin().lock(), stdout().lock())?;
        Ok(())
    }
}

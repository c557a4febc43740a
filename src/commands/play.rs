//! `hotstone play`

use std::io::stdout;

use anyhow::Result;
use bot::terminal::standard_input;
use clap::{Args, ValueEnum};
use engine::Color;

use crate::model::PlayerArguments;

/// Play against a model in the terminal.
#[derive(Args)]
pub struct PlayArguments {
    #[command(flatten)]
    player: PlayerArguments,
    /// Your stones.
    #[arg(long, value_enum, default_value_t = Stones::Black)]
    color: Stones,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stones {
    Black,
    White,
}

impl PlayArguments {
    /// Plays until the person quits.
    pub fn execute(&self) -> Result<()> {
        let (_model, mut player) = self.player.open()?;
        let human = match self.color {
            Stones::Black => Color::Black,
            Stones::White => Color::White,
        };
        bot::terminal::play(&mut player, human, standard_input()?.as_mut(), stdout().lock())?;
        Ok(())
    }
}

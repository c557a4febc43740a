//! `hotstone play`

use std::fmt::Write as _;
use std::io::stdout;

use anyhow::Result;
use bot::terminal::standard_input;
use clap::{Args, ValueEnum};
use engine::{Color, Variant};

use crate::arguments::PlayerArguments;
use crate::output::print;
use crate::released::UNIVERSAL;

/// Play in the terminal; without arguments, list the games.
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
    /// Plays until the person quits. Without a model or rules, lists the games.
    pub fn execute(&self) -> Result<()> {
        if self.player.is_unspecified() {
            return print(offer()?);
        }
        let (mut player, _) = self.player.open()?;
        let human = match self.color {
            Stones::Black => Color::Black,
            Stones::White => Color::White,
        };
        bot::terminal::play(&mut player, human, standard_input()?.as_mut(), stdout().lock())?;
        Ok(())
    }
}

/// The games, each with the command to play it.
fn offer() -> Result<String> {
    let mut lines: Vec<(String, &str)> = Variant::ALL
        .into_iter()
        .map(|variant| (format!("--rules {}", variant.name()), variant.about().title))
        .collect();
    lines.extend([
        ("--rules RULES".to_owned(), "other rules, by the same model where it has learnt them"),
        (
            "--rules RULES --size SIZE".to_owned(),
            "other boards, by random playouts (hotstone rules has the rules)",
        ),
        ("FOLDER".to_owned(), "what a model has learnt, by a model or run folder"),
    ]);
    let width = lines.iter().map(|(arguments, _)| arguments.len()).max().unwrap_or(0);
    let mut text = "What can be played:\n\n".to_owned();
    for (arguments, about) in lines {
        writeln!(text, "  hotstone play {arguments:<width$}  {about}")?;
    }
    let sizes: Vec<String> = UNIVERSAL.card()?.sizes.iter().map(ToString::to_string).collect();
    writeln!(
        text,
        "\nThe model plays --size {}; without --size, the largest. Add --color white or --level 1 to 10;\n\
         hotstone serve is for playing in the browser.",
        sizes.join(", ")
    )?;
    Ok(text)
}

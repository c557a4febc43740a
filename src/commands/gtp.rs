//! `hotstone gtp`

use std::io::{BufReader, stdin, stdout};

use anyhow::Result;
use bot::{Effort, Lines, Resignation};
use clap::Args;

use crate::arguments::PlayerArguments;
use crate::combined_evaluator::CombinedEvaluator;

/// Number of consecutive turns that must seem lost before resigning.
const LOST_TURNS: u16 = 3;

/// Play over the Go Text Protocol, for Sabaki, GoGui and other clients.
#[derive(Args)]
pub struct GtpArguments {
    #[command(flatten)]
    player: PlayerArguments,
    /// Use the time of the game's clock, if the client sets one.
    #[arg(long, conflicts_with_all = ["seconds", "level"])]
    clock: bool,
    /// Think on the opponent's time.
    #[arg(long, conflicts_with = "level")]
    ponder: bool,
    /// Resign when the winning probability stays below this, such as 0.05, except under rules without a score. [default:
    /// never]
    #[arg(long, value_name = "PROBABILITY", value_parser = chance)]
    resign: Option<f32>,
    /// The answer to `name`: Lizzie asks only engines whose name begins with KataGo for scores.
    #[arg(long, default_value = "Hotstone", value_parser = name)]
    name: String,
}

impl GtpArguments {
    /// Answers standard input until `quit`.
    pub fn execute(&self) -> Result<()> {
        let (mut player, version) = self.player.open()?;
        let mut settings = *player.settings();
        if self.clock {
            settings.effort = Effort::Clock;
        }
        settings.pondering = self.ponder;
        settings.resignation =
            self.resign.map(|winrate| Resignation { winrate, turns: LOST_TURNS });
        player.set_settings(settings);
        let lines = Lines::reading(BufReader::new(stdin()));
        let engine = bot::gtp::Engine::new(player, version).named(&self.name);
        engine.on_new_rules(CombinedEvaluator::announce_player).run(lines, stdout().lock())?;
        Ok(())
    }
}

/// Parses a name: an empty line would end the answer, and the rest would be taken for another one.
fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err("expected a name in one line, such as KataGo".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses a probability below which a game counts as lost.
fn chance(text: &str) -> Result<f32, String> {
    let expected = || "expected a probability above 0 and below 0.5, such as 0.05".to_owned();
    text.parse().ok().filter(|chance| *chance > 0.0 && *chance < 0.5).ok_or_else(expected)
}

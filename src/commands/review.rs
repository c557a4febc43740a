//! `hotstone review`

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use arena::plot::{Panel, escape, panels};
use bot::{Review, Settings};
use clap::Args;
use game::Game;
use indicatif::ProgressBar;

use crate::arguments::ComputeArguments;
use crate::combined_evaluator::CombinedEvaluator;
use crate::output::{is_same_file, print_after, try_file, write_file};
use crate::record::{given_or_own_rules, read_file};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\
                     pre{font-size:14px;line-height:1.25}";

/// Review a recorded game: the turns that cost most, and what would have been better.
#[derive(Args)]
pub struct ReviewArguments {
    /// An SGF file; its main line is reviewed.
    file: PathBuf,
    /// The rules: a variant's name, and changes to it. Those of the file if left out.
    #[arg(long)]
    rules: Option<String>,
    /// Simulations for each position.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// Turns to list.
    #[arg(long, default_value_t = 5)]
    turns: usize,
    /// Write it as a page, with the course of the game and the positions, into this file.
    #[arg(long)]
    html: Option<PathBuf>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ReviewArguments {
    /// Searches every position and prints what was found.
    pub fn execute(&self) -> Result<()> {
        let name = self.file.display();
        let record = read_file(&self.file)?;
        let rules = given_or_own_rules(self.rules.as_deref(), &name, &record)?;
        let played = Game::of_record_until_end(&record, rules);
        let (game, left_out) = played.with_context(|| {
            format!("{name} cannot be played under {rules}: `hotstone replay` says how far it goes")
        })?;
        if let Some(first) = left_out {
            eprintln!(
                "warning: {name} goes on after the end of the game, which is not reviewed: {first}"
            );
        }
        if let Some(path) = &self.html {
            let is_source = is_same_file(&self.file, path);
            ensure!(!is_source, "--html {}: this is the file that is reviewed", path.display());
            try_file(path)?;
        }
        let mut evaluator = CombinedEvaluator::new(self.compute.settings()?);
        evaluator.announce_player(&rules);
        let mut settings = Settings::default();
        settings.search.simulations = self.simulations;
        let bar = ProgressBar::new(game.turns().len() as u64 + 1);
        let review = Review::of(&game, evaluator, settings, || bar.inc(1))?;
        bar.finish_and_clear();
        let written =
            self.html.as_ref().map_or(Ok(()), |path| write_file(path, &self.page(&game, &review)));
        print_after(written, self.text(&game, &review))
    }

    fn text(&self, game: &Game, review: &Review) -> String {
        let mut text = headline(game);
        for swing in review.swings.iter().take(self.turns) {
            let _ = write!(text, "\n  {}", review.line(swing));
        }
        if review.swings.is_empty() {
            text.push_str("\n  No turn cost its player anything.");
        }
        text.push('\n');
        text
    }

    fn page(&self, game: &Game, review: &Review) -> String {
        let title = escape(&headline(game));
        let chance = |(turn, &black): (usize, &f32)| (turn as f64, 100.0 * f64::from(black));
        let points = review.chances.iter().enumerate().map(chance).collect();
        let course = Panel { label: "Black's chance to win, in %", points };
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n\
             <style>{STYLE}</style>\n<h1>{title}</h1>\n{}<h2>The turns that cost most</h2>\n",
            panels("The course of the game", "turns", &[course])
        );
        for swing in review.swings.iter().take(self.turns) {
            let position = game.positions().nth(swing.turn - 1);
            let board = position.map(bot::board).unwrap_or_default();
            let line = escape(&review.line(swing));
            let _ = write!(page, "<h3>{line}</h3>\n<pre>{}</pre>\n", escape(&board));
        }
        page.push_str("</html>\n");
        page
    }
}

/// The rules, the size, the length and the result.
fn headline(game: &Game) -> String {
    let (rules, turns) = (game.rules(), game.turns().len());
    let result = game.result_text().unwrap_or_else(|| "unfinished".to_owned());
    let implied = match game.turns().iter().filter(|turn| turn.implied).count() {
        0 => String::new(),
        1 => ", one of them a pass put in where a player moves twice".to_owned(),
        more => format!(", {more} of them passes put in where a player moves twice"),
    };
    format!("{rules} on {:#}, {turns} turns{implied}, {result}", rules.size)
}

//! `hotstone puzzles`

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use engine::{Rules, Size, join_with_spaces};
use game::{Extras, Game, Puzzle};
use indicatif::ProgressBar;
use interface::{Language, explained};
use studies::{PuzzlePlan, StageCounts, puzzles};

use crate::arguments::{ComputeArguments, simulations};
use crate::combined_evaluator::CombinedEvaluator;
use crate::output::{prepare_folder, print_after, try_file, write_file};

/// Number of wrong moves whose refutations are printed.
const TEMPTING: usize = 3;

/// Find puzzles: positions of self-play in which exactly one move keeps the win, and the variant's own rule decides which.
#[derive(Args)]
pub struct PuzzlesArguments {
    /// A variant's name, and changes to it. A released model plays if it has learnt them, else tree search with random
    /// playouts.
    #[arg(long)]
    rules: String,
    /// Side of the board; up to 5 the solver may prove puzzles.
    #[arg(long)]
    size: Size,
    /// Puzzles to find.
    #[arg(long, default_value_t = 5)]
    count: usize,
    /// Maximum number of games to look through.
    #[arg(long, default_value_t = 400)]
    games: usize,
    /// Simulations per move in the games: with few, players make mistakes, which create puzzles.
    #[arg(long, default_value_t = 8, value_parser = simulations(0))]
    playing: u32,
    /// Simulations after every move of a possible puzzle, to find out which moves win.
    #[arg(long, default_value_t = 400, value_parser = simulations(1))]
    simulations: u32,
    /// Positions that the solver may search for each question; 0 for searches alone.
    #[arg(long, default_value_t = 3_000_000)]
    nodes: u64,
    /// Seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the puzzles into this file, one JSON object per line.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write each puzzle's game into this folder as SGF; its last move is the solution.
    #[arg(long)]
    sgf: Option<PathBuf>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl PuzzlesArguments {
    /// Finds puzzles, prints them, and writes them.
    pub fn execute(&self) -> Result<()> {
        let rules = Rules::parse(&self.rules, self.size)?;
        ensure!(self.count > 0 && self.games > 0, "--count and --games: expected at least 1");
        ensure!(
            !rules.has_several_stones_a_turn(),
            "{rules} has several stones a turn, where the only move is no puzzle: leave out stones_per_turn"
        );
        self.json.as_deref().map_or(Ok(()), try_file)?;
        if let Some(folder) = &self.sgf {
            prepare_folder(folder, &record_name(1), "puzzles")?;
        }
        let mut evaluator = CombinedEvaluator::new(self.compute.settings()?);
        evaluator.announce_player(&rules);
        let bar = ProgressBar::new(self.games as u64);
        let mut counts = StageCounts::default();
        let progress = &mut |reached: &StageCounts| {
            counts = *reached;
            bar.set_position(reached.games as u64);
        };
        let found = puzzles(rules, &self.plan(), &mut evaluator, progress)?;
        bar.finish_and_clear();
        let StageCounts { openings, games, positions, promising, clear, own, verified, puzzles } =
            counts;
        eprintln!(
            "{games} games, {positions} positions: in {promising} one move seemed to win, in {clear} clearly by searches after \
             every move; in {own} of these the rule seemed to decide, of which the solver left {verified}, and in {puzzles} it \
             does"
        );
        let advice = if openings < self.games {
            "there are no more different openings, so change --seed, --playing or --size"
        } else {
            "look through more with --games, or change --seed or --playing"
        };
        ensure!(
            !found.is_empty(),
            "no puzzle in {games} games of {rules} on {:#}: {advice}",
            rules.size
        );
        let saved = self.save(&found);
        let texts = (1..).zip(&found).map(|(number, puzzle)| text(number, puzzle));
        match texts.collect::<Result<Vec<String>>>() {
            Ok(texts) => print_after(saved, texts.join("\n") + "\n"),
            Err(problem) => saved.and(Err(problem)),
        }
    }

    fn plan(&self) -> PuzzlePlan {
        PuzzlePlan {
            count: self.count,
            games: self.games,
            playing: self.playing,
            simulations: self.simulations,
            nodes: self.nodes,
            seed: self.seed,
        }
    }

    /// Writes the puzzles to `--json` and `--sgf`, if given.
    fn save(&self, found: &[Puzzle]) -> Result<()> {
        if let Some(path) = &self.json {
            let lines: Vec<String> =
                found.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            write_file(path, &(lines.join("\n") + "\n"))?;
        }
        if let Some(folder) = &self.sgf {
            for (number, puzzle) in (1..).zip(found) {
                let mut game = puzzle.game()?;
                game.play(puzzle.solution)?;
                let sgf = game.record().write(Extras { markup: true, ..Extras::default() })?;
                write_file(&folder.join(record_name(number)), &sgf)?;
            }
        }
        Ok(())
    }
}

/// The name of a puzzle's game in the folder of `--sgf`.
fn record_name(number: usize) -> String {
    format!("{number}.sgf")
}

/// A puzzle with all its information.
fn text(number: usize, puzzle: &Puzzle) -> Result<String> {
    let game: Game = puzzle.game()?;
    let position = game.position();
    let mover = position.turn();
    let mut text =
        format!("Puzzle {number}: {} to play and win\n{}\n", mover.name(), bot::diagram(&game));
    let solution = puzzle.solution;
    let prior = 100.0 * puzzle.prior;
    let _ = writeln!(text, "Solution: {solution}, which the policy gives {prior:.1} %");
    for sentence in explained(puzzle, Language::english()) {
        let _ = writeln!(text, "{sentence}");
    }
    for wrong in puzzle.tempting(TEMPTING) {
        let _ = match wrong.reply {
            Some(reply) => writeln!(text, "  {} is answered by {reply}", wrong.played),
            None => writeln!(text, "  {} ends the game", wrong.played),
        };
    }
    let _ = writeln!(text, "Moves: {}", join_with_spaces(&puzzle.moves));
    Ok(text)
}

//! `hotstone match`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use arena::{Match, MatchReport, Player, PlayerSetup, PlayerSpec};
use clap::Args;
use engine::Rules;
use indicatif::{ProgressBar, ProgressStyle};
use models::{Client, ServerSettings};

use crate::model::{ComputeArguments, OpenModel};

/// Simulations of a model that names none.
const DEFAULT_SIMULATIONS: u32 = 100;

/// Play a match between two players, with paired openings and colours swapped.
#[derive(Args)]
pub struct MatchArguments {
    /// random, greedy, flat:PLAYOUTS, uct:PLAYOUTS, model:PATH[@SIMULATIONS] or policy:PATH.
    first: PlayerSpec,
    /// The other player.
    second: PlayerSpec,
    /// Games, an even number.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// The rules; those of the first model if left out.
    #[arg(long)]
    rules: Option<String>,
    /// Side of the board; that of the first model if left out.
    #[arg(long)]
    size: Option<u8>,
    /// Decides openings and everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games in progress at the same time.
    #[arg(long, default_value_t = 256)]
    parallel: usize,
    /// Write every game as SGF into this folder.
    #[arg(long)]
    sgf: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl MatchArguments {
    /// Plays the match and prints its report.
    pub fn execute(&self) -> Result<()> {
        if self.games < 2 || !self.games.is_multiple_of(2) {
            bail!(
                "--games {}: give an even number, because every opening is played twice",
                self.games
            );
        }
        let specs = [&self.first, &self.second];
        let rules = self.rules(&specs)?;
        let settings = self.compute.settings()?;
        let mut models: Vec<(PathBuf, OpenModel)> = Vec::new();
        let mut players = Vec::new();
        for spec in specs {
            players.push(setup(spec, &rules, settings, &mut models)?);
        }
        let [first, second] = <[PlayerSetup; 2]>::try_from(players)
            .map_err(|_| anyhow::anyhow!("a match has two players"))?;
        let game = Match {
            pairs: self.games / 2,
            seed: self.seed,
            games_at_once: self.parallel,
            ..Match::new(rules, [first, second])
        };
        let mut evaluators: Vec<Client> = models.iter().map(|(_, model)| model.client()).collect();
        let bar = progress_bar(self.games as u64);
        let report = game.play(&mut evaluators, &mut |progress| {
            bar.set_position(progress.games as u64);
            bar.set_message(format!("score {:.1} %", 100.0 * progress.tally.total().share()));
            ControlFlow::Continue(())
        })?;
        bar.finish_and_clear();
        if let Some(folder) = &self.sgf {
            write_games(folder, &report)?;
        }
        if self.json {
            println!("{}", serde_json::to_string(&json(&report))?);
        } else {
            print!("{report}");
        }
        Ok(())
    }

    /// The rules given, or those of the first model among the players.
    fn rules(&self, specs: &[&PlayerSpec]) -> Result<Rules> {
        let path = specs.iter().find_map(|spec| match spec {
            PlayerSpec::Model { path, .. } | PlayerSpec::Policy { path } => Some(path),
            PlayerSpec::Random
            | PlayerSpec::Greedy
            | PlayerSpec::Flat { .. }
            | PlayerSpec::Uct { .. } => None,
        });
        let card = path.map(|path| crate::model::card(path)).transpose()?.map(|(_, card)| card);
        let text = match (&self.rules, &card) {
            (Some(text), _) => text.clone(),
            (None, Some(card)) => card.rules.clone(),
            (None, None) => bail!("--rules is needed: neither player is a model that has its own"),
        };
        let size = match (self.size, card.and_then(|card| card.sizes.last().copied())) {
            (Some(size), _) | (None, Some(size)) => size,
            (None, None) => bail!("--size is needed: neither player is a model that has its own"),
        };
        Ok(Rules::parse(&text, size)?)
    }
}

/// A player of the match; opens its model unless the other player has done so.
fn setup(
    spec: &PlayerSpec,
    rules: &Rules,
    settings: ServerSettings,
    models: &mut Vec<(PathBuf, OpenModel)>,
) -> Result<PlayerSetup> {
    let mut evaluator = |path: &Path| -> Result<usize> {
        if let Some(index) = models.iter().position(|(open, _)| open == path) {
            return Ok(index);
        }
        models.push((path.to_owned(), OpenModel::open(path, Some(rules), settings)?));
        Ok(models.len() - 1)
    };
    let player = match spec {
        PlayerSpec::Random => Player::Random,
        PlayerSpec::Greedy => Player::Greedy,
        PlayerSpec::Flat { playouts } => Player::Flat { playouts: *playouts },
        PlayerSpec::Uct { playouts } => Player::Uct { playouts: *playouts },
        PlayerSpec::Model { path, simulations } => {
            Player::searching(evaluator(path)?, simulations.unwrap_or(DEFAULT_SIMULATIONS))
        }
        PlayerSpec::Policy { path } => Player::policy(evaluator(path)?),
    };
    Ok(PlayerSetup::new(spec.to_string(), player))
}

fn progress_bar(games: u64) -> ProgressBar {
    let style = "{bar:30.cyan/blue} {pos}/{len} games  {msg}  {eta} left";
    let bar = ProgressBar::new(games);
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}

fn write_games(folder: &Path, report: &MatchReport) -> Result<()> {
    let write = |index: usize, text: String| {
        std::fs::write(folder.join(format!("game-{:04}.sgf", index + 1)), text)
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| {
            report
                .games
                .iter()
                .enumerate()
                .try_for_each(|(index, game)| write(index, game.sgf().to_string()))
        })
        .with_context(|| format!("cannot write games to {}", folder.display()))
}

fn json(report: &MatchReport) -> serde_json::Value {
    let elo = report.tally.pairs.elo();
    let score = |score: &arena::Score| serde_json::json!({"wins": score.wins, "draws": score.draws, "losses": score.losses});
    serde_json::json!({
        "rules": report.rules.to_string(),
        "size": report.rules.size,
        "players": report.players,
        "seed": report.seed,
        "games": report.tally.total().games(),
        "total": score(&report.tally.total()),
        "as_black": score(&report.tally.by_color[0]),
        "as_white": score(&report.tally.by_color[1]),
        "score": report.tally.total().share(),
        "elo": {"difference": elo.difference, "low": elo.low, "high": elo.high},
        "pentanomial": report.tally.pairs.0,
        "superiority": report.tally.pairs.superiority(),
        "distinct_openings": report.distinct_openings,
        "unique_games": report.unique_games,
        "mean_turns": report.mean_turns(),
        "reasons": report.reasons.iter().map(|(reason, games)| (reason.to_string(), (*games).into())).collect::<serde_json::Map<_, _>>(),
    })
}

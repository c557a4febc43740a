//! `hotstone match`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use arena::{
    DEFAULT_PATIENCE, Journal, Match, MatchGame, MatchReport, Openings, PLAYERS, PlayerSpec,
    Progress, RecordError, Sprt, Told, elo_texts,
};
use clap::Args;
use engine::{Rules, Size};
use indicatif::{ProgressBar, ProgressStyle};
use models::Client;
use search::Cached;

use crate::arguments::ComputeArguments;
#[cfg(feature = "train")]
use crate::fleet::matches::{Follower, Place, Plan, PlannedPlayer, Terms, judge};
use crate::model::stored;
use crate::openings::{OpeningArguments, distinct_pairs};
use crate::players::{OpenPlayers, rules_of};

/// The most games of a match or a ladder.
pub const MOST_GAMES: usize = 1_000_000;

/// Play a match between two players, with paired openings and colours swapped.
#[derive(Args)]
pub struct MatchArguments {
    /// random, greedy, flat:PLAYOUTS, uct:PLAYOUTS, universal[@STRENGTH], model:PATH[@STRENGTH], policy:PATH, solver or
    /// 'gtp:COMMAND LINE'. A PATH is a model folder, a run folder (its newest checkpoint), or the name of a released model,
    /// as in model:beginner@64; a STRENGTH is SIMULATIONS (100 if left out), SIMULATIONS~TEMPERATURE (moves drawn from
    /// the search's policy) or levelN, as in level3.
    first: PlayerSpec,
    /// The other player.
    second: PlayerSpec,
    /// Games, an even number; with --sprt the maximum.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// The rules; those of the first model if left out.
    #[arg(long)]
    rules: Option<String>,
    /// Side of the board; that of the first model if left out.
    #[arg(long)]
    size: Option<Size>,
    /// Let the second player's network believe that these are the rules. What it loses by that is what knowing the real
    /// rules is worth.
    #[arg(long, value_name = "RULES")]
    #[cfg_attr(feature = "train", arg(conflicts_with = "store"))]
    told: Option<String>,
    /// Stop as soon as the difference in normalised Elo is significantly at most the first or at least the second of
    /// two numbers, as in 0,20.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Seed of openings and everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simultaneous games.
    #[arg(long, default_value_t = 256)]
    parallel: usize,
    /// Have the games played by workers (hotstone worker) that share this store: file:///FOLDER, s3://BUCKET/FOLDER or
    /// gs://BUCKET/FOLDER. The same command resumes where it was interrupted. A model's PATH may be store:STEP, which a
    /// run in the store has published.
    #[cfg(feature = "train")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["parallel", "patience"])]
    store: Option<String>,
    /// Seconds that an external engine may take for an answer.
    #[arg(long, default_value_t = DEFAULT_PATIENCE.as_secs_f64())]
    patience: f64,
    /// Keep finished games in this folder; the same command resumes where it was interrupted.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Write every game as SGF into this folder, with transcripts of external engines beside it.
    #[arg(long)]
    sgf: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    openings: OpeningArguments,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl MatchArguments {
    /// Plays the match and prints its report.
    pub fn execute(&self) -> Result<()> {
        ensure!(
            (2..=MOST_GAMES).contains(&self.games) && self.games.is_multiple_of(2),
            "--games {}: expected an even number from 2 to {MOST_GAMES}, because every opening is played twice",
            self.games
        );
        if let Some(folder) = &self.sgf {
            prepare(folder)?;
        }
        let test = self.sprt;
        let specs = [self.first.clone(), self.second.clone()];
        let bar = progress_bar(self.games as u64);
        let report = self.play(&specs, test, &bar)?;
        bar.finish_and_clear();
        // First what cannot be played again, then what may have lost its reader.
        if let Some(folder) = &self.sgf {
            write_games(folder, &report)?;
        }
        if self.json {
            println!("{}", serde_json::to_string(&json(&report, test.as_ref()))?);
        } else {
            print!("{report}");
            if let Some(test) = test {
                println!("test      {}", test.describe(&report.tally.pairs));
            }
        }
        Ok(())
    }

    fn play(
        &self,
        specs: &[PlayerSpec; PLAYERS],
        test: Option<Sprt>,
        bar: &ProgressBar,
    ) -> Result<MatchReport> {
        #[cfg(feature = "train")]
        if let Some(url) = &self.store {
            return self.have_played(url, specs, test, bar);
        }
        let rules = rules_of(specs, self.rules.as_deref(), self.size, &stored)?;
        let settings = self.compute.settings()?;
        let mut players = OpenPlayers::open(specs, &rules, settings, patience(self.patience)?)?;
        if let Some(told) = &self.told {
            players.tell(1, Rules::parse(told, rules.size)?)?;
        }
        let openings = self.openings.draw(rules, self.games / 2, self.seed, settings)?;
        let game = Match {
            pairs: self.pairs(specs, rules, openings.as_ref(), bar),
            test,
            openings,
            seed: self.seed,
            games_at_once: self.parallel,
            ..players.contest(rules, 0, 1)
        };
        play_recorded(&game, self.record.as_deref(), &mut players.evaluators(), &mut |progress| {
            show(bar, progress, test.as_ref());
            ControlFlow::Continue(())
        })
    }

    /// The number of pairs to play; says so if it is smaller than requested.
    fn pairs(
        &self,
        [first, second]: &[PlayerSpec; PLAYERS],
        rules: Rules,
        openings: Option<&Openings>,
        bar: &ProgressBar,
    ) -> usize {
        let wanted = self.games / 2;
        let pairs = distinct_pairs([first, second], rules, openings, wanted, self.seed);
        if pairs < wanted {
            bar.set_length(2 * pairs as u64);
            bar.suspend(|| {
                eprintln!(
                    "{first} and {second} play without chance, and there are only {pairs} openings: more than {} games \
                     would repeat others. A temperature, as in model:PATH@64~1, makes games differ.",
                    2 * pairs
                );
            });
        }
        pairs
    }

    /// The same played by the workers of a store.
    #[cfg(feature = "train")]
    fn have_played(
        &self,
        url: &str,
        specs: &[PlayerSpec; PLAYERS],
        test: Option<Sprt>,
        bar: &ProgressBar,
    ) -> Result<MatchReport> {
        let place = Place::open(url)?;
        let find = |path: &Path| place.model(path);
        let rules = rules_of(specs, self.rules.as_deref(), self.size, &find)?;
        let settings = self.compute.settings()?;
        let openings = self.openings.draw(rules, self.games / 2, self.seed, settings)?;
        let pairs = self.pairs(specs, rules, openings.as_ref(), bar);
        let [first, second] = specs.each_ref().map(|spec| PlannedPlayer::new(&place, spec, &rules));
        let terms = Terms { rules, pairs, seed: self.seed, test, openings };
        let plan = Plan::new([first?, second?], &terms)?;
        let follower = Follower {
            record: self.record.as_deref(),
            openings: terms.openings,
            watch: &mut |progress| show(bar, progress, test.as_ref()),
            say: &|text| bar.suspend(|| eprintln!("{text}")),
        };
        judge(&place, &plan, follower)
    }
}

/// Plays a match. With a folder, recorded games are not played again, and new ones are recorded.
pub fn play_recorded(
    game: &Match,
    record: Option<&Path>,
    evaluators: &mut [Told<Cached<Client>>],
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<MatchReport> {
    let (mut journal, finished) = match record {
        Some(folder) => Journal::open(folder, game).map(|(open, games)| (Some(open), games))?,
        None => (None, Vec::new()),
    };
    let mut problem: Option<RecordError> = None;
    let report = game.resume(finished, evaluators, &mut |progress| {
        let (index, record) = progress.last;
        let written = journal.as_mut().map_or(Ok(()), |journal| journal.append(index, record));
        problem = written.err();
        match problem {
            None => watch(progress),
            Some(_) => ControlFlow::Break(()),
        }
    })?;
    problem.map_or(Ok(report), |problem| Err(problem.into()))
}

/// A valid time in seconds.
pub fn patience(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|patience| !patience.is_zero()).with_context(
        || format!("--patience {seconds}: expected seconds, more than 0 and less than 10¹⁹"),
    )
}

fn show(bar: &ProgressBar, progress: &Progress, test: Option<&Sprt>) {
    bar.set_position(progress.games as u64);
    let [low, elo, high] = elo_texts(progress.tally.pairs.elo());
    let mut message =
        format!("score {:.1} %, Elo {elo} [{low}, {high}]", 100.0 * progress.tally.total().share());
    if let Some(test) = test {
        let (low, high) = test.bounds();
        let ratio = test.ratio(&progress.in_order);
        message.push_str(&format!(", log likelihood ratio {ratio:+.2} [{low:.2}, {high:.2}]"));
    }
    bar.set_message(message);
}

pub fn progress_bar(games: u64) -> ProgressBar {
    let style = "{bar:20.cyan/blue} {pos}/{len} games  {msg}  {eta} left";
    let bar = ProgressBar::new(games);
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}

/// Prepares a folder for the games of one match, since those of another would get mixed up with
/// them.
fn prepare(folder: &Path) -> Result<()> {
    let name = folder.display();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot write games to {name}"))?;
    let first = folder.join(game_name(0, "sgf"));
    ensure!(
        !first.exists(),
        "{name} has the games of a match already: give another folder to --sgf"
    );
    Ok(())
}

fn game_name(index: usize, ending: &str) -> String {
    format!("game-{:04}.{ending}", index + 1)
}

fn write_games(folder: &Path, report: &MatchReport) -> Result<()> {
    let write = |index: usize, ending: &str, text: &str| {
        std::fs::write(folder.join(game_name(index, ending)), text)
    };
    let both = |(index, game): (usize, &MatchGame)| {
        write(index, "sgf", &game.sgf().to_string())?;
        game.transcript.as_deref().map_or(Ok(()), |said| write(index, "gtp", said))
    };
    report
        .games
        .iter()
        .enumerate()
        .try_for_each(both)
        .with_context(|| format!("cannot write games to {}", folder.display()))
}

pub fn json(report: &MatchReport, test: Option<&Sprt>) -> serde_json::Value {
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
        "elo": {"difference": elo.value, "low": elo.low, "high": elo.high},
        "pentanomial": report.tally.pairs.0,
        "superiority": report.tally.pairs.superiority(),
        "distinct_openings": report.distinct_openings,
        "distinct_games": report.distinct_games,
        "repeated_pairs": report.repeated_pairs,
        "sprt": test.map(|test| test.json(&report.tally.pairs)),
        "mean_turns": report.mean_turns(),
        "reasons": report.reasons.iter().map(|(reason, games)| (reason.to_string(), (*games).into())).collect::<serde_json::Map<_, _>>(),
    })
}

//! What a match and a ladder have in common: rules, openings, players, and recorded games.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use arena::{
    DEFAULT_PATIENCE, Journal, Match, MatchReport, Openings, PlayerSpec, Progress, RecordError,
    RulesOverride,
};
use clap::Args;
use engine::{Rules, Size};
use indicatif::{ProgressBar, ProgressStyle};
use models::{Client, StoredModel};
use search::Cached;

use crate::arguments::ComputeArguments;
use crate::openings::OpeningArguments;
use crate::output::expect_folder;
use crate::players::{OpenPlayers, rules_of};

/// Maximum number of games in a match or a ladder.
const MAX_GAMES: usize = 1_000_000;

/// Maximum number of seconds to wait for an engine's answer: 31 years, which no clock exceeds.
const MAX_PATIENCE: f64 = 1e9;

/// Checks the number of games given with an option: each opening is played with both colours.
pub fn check_games(option: &str, games: usize) -> Result<()> {
    ensure!(
        (2..=MAX_GAMES).contains(&games) && games.is_multiple_of(2),
        "{option} {games}: expected an even number from 2 to {MAX_GAMES}, because every opening is played twice"
    );
    Ok(())
}

/// The options that a match and a ladder share.
#[derive(Args)]
pub struct ContestArguments {
    /// The rules. [default: those of the first model]
    #[arg(long)]
    rules: Option<String>,
    /// Side of the board. [default: that of the first model]
    #[arg(long)]
    size: Option<Size>,
    /// Seed of openings and all randomness.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Seconds that an external engine may take for an answer.
    #[arg(long, default_value_t = DEFAULT_PATIENCE.as_secs_f64())]
    patience: f64,
    /// Keep finished games in this folder, those of a ladder in one folder per meeting; the same command resumes where it
    /// was interrupted.
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Have the games played by workers (hotstone worker) that share this store: file:///FOLDER, s3://BUCKET/FOLDER or
    /// gs://BUCKET/FOLDER; all meetings of a ladder at once. The same command resumes where it was interrupted. A model's
    /// PATH may be store:STEP, which a run in the store has published.
    #[cfg(feature = "train")]
    #[arg(long, value_name = "URL", conflicts_with = "patience")]
    pub store: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    openings: OpeningArguments,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ContestArguments {
    /// Checks what can be checked before any player is opened.
    pub fn check(&self) -> Result<()> {
        expect_folder("--record", self.record.as_deref())
    }

    /// The given rules, or those of the first model among the players, which `stored` finds by its
    /// path.
    pub fn rules(
        &self,
        specs: &[PlayerSpec],
        stored: &dyn Fn(&Path) -> Result<StoredModel>,
    ) -> Result<Rules> {
        rules_of(specs, self.rules.as_deref(), self.size, stored)
    }

    /// Opens the players.
    pub fn players(&self, specs: &[PlayerSpec], rules: &Rules) -> Result<OpenPlayers> {
        OpenPlayers::open(specs, rules, self.compute.settings()?, self.patience()?)
    }

    /// Openings for this many pairs of games; `None` if each match draws its own.
    pub fn openings(&self, rules: Rules, pairs: usize) -> Result<Option<Openings>> {
        self.openings.draw(rules, pairs, self.seed, self.compute.settings()?)
    }

    fn patience(&self) -> Result<Duration> {
        let seconds = self.patience;
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|patience| !patience.is_zero() && seconds <= MAX_PATIENCE)
            .with_context(|| {
                format!(
                    "--patience {seconds}: expected seconds, more than 0 and at most {MAX_PATIENCE}"
                )
            })
    }
}

/// Plays a match. With a folder, recorded games are not played again, and new ones are recorded.
pub fn play_recorded(
    game: &Match,
    record: Option<&Path>,
    evaluators: &mut [RulesOverride<Cached<Client>>],
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

/// A progress bar for this many games.
pub fn progress_bar(games: u64) -> ProgressBar {
    let style = "{bar:20.cyan/blue} {pos}/{len} games  {msg}  {eta} left";
    let bar = ProgressBar::new(games);
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}

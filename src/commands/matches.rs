//! `hotstone match`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use arena::{
    Match, MatchGame, MatchReport, Openings, PLAYERS, PlayerSpec, Progress, Sprt, elo_json,
    elo_texts,
};
use clap::Args;
use engine::Rules;
use game::EndReason;
use indicatif::ProgressBar;

use crate::arguments::at_least;
use crate::contest::{ContestArguments, check_games, play_recorded, progress_bar};
#[cfg(feature = "train")]
use crate::fleet::matches::{Follower, MatchTerms, Plan, PlannedPlayer, StoreHandle, judge};
use crate::model::stored;
use crate::openings::distinct_pairs;
use crate::output::{prepare_folder, print_after};

/// Play a match between two players, with paired openings and colours swapped.
#[derive(Args)]
pub struct MatchArguments {
    /// random, greedy, flat:PLAYOUTS, uct:PLAYOUTS, universal[@STRENGTH], model:PATH[@STRENGTH], policy:PATH, solver or
    /// 'gtp:COMMAND LINE'. A PATH is a model folder, a run folder (its newest checkpoint), or the name of a released model,
    /// as in model:beginner@64; a STRENGTH is SIMULATIONS (100 if left out), SIMULATIONS~TEMPERATURE (moves drawn from
    /// the search's policy) or levelN, as in level3.
    #[allow(rustdoc::broken_intra_doc_links, reason = "brackets mean that something is optional")]
    first: PlayerSpec,
    /// The other player.
    second: PlayerSpec,
    /// Games, an even number; with --sprt the maximum.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Tell the second player's network that these are the rules. What it loses is what knowing the real rules is worth.
    #[arg(long, value_name = "RULES")]
    #[cfg_attr(feature = "train", arg(conflicts_with = "store"))]
    told: Option<String>,
    /// Sequential probability ratio test: stop as soon as it accepts one of two differences in normalised Elo, as in 0,20.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Simultaneous games, at least two.
    #[arg(long, default_value_t = 256, value_parser = at_least(2))]
    #[cfg_attr(feature = "train", arg(conflicts_with = "store"))]
    parallel: usize,
    /// Write every game as SGF into this folder, with transcripts of external engines beside it.
    #[arg(long)]
    sgf: Option<PathBuf>,
    #[command(flatten)]
    contest: ContestArguments,
}

impl MatchArguments {
    /// Plays the match and prints its report.
    pub fn execute(&self) -> Result<()> {
        check_games("--games", self.games)?;
        self.contest.check()?;
        if let Some(folder) = &self.sgf {
            prepare_folder(folder, &game_name(0, "sgf"), "the games of a match")?;
        }
        let specs = [self.first.clone(), self.second.clone()];
        let bar = progress_bar(self.games as u64);
        let report = self.play(&specs, self.sprt, &bar)?;
        bar.finish_and_clear();
        warn_of_faults(&report);
        let written = self.sgf.as_ref().map_or(Ok(()), |folder| write_games(folder, &report));
        print_after(written, self.text(&report))
    }

    /// The report as it is printed.
    fn text(&self, report: &MatchReport) -> String {
        if self.contest.json {
            return format!("{}\n", json(report, self.sprt.as_ref()));
        }
        let verdict = |test: Sprt| format!("test      {}\n", test.describe(&report.tally.pairs));
        format!("{report}{}", self.sprt.map(verdict).unwrap_or_default())
    }

    fn play(
        &self,
        specs: &[PlayerSpec; PLAYERS],
        test: Option<Sprt>,
        bar: &ProgressBar,
    ) -> Result<MatchReport> {
        #[cfg(feature = "train")]
        if let Some(url) = &self.contest.store {
            return self.play_in_store(url, specs, test, bar);
        }
        let rules = self.contest.rules(specs, &stored)?;
        let mut players = self.contest.players(specs, &rules)?;
        if let Some(told) = &self.told {
            players.override_rules(1, Rules::parse(told, rules.size)?)?;
        }
        let openings = self.contest.openings(rules, self.games / 2)?;
        let game = Match {
            pairs: self.pairs(specs, rules, openings.as_ref(), bar),
            test,
            openings,
            seed: self.contest.seed,
            games_at_once: self.parallel,
            ..players.contest(rules, 0, 1)
        };
        let record = self.contest.record.as_deref();
        play_recorded(&game, record, &mut players.evaluators(), &mut |progress| {
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
        let pairs = distinct_pairs([first, second], rules, openings, wanted, self.contest.seed);
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
    fn play_in_store(
        &self,
        url: &str,
        specs: &[PlayerSpec; PLAYERS],
        test: Option<Sprt>,
        bar: &ProgressBar,
    ) -> Result<MatchReport> {
        let handle = StoreHandle::open(url)?;
        let find = |path: &Path| handle.model(path);
        let rules = self.contest.rules(specs, &find)?;
        let openings = self.contest.openings(rules, self.games / 2)?;
        let pairs = self.pairs(specs, rules, openings.as_ref(), bar);
        let [first, second] =
            specs.each_ref().map(|spec| PlannedPlayer::new(&handle, spec, &rules));
        let terms = MatchTerms { rules, pairs, seed: self.contest.seed, test, openings };
        let plan = Plan::new([first?, second?], &terms)?;
        let follower = Follower {
            record: self.contest.record.as_deref(),
            openings: terms.openings,
            watch: &mut |progress| show(bar, progress, test.as_ref()),
            say: &|text| bar.suspend(|| eprintln!("{text}")),
        };
        judge(&handle, &plan, follower)
    }
}

/// What an engine loses by a fault says nothing of how it plays.
fn warn_of_faults(report: &MatchReport) {
    let faults = report.reasons.iter().filter(|(reason, _)| matches!(reason, EndReason::Fault(_)));
    let games: u32 = faults.map(|(_, games)| games).sum();
    if games > 0 {
        eprintln!(
            "warning: of {} games, {games} were lost by an engine's fault and not by its play; with --sgf there are transcripts \
             of what it said",
            report.games.len()
        );
    }
}

fn show(bar: &ProgressBar, progress: &Progress, test: Option<&Sprt>) {
    bar.set_position(progress.games as u64);
    let [low, elo, high] = elo_texts(progress.tally.pairs.elo());
    let mut message =
        format!("score {:.1} %, Elo {elo} [{low}, {high}]", 100.0 * progress.tally.total().share());
    if let Some(test) = test {
        let (low, high) = test.bounds();
        let ratio = test.log_likelihood_ratio(&progress.in_order);
        message.push_str(&format!(", log likelihood ratio {ratio:+.2} [{low:.2}, {high:.2}]"));
    }
    bar.set_message(message);
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
    let [low, difference, high] = report.tally.pairs.elo().parts().map(elo_json);
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
        "elo": {"difference": difference, "low": low, "high": high},
        "pentanomial": report.tally.pairs.0,
        "superiority": report.tally.pairs.likelihood_of_superiority(),
        "distinct_openings": report.distinct_openings,
        "distinct_games": report.distinct_games,
        "repeated_pairs": report.repeated_pairs,
        "sprt": test.map(|test| test.json(&report.tally.pairs)),
        "mean_turns": report.mean_turns(),
        "reasons": report.reasons.iter().map(|(reason, games)| (reason.to_string(), (*games).into())).collect::<serde_json::Map<_, _>>(),
    })
}

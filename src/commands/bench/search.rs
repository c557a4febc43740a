//! `hotstone bench search`

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use engine::{Position, Rules};
use models::{Network, Server};
use search::{Counted, Search, Settings};
use serde::Serialize;

use super::choice::{GameChoice, NetworkChoice, at_once, positive};
use crate::arguments::simulations;

/// One long search at a time, as `genmove` makes it, against the bare network.
#[derive(Args, Serialize)]
pub struct SearchArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) game: GameChoice,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) network: NetworkChoice,
    /// Simulations per move.
    #[arg(long, default_value_t = 1600, value_parser = simulations(1))]
    pub(super) simulations: u32,
    /// Positions evaluated together.
    #[arg(long, default_value_t = search::LEAVES_AT_ONCE, value_parser = at_once())]
    pub(super) leaves: usize,
    /// Seconds of search, after a warm-up.
    #[arg(long, default_value_t = 20.0, value_parser = positive)]
    #[serde(skip)]
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct SearchFigures {
    device: String,
    precision: String,
    forward_evals_per_s: f64,
    search_evals_per_s: f64,
    pub(super) share_of_forward: f64,
    pub(super) visits_per_s: f64,
    mean_batch: f64,
    seconds_a_move: f64,
}

impl SearchArguments {
    pub(super) fn measure(&self) -> Result<SearchFigures> {
        let rules = self.game.rules()?;
        let (architecture, settings) = self.network.open()?;
        let server = Server::start(Network::new(&architecture, 1)?, settings)?;
        let mut evaluator = Counted::new(server.client());
        let time = Duration::from_secs_f64(self.seconds / 2.0);
        let forward =
            || models::bench_network(&architecture, self.game.size, 64, settings, time / 2);

        let first = forward()?.per_second;
        self.play(rules, &mut evaluator, time / 2)?;
        (evaluator.batches, evaluator.positions) = (0, 0);
        let (visits, moves, elapsed) = self.play(rules, &mut evaluator, time)?;
        let forward = (first + forward()?.per_second) / 2.0;
        let seconds = elapsed.as_secs_f64();
        let search = evaluator.positions as f64 / seconds;
        Ok(SearchFigures {
            device: settings.device.to_string(),
            precision: settings.precision.to_string(),
            forward_evals_per_s: forward,
            search_evals_per_s: search,
            share_of_forward: search / forward,
            visits_per_s: visits as f64 / seconds,
            mean_batch: evaluator.positions as f64 / evaluator.batches.max(1) as f64,
            seconds_a_move: seconds / f64::from(moves.max(1)),
        })
    }

    /// Plays a game against itself, then another, and counts visits and moves.
    fn play(
        &self,
        rules: Rules,
        evaluator: &mut impl search::Evaluator,
        time: Duration,
    ) -> Result<(u64, u32, Duration)> {
        let settings = Settings::to_win(self.simulations);
        let (mut visits, mut moves) = (0, 0);
        let mut position = Position::new(rules);
        let began = Instant::now();
        while began.elapsed() < time {
            if position.outcome().is_some() {
                position = Position::new(rules);
            }
            let mut searches = [Search::new(position.clone(), settings, 0)];
            search::run_batched(&mut searches, evaluator, self.leaves)?;
            let result = searches[0].result();
            visits += result.moves.iter().map(|stats| u64::from(stats.visits)).sum::<u64>();
            moves += 1;
            position.play_unchecked(result.best);
        }
        Ok((visits, moves, began.elapsed()))
    }
}

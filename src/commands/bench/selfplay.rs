//! `hotstone bench selfplay`

use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use cpu_time::ProcessTime;
use models::{ModelError, Network, Server, ServerStats, Speed};
use selfplay::{Mixture, Phase, PhaseReport, SelfPlay, SelfPlaySettings};
use serde::Serialize;

use super::choice::{GameChoice, NetworkChoice, at_once, positive};
use crate::arguments::simulations;

/// Self-play end to end, against the bare network at the same batch size.
#[derive(Args, Serialize)]
pub struct SelfplayArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) game: GameChoice,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) network: NetworkChoice,
    /// Games at once.
    #[arg(long, default_value_t = 256, value_parser = at_once())]
    pub(super) games: usize,
    /// Threads that play; 0 chooses.
    #[arg(long, default_value_t = 0, value_parser = workers())]
    #[serde(skip)]
    pub(super) workers: usize,
    /// Simulations per move.
    #[arg(long, default_value_t = 32, value_parser = simulations(1))]
    pub(super) simulations: u32,
    /// Seconds of self-play, after a warm-up. The bare network is measured for half as long.
    #[arg(long, default_value_t = 20.0, value_parser = positive)]
    #[serde(skip)]
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct SelfplayFigures {
    workers: usize,
    device: String,
    precision: String,
    forward_evals_per_s: f64,
    pub(super) selfplay_evals_per_s: f64,
    pub(super) efficiency: f64,
    /// The same in evaluations per second of CPU time. On an otherwise idle machine the two agree;
    /// when other programs compete, more threads get more of the machine, and only this figure is
    /// fair.
    efficiency_of_cpu: f64,
    games_per_s: f64,
    mean_batch: f64,
    network_busy: f64,
    rss_bytes: u64,
}

/// Reads a number of threads, of which systems do not start any number.
fn workers() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=1024)
}

/// Length in seconds of a turn. Self-play and the bare network take turns, so that whatever else the
/// machine is doing slows down both.
const TURN: f64 = 10.0;

/// Measurements of all turns.
#[derive(Default)]
struct Turns {
    /// Of self-play: evaluations, games and time.
    played: PhaseReport,
    /// Seconds of CPU time that self-play took.
    cpu: f64,
    /// The bare network's evaluations per second, for each turn.
    forward: Vec<f64>,
    /// The same per second of CPU time.
    forward_cpu: Vec<f64>,
    /// Resident memory after the first turn of self-play.
    rss_bytes: u64,
}

impl SelfplayArguments {
    pub(super) fn measure(&self) -> Result<SelfplayFigures> {
        ensure!(self.game.size.side().is_some(), ModelError::NotSquare(self.game.size));
        let rules = self.game.rules()?;
        let (architecture, settings) = self.network.open()?;
        let server = Server::start(Network::new(&architecture, 1)?, settings)?;
        let workers = if self.workers == 0 { server.workers_for(self.games) } else { self.workers };
        let self_play = SelfPlaySettings { games: self.games, ..SelfPlaySettings::default() };
        let phase = Phase { simulations: self.simulations, model: 0 };
        let mixture = Mixture::of(rules);
        let mut play = SelfPlay::new(std::slice::from_ref(&mixture), &self_play, phase, workers, 1);
        let mut play_for = |time: Duration| {
            play.play(&mixture, phase, || server.client(), |_, report| report.time < time)
        };

        // The first batches compile kernels, and all games are at their first move: neither is
        // representative.
        play_for(Duration::from_secs_f64((self.seconds / 4.0).max(2.0)))?;
        let turns = (self.seconds / TURN).round().max(1.0);
        let turn = Duration::from_secs_f64(self.seconds / turns);
        let before = server.stats();
        let mut measured = Turns::default();
        for _ in 0..turns as usize {
            let cpu_before = ProcessTime::now();
            let report = play_for(turn)?;
            measured.add_self_play(&report, cpu_before.elapsed());
            let batch = mean_batch(before, server.stats()).round() as usize;
            let speed =
                models::bench_network(&architecture, self.game.size, batch, settings, turn / 2)?;
            measured.add_network(speed);
        }
        Ok(measured.figures(workers, &server, before))
    }
}

impl Turns {
    fn add_self_play(&mut self, report: &PhaseReport, cpu: Duration) {
        self.cpu += cpu.as_secs_f64();
        self.played.evaluations += report.evaluations;
        self.played.games += report.games;
        self.played.time += report.time;
        if self.rss_bytes == 0 {
            self.rss_bytes = resident_bytes();
        }
    }

    fn add_network(&mut self, speed: Speed) {
        self.forward.push(speed.per_second);
        self.forward_cpu.push(speed.per_core_second);
    }

    /// The figures, given the server's statistics `before` the first turn.
    fn figures(&self, workers: usize, server: &Server, before: ServerStats) -> SelfplayFigures {
        let (settings, after) = (server.settings(), server.stats());
        let PhaseReport { evaluations, games, time, .. } = self.played;
        let seconds = time.as_secs_f64();
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let (forward, forward_cpu) = (mean(&self.forward), mean(&self.forward_cpu));
        let per_second = evaluations as f64 / seconds;
        let per_cpu_second = evaluations as f64 / self.cpu;
        SelfplayFigures {
            workers,
            device: settings.device.to_string(),
            precision: settings.precision.to_string(),
            forward_evals_per_s: forward,
            selfplay_evals_per_s: per_second,
            efficiency: per_second / forward,
            efficiency_of_cpu: per_cpu_second / forward_cpu,
            games_per_s: games as f64 / seconds,
            mean_batch: mean_batch(before, after),
            network_busy: (after.busy - before.busy).as_secs_f64()
                / (seconds * server.threads() as f64),
            rss_bytes: self.rss_bytes,
        }
    }
}

/// The mean size of the batches evaluated between two times.
fn mean_batch(before: ServerStats, after: ServerStats) -> f64 {
    let evaluations = (after.evaluations - before.evaluations) as f64;
    evaluations / (after.batches - before.batches).max(1) as f64
}

/// Resident memory of this process; 0 if unknown.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kibibytes: Option<u64> = line.split_whitespace().next().and_then(|text| text.parse().ok());
    kibibytes.unwrap_or_default() * 1024
}

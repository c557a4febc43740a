//! `hotstone bench`

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Args, Subcommand};
use engine::{Position, Rules};
use models::{Architecture, Device, Network, Precision, Server, ServerSettings};
use selfplay::{Phase, SelfPlay, SelfPlaySettings};
use serde::Serialize;

/// Measure speed on this machine.
#[derive(Args)]
pub struct BenchArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Engine(EngineArguments),
    Selfplay(SelfplayArguments),
}

/// Random games on one core, with all legal moves found at every ply.
#[derive(Args)]
struct EngineArguments {
    /// A variant's name, and changes to it.
    #[arg(long, default_value = "go")]
    rules: String,
    /// Side of the board.
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// Seconds to measure for.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Self-play end to end, against the bare network at the same batch size.
#[derive(Args)]
struct SelfplayArguments {
    /// A variant's name, and changes to it.
    #[arg(long, default_value = "go")]
    rules: String,
    /// Side of the board.
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// Residual blocks of the network.
    #[arg(long, default_value_t = 6)]
    blocks: usize,
    /// Channels of the network.
    #[arg(long, default_value_t = 64)]
    channels: usize,
    /// Games at once.
    #[arg(long, default_value_t = 256)]
    games: usize,
    /// Threads that play; 0 chooses.
    #[arg(long, default_value_t = 0)]
    workers: usize,
    /// Simulations a move.
    #[arg(long, default_value_t = 32)]
    simulations: u32,
    /// Seconds of self-play, after a warm-up.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// cpu, cuda or auto.
    #[arg(long, default_value = "auto")]
    device: String,
    /// f32, bf16 or auto.
    #[arg(long, default_value = "auto")]
    precision: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct EngineReport {
    rules: String,
    size: u8,
    plies_per_s: f64,
    leaf_ns: f64,
    mean_game_plies: f64,
}

#[derive(Serialize)]
struct SelfplayReport {
    rules: String,
    size: u8,
    blocks: usize,
    channels: usize,
    games: usize,
    workers: usize,
    simulations: u32,
    device: String,
    precision: String,
    forward_evals_per_s: f64,
    selfplay_evals_per_s: f64,
    efficiency: f64,
    games_per_s: f64,
    mean_batch: f64,
    rss_bytes: u64,
}

impl BenchArguments {
    /// Measures and prints.
    pub fn execute(&self) -> Result<()> {
        match &self.what {
            What::Engine(arguments) => arguments.execute(),
            What::Selfplay(arguments) => arguments.execute(),
        }
    }
}

impl EngineArguments {
    fn execute(&self) -> Result<()> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let budget = Duration::from_secs_f64(self.seconds);
        let mut random = Choice(1);
        let (mut games, mut plies) = (0_u64, 0_u64);
        // Positions of the middle of games, for the cost of a leaf.
        let mut middle: Vec<Position> = Vec::new();
        let began = Instant::now();
        while began.elapsed() < budget {
            let mut position = Position::new(rules);
            games += 1;
            loop {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                if games % 16 == 0 && middle.len() < 4096 {
                    middle.push(position.clone());
                }
                position.play_unchecked(moves[random.below(moves.len())]);
                plies += 1;
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        let report = EngineReport {
            rules: rules.to_string(),
            size: self.size,
            plies_per_s: plies as f64 / seconds,
            leaf_ns: leaf_cost(&middle, &mut random),
            mean_game_plies: plies as f64 / games as f64,
        };
        print_report(&report, self.json)
    }
}

/// Nanoseconds to clone a position, play a move on the clone, and find all its legal points.
fn leaf_cost(positions: &[Position], random: &mut Choice) -> f64 {
    let leaves: Vec<_> = positions
        .iter()
        .map(|position| {
            let moves = position.legal_moves();
            (position, moves[random.below(moves.len())])
        })
        .collect();
    let mut found = 0;
    let began = Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        for &(position, chosen) in &leaves {
            let mut next = position.clone();
            next.play_unchecked(chosen);
            found += next.legal_points().count();
        }
    }
    std::hint::black_box(found);
    began.elapsed().as_nanos() as f64 / (rounds * leaves.len().max(1)) as f64
}

/// A small generator of random choices (xorshift*, Marsaglia 2003): the dice must not be what is measured.
struct Choice(u64);

impl Choice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (high * bound as u64 >> 32) as usize
    }
}

impl SelfplayArguments {
    fn execute(&self) -> Result<()> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let device = Device::choose(&self.device)?;
        let precision = Precision::choose(&self.precision, device)?;
        let architecture = Architecture { blocks: self.blocks, channels: self.channels };
        let network = Network::new(&architecture, 1)?;
        let settings = ServerSettings::new(device, precision);
        let server = Server::start(network, settings)?;
        let workers = if self.workers == 0 { server.threads() + 1 } else { self.workers };
        let self_play = SelfPlaySettings { games: self.games, ..SelfPlaySettings::default() };
        let phase = Phase { simulations: self.simulations, model: 0 };
        let mut play = SelfPlay::new(&[(rules, 1.0)], &self_play, phase, workers, 1);

        // The first batches compile kernels and all games stand at their first move: neither is what lasts.
        let warm_up = Duration::from_secs_f64((self.seconds / 4.0).max(2.0));
        play.play(phase, || server.client(), |_, report| report.time < warm_up)?;
        let whole = Duration::from_secs_f64(self.seconds);
        let report = play.play(phase, || server.client(), |_, report| report.time < whole)?;
        let seconds = report.time.as_secs_f64();
        let mean_batch = report.evaluations as f64 / report.batches.max(1) as f64;
        let rss_bytes = resident_bytes();
        drop((play, server));
        let batch = (mean_batch.round() as usize).clamp(1, settings.max_batch);
        let forward =
            models::bench_forward(&architecture, self.size, batch, settings, warm_up)?.per_second;
        let selfplay_rate = report.evaluations as f64 / seconds;
        let report = SelfplayReport {
            rules: rules.to_string(),
            size: self.size,
            blocks: self.blocks,
            channels: self.channels,
            games: self.games,
            workers,
            simulations: self.simulations,
            device: device.to_string(),
            precision: precision.to_string(),
            forward_evals_per_s: forward,
            selfplay_evals_per_s: selfplay_rate,
            efficiency: selfplay_rate / forward,
            games_per_s: report.games as f64 / seconds,
            mean_batch,
            rss_bytes,
        };
        print_report(&report, self.json)
    }
}

/// Prints a flat report as one JSON object, or as a line a field.
fn print_report(report: &impl Serialize, json: bool) -> Result<()> {
    let value = serde_json::to_value(report)?;
    if json {
        println!("{value}");
        return Ok(());
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_f64().filter(|_| value.is_f64()) {
            Some(number) => println!("{name:<22} {number:.3}"),
            None => println!("{name:<22} {}", value.to_string().trim_matches('"')),
        }
    }
    Ok(())
}

/// Memory that this process holds now; 0 where the system does not say.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kibibytes: Option<u64> = line.split_whitespace().next().and_then(|text| text.parse().ok());
    kibibytes.unwrap_or_default() * 1024
}

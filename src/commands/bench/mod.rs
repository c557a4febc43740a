//! `hotstone bench`

mod engine;
mod network;
mod overview;
mod search;
mod selfplay;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use models::{Architecture, Device, Precision, ServerSettings};
use serde::Serialize;

/// Measure speed on this machine: everything in one table, or one part in detail.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    overview: overview::OverviewArguments,
}

#[derive(Subcommand)]
enum What {
    Engine(engine::EngineArguments),
    Network(network::NetworkArguments),
    Search(search::SearchArguments),
    Selfplay(selfplay::SelfplayArguments),
}

impl BenchArguments {
    /// Measures and prints.
    pub fn execute(&self) -> Result<()> {
        match &self.what {
            None => self.overview.execute(),
            Some(What::Engine(arguments)) => arguments.execute(),
            Some(What::Network(arguments)) => arguments.execute(),
            Some(What::Search(arguments)) => arguments.execute(),
            Some(What::Selfplay(arguments)) => arguments.execute(),
        }
    }
}

/// A network without training, and where it computes: speed does not depend on what it has learnt.
#[derive(Args)]
struct NetworkChoice {
    /// Residual blocks of the network.
    #[arg(long, default_value_t = 6)]
    blocks: usize,
    /// Channels of the network.
    #[arg(long, default_value_t = 64)]
    channels: usize,
    /// cpu, cuda or auto.
    #[arg(long, default_value = "auto")]
    device: String,
    /// f32, bf16 or auto.
    #[arg(long, default_value = "auto")]
    precision: String,
}

impl NetworkChoice {
    /// On the best device and in the best arithmetic that there is.
    fn automatic(blocks: usize, channels: usize) -> NetworkChoice {
        let auto = || "auto".to_owned();
        NetworkChoice { blocks, channels, device: auto(), precision: auto() }
    }

    fn open(&self) -> Result<(Architecture, ServerSettings)> {
        let device = Device::choose(&self.device).context("--device")?;
        let precision = Precision::choose(&self.precision, device).context("--precision")?;
        let architecture = Architecture { blocks: self.blocks, channels: self.channels };
        Ok((architecture, ServerSettings::new(device, precision)))
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

/// Processor time of this process so far, over all its threads, ended ones too.
fn cpu_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold spaces; user and system time are fields 12 and 13 after it.
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS_A_SECOND
}

/// Resident memory of this process; 0 if unknown.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kibibytes: Option<u64> = line.split_whitespace().next().and_then(|text| text.parse().ok());
    kibibytes.unwrap_or_default() * 1024
}

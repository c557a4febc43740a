//! `hotstone bench network`

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::{NetworkChoice, print_report};

/// The network alone, through the server, and learning; and the speed of a bare matrix product.
#[derive(Args)]
pub struct NetworkArguments {
    #[command(flatten)]
    network: NetworkChoice,
    /// Side of the board.
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// Positions in a batch.
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// Samples in a batch to learn from.
    #[arg(long, default_value_t = 256)]
    learning_batch: usize,
    /// Seconds for each of the measurements.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct NetworkReport {
    size: u8,
    blocks: usize,
    channels: usize,
    batch: usize,
    threads: usize,
    device: String,
    precision: String,
    forward_evals_per_s: f64,
    server_evals_per_s: f64,
    learner_samples_per_s: f64,
    forward_flops: f64,
    product_flops: f64,
    share_of_product: f64,
}

impl NetworkArguments {
    /// Measures and prints.
    pub fn execute(&self) -> Result<()> {
        let (architecture, settings) = self.network.open()?;
        let time = Duration::from_secs_f64(self.seconds);
        let (size, batch) = (self.size, self.batch);
        let forward = models::bench_network(&architecture, size, batch, settings, time)?.per_second;
        let server = models::bench_forward(&architecture, size, batch, settings, time)?.per_second;
        let arithmetic = (settings.device, settings.precision);
        let learner =
            models::bench_learner(&architecture, size, self.learning_batch, arithmetic, time)?;
        let product_flops = models::bench_product(settings, time)?;
        let forward_flops = forward * self.operations();
        let report = NetworkReport {
            size,
            blocks: self.network.blocks,
            channels: self.network.channels,
            batch,
            threads: settings.threads,
            device: settings.device.to_string(),
            precision: settings.precision.to_string(),
            forward_evals_per_s: forward,
            server_evals_per_s: server,
            learner_samples_per_s: learner.per_second,
            forward_flops,
            product_flops,
            share_of_product: forward_flops / product_flops,
        };
        print_report(&report, self.json)
    }

    /// Operations of one evaluation: those of the trunk's 3×3 convolutions, which are nearly all.
    fn operations(&self) -> f64 {
        let points = f64::from(self.size) * f64::from(self.size);
        let channels = self.network.channels as f64;
        let inputs = engine::PLANES as f64 + 2.0 * self.network.blocks as f64 * channels;
        2.0 * 9.0 * points * channels * inputs
    }
}

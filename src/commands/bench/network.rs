//! `hotstone bench network`

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use engine::Size;
use serde::Serialize;

use super::choice::{NetworkChoice, at_once, positive};

/// The network alone and through the server; with libtorch also learning, and the speed of a bare matrix product.
#[derive(Args, Serialize)]
pub struct NetworkArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) network: NetworkChoice,
    /// Side of the board.
    #[arg(long, default_value = "9")]
    pub(super) size: Size,
    /// Positions asked for at once. More than the network computes at once, 64 on a processor, are
    /// split, as in play; the report has the batch that was computed.
    #[arg(long, default_value_t = 64, value_parser = at_once())]
    #[serde(skip)]
    pub(super) batch: usize,
    /// Samples in a batch to learn from.
    #[cfg(feature = "train")]
    #[arg(long, default_value_t = 256, value_parser = at_once())]
    pub(super) learning_batch: usize,
    /// Seconds for each of the measurements.
    #[arg(long, default_value_t = 5.0, value_parser = positive)]
    #[serde(skip)]
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct NetworkFigures {
    threads: usize,
    /// Positions that the network computed at once.
    batch: usize,
    device: String,
    pub(super) precision: String,
    pub(super) forward_evals_per_s: f64,
    server_evals_per_s: f64,
    forward_flops: f64,
    #[cfg(feature = "train")]
    #[serde(flatten)]
    pub(super) libtorch: LibtorchFigures,
}

/// What libtorch does.
#[cfg(feature = "train")]
#[derive(Serialize)]
pub(super) struct LibtorchFigures {
    pub(super) learner_samples_per_s: f64,
    product_flops: f64,
    pub(super) share_of_product: f64,
}

impl NetworkArguments {
    pub(super) fn measure(&self) -> Result<NetworkFigures> {
        let (architecture, settings) = self.network.open()?;
        let time = Duration::from_secs_f64(self.seconds);
        let (size, batch) = (self.size, self.batch);
        let forward = models::bench_network(&architecture, size, batch, settings, time)?.per_second;
        let server = models::bench_forward(&architecture, size, batch, settings, time)?;
        let forward_flops = forward * self.operations();
        Ok(NetworkFigures {
            threads: settings.threads,
            batch: batch.min(settings.max_batch),
            device: settings.device.to_string(),
            precision: settings.precision.to_string(),
            forward_evals_per_s: forward,
            server_evals_per_s: server,
            forward_flops,
            #[cfg(feature = "train")]
            libtorch: self.measure_libtorch(forward_flops)?,
        })
    }

    #[cfg(feature = "train")]
    fn measure_libtorch(&self, forward_flops: f64) -> Result<LibtorchFigures> {
        let (architecture, settings) = self.network.open()?;
        let time = Duration::from_secs_f64(self.seconds);
        let arithmetic = (settings.device, settings.precision);
        let learner_samples_per_s =
            models::bench_learner(&architecture, self.size, self.learning_batch, arithmetic, time)?;
        let product_flops = models::bench_product(settings, time)?;
        Ok(LibtorchFigures {
            learner_samples_per_s,
            product_flops,
            share_of_product: forward_flops / product_flops,
        })
    }

    /// Number of operations of one evaluation: those of the trunk's 3×3 convolutions, which are
    /// nearly all. The minimal filtering used for f32 on a CPU takes fewer, so its rate can exceed
    /// the machine's.
    fn operations(&self) -> f64 {
        let points = self.size.area() as f64;
        let channels = self.network.channels as f64;
        let inputs = engine::PLANES as f64 + 2.0 * self.network.blocks as f64 * channels;
        2.0 * 9.0 * points * channels * inputs
    }
}

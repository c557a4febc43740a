//! Measures the speed of libtorch on this machine.

use std::time::{Duration, Instant};

use engine::{Encoding, Position, Size, actions};
use tch::{Kind, Tensor};

use crate::bench::{on_threads, positions};
use crate::libtorch::device;
use crate::{
    Architecture, Device, Head, Learner, LearnerSettings, ModelError, PerHead, Precision,
    ServerSettings, TrainingBatch, TrainingSample,
};

/// Measures the product of two matrices of 1024 × 1024 on every core at once, in operations per
/// second: an upper bound for convolutions.
///
/// # Errors
/// libtorch fails.
pub fn bench_product(settings: ServerSettings, time: Duration) -> Result<f64, ModelError> {
    const SIDE: i64 = 1024;
    let work = || {
        device::use_one_core();
        let options = (settings.precision.kind(), settings.device.torch());
        let (a, b) = (Tensor::ones([SIDE, SIDE], options), Tensor::ones([SIDE, SIDE], options));
        finish(&a.f_matmul(&b)?)?;
        let (begun, mut products) = (Instant::now(), 0);
        let mut last = a.f_matmul(&b)?;
        while begun.elapsed() < time {
            last = a.f_matmul(&b)?;
            products += 1;
        }
        finish(&last)?;
        Ok(f64::from(products + 1) * 2.0 * (SIDE * SIDE * SIDE) as f64
            / begun.elapsed().as_secs_f64())
    };
    Ok(on_threads(settings.threads.max(1), work)?.iter().sum())
}

/// Waits for a result, in case the device works asynchronously.
fn finish(output: &Tensor) -> Result<(), ModelError> {
    let sum = output.f_sum(Kind::Float)?;
    f64::try_from(sum).map(drop).map_err(ModelError::from)
}

/// Measures the samples per second of training steps for about `time`.
///
/// # Errors
/// The network does not run on the device, or the board is not square.
pub fn bench_learner(
    architecture: &Architecture,
    size: Size,
    batch: usize,
    (device, precision): (Device, Precision),
    time: Duration,
) -> Result<f64, ModelError> {
    let settings = LearnerSettings::default();
    let mut learner = Learner::new(architecture, device, precision, settings, 1)?;
    let samples = positions(size, batch)?.iter().map(sample).collect();
    let batch = TrainingBatch::new(size, samples);
    learner.step(&batch, 1e-3)?;
    let begun = Instant::now();
    let mut steps = 0_u32;
    while begun.elapsed() < time {
        learner.step(&batch, 1e-3)?;
        steps += 1;
    }
    Ok(f64::from(steps) * batch.samples.len() as f64 / begun.elapsed().as_secs_f64())
}

/// A sample with a uniform policy target.
fn sample(position: &Position) -> TrainingSample {
    let size = position.size();
    let moves = position.legal_moves();
    let mut policy = vec![0.0; actions(size)];
    let mut legal = vec![false; actions(size)];
    for chosen in moves.iter() {
        policy[chosen.action(size)] = 1.0 / moves.len() as f32;
        legal[chosen.action(size)] = true;
    }
    let mut targets = PerHead::<Vec<f32>>::default();
    targets[Head::Value] = vec![1.0, 0.0, 0.0];
    targets[Head::Occupancy] = vec![f32::from(TrainingSample::NEITHER); size.area()];
    TrainingSample { encoding: Encoding::of(position), policy, legal, targets }
}

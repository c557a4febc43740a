//! Speeds of the network on this machine.

use std::time::{Duration, Instant};

use engine::{Encoding, Position, Rules, Variant, actions};

use crate::{
    Architecture, Auxiliary, Device, Learner, LearnerSettings, ModelError, Network, Precision,
    Server, ServerSettings, TrainingBatch, TrainingSample,
};

/// A measured speed.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// Positions a second, all threads together.
    pub per_second: f64,
    /// Time for the first batch, which includes compiling.
    pub warm_up: Duration,
    /// Mean time for a batch.
    pub batch: Duration,
}

/// Measures evaluations through a server for about `time`: two clients that send `batch` positions
/// at a time for each network, the way self-play does. Encoding is included.
///
/// # Errors
/// The network does not run on the device.
pub fn bench_forward(
    architecture: &Architecture,
    size: u8,
    batch: usize,
    settings: ServerSettings,
    time: Duration,
) -> Result<Speed, ModelError> {
    let server = Server::start(Network::new(architecture, 1)?, settings)?;
    let positions = positions(size, batch)?;
    let positions: Vec<&Position> = positions.iter().collect();
    let ask = || {
        let pending = server.client().submit(&positions);
        pending.and_then(crate::Pending::wait).map_err(|e| ModelError::Torch(e.to_string()))
    };
    let begun = Instant::now();
    // Enough requests at once that each thread compiles.
    std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..4 * server.threads()).map(|_| scope.spawn(|| ask().map(drop))).collect();
        clients.into_iter().try_for_each(|client| client.join().unwrap_or(Err(ModelError::Stopped)))
    })?;
    let warm_up = begun.elapsed();
    let before = server.stats();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let work = || {
            while begun.elapsed() < time {
                ask()?;
            }
            Ok(())
        };
        let clients: Vec<_> = (0..2 * server.threads()).map(|_| scope.spawn(work)).collect();
        clients.into_iter().try_for_each(|client| client.join().unwrap_or(Err(ModelError::Stopped)))
    })?;
    let elapsed = begun.elapsed();
    let after = server.stats();
    let batches = u32::try_from(after.batches - before.batches).unwrap_or(u32::MAX).max(1);
    Ok(Speed {
        per_second: (after.evaluations - before.evaluations) as f64 / elapsed.as_secs_f64(),
        warm_up,
        batch: (after.busy - before.busy) / batches,
    })
}

/// Measures learning steps for about `time`.
///
/// # Errors
/// The network does not run on the device.
pub fn bench_learner(
    architecture: &Architecture,
    size: u8,
    batch: usize,
    (device, precision): (Device, Precision),
    time: Duration,
) -> Result<Speed, ModelError> {
    let settings = LearnerSettings::default();
    let mut learner = Learner::new(architecture, device, precision, settings, 1)?;
    let samples = positions(size, batch)?.iter().map(sample).collect();
    let batch = TrainingBatch::new(size.into(), samples);
    let begun = Instant::now();
    learner.step(&batch, 1e-3)?;
    let warm_up = begun.elapsed();
    let begun = Instant::now();
    let mut steps = 0;
    while begun.elapsed() < time {
        learner.step(&batch, 1e-3)?;
        steps += 1;
    }
    let elapsed = begun.elapsed();
    let per_second = (f64::from(steps) * batch.samples.len() as f64) / elapsed.as_secs_f64();
    Ok(Speed { per_second, warm_up, batch: elapsed / steps.max(1) })
}

/// Positions of games of the first rules in the list, with moves at made-up points.
fn positions(size: u8, count: usize) -> Result<Vec<Position>, ModelError> {
    let rules: Rules =
        Variant::ALL[0].rules(size).map_err(|error| ModelError::Architecture(error.to_string()))?;
    let mut position = Position::new(rules);
    let mut list = Vec::with_capacity(count);
    let mut choice = 0;
    while list.len() < count {
        if position.outcome().is_some() {
            position = Position::new(rules);
        }
        list.push(position.clone());
        let moves = position.legal_moves();
        choice = (choice + 7919) % moves.len().max(1);
        position.play_unchecked(moves[choice]);
    }
    Ok(list)
}

/// A sample with an even policy.
fn sample(position: &Position) -> TrainingSample {
    let size = position.size();
    let moves = position.legal_moves();
    let mut policy = vec![0.0; actions(size)];
    let mut legal = vec![false; actions(size)];
    for chosen in moves.iter() {
        policy[chosen.action(size)] = 1.0 / moves.len() as f32;
        legal[chosen.action(size)] = true;
    }
    TrainingSample {
        encoding: Encoding::of(position),
        policy,
        legal,
        result: [1.0, 0.0, 0.0],
        occupancy: vec![TrainingSample::NEITHER; size * size],
        auxiliary: Auxiliary::default(),
    }
}

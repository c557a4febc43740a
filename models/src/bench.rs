//! Measures the speed of the network on this machine.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use engine::{Encoding, Position, Size, Variant};

use crate::inference::Inference;
use crate::input::Input;
use crate::{Architecture, ModelError, Network, Server, ServerSettings};

/// The measured speed of a network.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// Positions per second over all threads.
    pub per_second: f64,
    /// Positions per second of CPU time: what `per_second` would be on one idle core.
    pub per_core_second: f64,
}

/// Measures only the network: as many copies as `settings` has threads, each continuously busy with
/// one prepared batch. There is no encoding and no queue, so this is the upper bound for the rest
/// of the program.
///
/// # Errors
/// The network does not run on the device, or the board is not square.
pub fn bench_network(
    architecture: &Architecture,
    size: Size,
    batch: usize,
    settings: ServerSettings,
    time: Duration,
) -> Result<Speed, ModelError> {
    let batch = batch.clamp(1, settings.max_batch);
    let network = Network::new(architecture, 1)?;
    let mut input = Input::new(size, batch);
    positions(size, batch)?.iter().for_each(|position| input.push(&Encoding::of(position)));
    let threads = settings.threads.max(1);
    let ready = Barrier::new(threads);
    let work = || {
        let mut input = input.clone();
        let mut run = |inference: &mut Inference| {
            input.count = batch;
            inference.run(&mut input).map(drop)
        };
        // The first batch may have to be compiled.
        let first = Inference::new(&network, settings.device, settings.precision);
        let first = first.and_then(|mut inference| run(&mut inference).map(|()| inference));
        ready.wait();
        let mut inference = first?;
        let (begun, before, mut batches) = (Instant::now(), ThreadTime::now(), 0);
        while batches == 0 || begun.elapsed() < time {
            run(&mut inference)?;
            batches += 1;
        }
        let (elapsed, worked) = (begun.elapsed(), before.elapsed());
        Ok(Performance { batches, elapsed, worked })
    };
    let copies: Vec<Performance> = on_threads(threads, work)?;
    let evaluations = |copy: &Performance| f64::from(copy.batches) * batch as f64;
    let worked: f64 = copies.iter().map(|copy| copy.worked.as_secs_f64()).sum();
    let all: f64 = copies.iter().map(evaluations).sum();
    Ok(Speed {
        per_second: copies.iter().map(|it| evaluations(it) / it.elapsed.as_secs_f64()).sum(),
        per_core_second: if worked > 0.0 { all / worked } else { 0.0 },
    })
}

/// Results of one network.
struct Performance {
    batches: u32,
    elapsed: Duration,
    worked: Duration,
}

/// Measures evaluations per second through a server for about `time`: for each network, two clients
/// send `batch` positions at a time, as self-play does. Encoding is included.
///
/// # Errors
/// The network does not run on the device, or the board is not square.
pub fn bench_forward(
    architecture: &Architecture,
    size: Size,
    batch: usize,
    settings: ServerSettings,
    time: Duration,
) -> Result<f64, ModelError> {
    let server = Server::start(Network::new(architecture, 1)?, settings)?;
    let positions = positions(size, batch)?;
    let positions: Vec<&Position> = positions.iter().collect();
    let ask = || -> Result<_, ModelError> { Ok(server.client().submit(&positions)?.wait()?) };
    // Enough simultaneous requests that each thread compiles.
    on_threads(4 * server.threads(), || ask().map(drop))?;
    let before = server.stats();
    let begun = Instant::now();
    on_threads(2 * server.threads(), || {
        while begun.elapsed() < time {
            ask()?;
        }
        Ok(())
    })?;
    let elapsed = begun.elapsed();
    let evaluations = server.stats().evaluations - before.evaluations;
    Ok(evaluations as f64 / elapsed.as_secs_f64())
}

/// Runs `work` on this many threads at once, and returns its results.
///
/// # Errors
/// The first error of any thread, in the order in which they were started.
pub(crate) fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, ModelError> + Sync,
) -> Result<Vec<T>, ModelError> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let results = running.into_iter().map(|thread| thread.join());
        results.map(|result| result.unwrap_or(Err(ModelError::Stopped))).collect()
    })
}

/// Positions from games of the first variant with arbitrary moves.
///
/// # Errors
/// The board is not square.
pub(crate) fn positions(size: Size, count: usize) -> Result<Vec<Position>, ModelError> {
    if size.side().is_none() {
        return Err(ModelError::NotSquare(size));
    }
    let rules =
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Precision};

    #[test]
    fn a_board_that_is_not_square_is_refused_before_anything_is_measured() {
        let size = Size::new(5, 7).unwrap();
        let architecture = Architecture { blocks: 1, channels: 8 };
        let settings =
            ServerSettings { threads: 2, ..ServerSettings::new(Device::Cpu, Precision::F32) };
        let network = bench_network(&architecture, size, 4, settings, Duration::ZERO);
        let network = network.map(|speed| speed.per_second);
        let forward = bench_forward(&architecture, size, 4, settings, Duration::ZERO);
        for measured in [network, forward] {
            assert!(matches!(measured, Err(ModelError::NotSquare(_))), "{measured:?}");
        }
    }
}

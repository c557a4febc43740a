//! Stretches of self-play on several threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use engine::Rules;
use search::{Evaluator, EvaluatorError};

use crate::{GameRecord, Phase, SelfPlaySettings, Worker};

/// Finished games waiting to be taken; more, and the workers wait.
const WAITING_GAMES: usize = 256;

/// A set of workers whose games go on from one phase to the next; by default none.
#[derive(Default)]
pub struct SelfPlay {
    workers: Vec<Worker>,
}

/// What a phase has done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PhaseReport {
    /// Positions that the evaluator was asked for.
    pub evaluations: u64,
    /// Batches that it was asked in.
    pub batches: u64,
    /// Games finished.
    pub games: u64,
    /// Wall-clock time.
    pub time: Duration,
}

/// What a worker tells the thread that started it.
enum News {
    Batch(u64),
    Game(Box<GameRecord>),
    Failed(EvaluatorError),
}

impl SelfPlay {
    /// `workers` workers for each of `tables`, which share the settings' number of games by their weights. Every
    /// worker has games of one table only, and the evaluator hears all workers equally often: positions are recorded
    /// in proportion to the weights.
    pub fn new(
        tables: &[(Rules, f32)],
        settings: &SelfPlaySettings,
        phase: Phase,
        workers: usize,
        seed: u64,
    ) -> SelfPlay {
        let total: f32 = tables.iter().map(|(_, weight)| weight).sum();
        let mut list = Vec::new();
        for &(rules, weight) in tables {
            let games = ((settings.games as f32 * weight / total).round() as usize).max(1);
            let workers = workers.clamp(1, games);
            for index in 0..workers {
                let share = games / workers + usize::from(index < games % workers);
                let seed = seed ^ (list.len() as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
                list.push(Worker::new(rules, settings.clone(), phase, share, seed));
            }
        }
        SelfPlay { workers: list }
    }

    /// Plays until `take` has seen enough: it gets every finished game, and a call without one after each batch, and
    /// answers whether to go on. Every worker gets an evaluator of its own from `open`.
    ///
    /// # Errors
    /// The first evaluator error of any worker.
    pub fn play<E: Evaluator + Send>(
        &mut self,
        phase: Phase,
        mut open: impl FnMut() -> E,
        mut take: impl FnMut(Option<GameRecord>, &PhaseReport) -> bool,
    ) -> Result<PhaseReport, EvaluatorError> {
        let began = Instant::now();
        let stop = AtomicBool::new(false);
        let mut report = PhaseReport::default();
        let mut failure = None;
        std::thread::scope(|scope| {
            let (sender, news) = bounded(WAITING_GAMES);
            for worker in &mut self.workers {
                worker.set_phase(phase);
                let (sender, evaluator, stop) = (sender.clone(), open(), &stop);
                scope.spawn(move || work(worker, evaluator, &sender, stop));
            }
            drop(sender);
            // Every game that was finished is taken, those too that arrive after the stop.
            for item in news {
                report.time = began.elapsed();
                let game = match item {
                    News::Batch(evaluations) => {
                        report.evaluations += evaluations;
                        report.batches += 1;
                        None
                    }
                    News::Game(game) => {
                        report.games += 1;
                        Some(*game)
                    }
                    News::Failed(error) => {
                        failure.get_or_insert(error);
                        stop.store(true, Ordering::Relaxed);
                        continue;
                    }
                };
                if !take(game, &report) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        report.time = began.elapsed();
        failure.map_or(Ok(report), Err)
    }
}

fn work(
    worker: &mut Worker,
    mut evaluator: impl Evaluator,
    news: &Sender<News>,
    stop: &AtomicBool,
) {
    while !stop.load(Ordering::Relaxed) {
        let sent = match worker.step(&mut evaluator) {
            Ok((evaluations, games)) => {
                let games = games.into_iter().map(|game| News::Game(Box::new(game)));
                games
                    .chain([News::Batch(evaluations as u64)])
                    .try_for_each(|item| news.send(item).map_err(drop))
            }
            Err(error) => {
                // If nobody listens any more, the phase is over and the error with it.
                let _ = news.send(News::Failed(error));
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

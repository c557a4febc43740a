//! Phases of self-play on several threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use engine::Size;
use search::{Evaluator, EvaluatorError};

use crate::game::FinishedGame;
use crate::{Mixture, ParkedGame, Phase, SelfPlaySettings, TrainingRecord, UnparkError, Worker};

/// Capacity of the channel of finished games; workers wait while it is full.
const WAITING_GAMES: usize = 256;

/// Workers for one or more board sizes. Their games continue from one phase on their size to the
/// next.
///
/// A phase is played on one size, so that batches are full and have one shape; rules mix freely
/// within a batch.
#[derive(Default)]
pub struct SelfPlay {
    boards: Vec<(Size, Vec<Worker>)>,
}

/// Statistics of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PhaseReport {
    /// Positions evaluated.
    pub evaluations: u64,
    /// Batches evaluated.
    pub batches: u64,
    /// Games finished.
    pub games: u64,
    /// Evaluations that these games took, including in earlier phases and in processes that parked
    /// them.
    pub game_evaluations: u64,
    /// Wall-clock time.
    pub time: Duration,
}

/// A worker's message to the thread that started it.
enum WorkerMessage {
    Batch(u64),
    Game(Box<FinishedGame>),
    Failed(EvaluatorError),
}

impl SelfPlay {
    /// `workers` workers for the size of each mixture; on each size they share the settings' number
    /// of games.
    pub fn new(
        mixtures: &[Mixture],
        settings: &SelfPlaySettings,
        phase: Phase,
        workers: usize,
        seed: u64,
    ) -> SelfPlay {
        let games = settings.games.max(1);
        let workers = workers.clamp(1, games);
        let mut number = 0_u64;
        let mut workers_of = |mixture: &Mixture| -> Vec<Worker> {
            let shared = Arc::new(mixture.clone());
            let worker = |index: usize| {
                let share = games / workers + usize::from(index < games % workers);
                number += 1;
                let seed = seed ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03);
                Worker::with_mixture(shared.clone(), settings.clone(), phase, share, seed)
            };
            (0..workers).map(worker).collect()
        };
        let boards = mixtures.iter().map(|mixture| (mixture.size(), workers_of(mixture))).collect();
        SelfPlay { boards }
    }

    /// All games in progress, after their last turns. They also continue here, unaffected.
    pub fn parked(&self) -> Vec<ParkedGame> {
        self.boards.iter().flat_map(|(_, workers)| workers).flat_map(Worker::parked).collect()
    }

    /// Continues parked games, each in place of a new one. Returns the seeds of those that cannot
    /// be continued here, with the reasons.
    pub fn unpark(&mut self, games: Vec<ParkedGame>, phase: Phase) -> Vec<(u64, UnparkError)> {
        let mut seeds: HashSet<u64> = self.parked().iter().map(ParkedGame::seed).collect();
        let mut unfit = Vec::new();
        for game in games {
            let seed = game.seed();
            let is_new = seeds.insert(seed);
            let result =
                if is_new { self.unpark_one(game, phase) } else { Err(UnparkError::Duplicate) };
            unfit.extend(result.err().map(|why| (seed, why)));
        }
        unfit
    }

    fn unpark_one(&mut self, game: ParkedGame, phase: Phase) -> Result<(), UnparkError> {
        let size = game.size();
        let workers = self.boards.iter_mut().filter(|(played, _)| *played == size);
        let idlest = workers.flat_map(|(_, workers)| workers).min_by_key(|it| it.waiting());
        let worker = idlest.ok_or_else(|| game.foreign())?;
        worker.set_phase(phase);
        worker.unpark(game)
    }

    /// Plays on the mixture's size until `take` returns false. `take` is called with every finished
    /// game, and without one after each batch. Every worker gets its own evaluator from `open`.
    ///
    /// # Errors
    /// The first evaluator error of any worker.
    pub fn play<E: Evaluator + Send>(
        &mut self,
        mixture: &Mixture,
        phase: Phase,
        mut open: impl FnMut() -> E,
        mut take: impl FnMut(Option<TrainingRecord>, &PhaseReport) -> bool,
    ) -> Result<PhaseReport, EvaluatorError> {
        let start = Instant::now();
        let stop = AtomicBool::new(false);
        let mut report = PhaseReport::default();
        let mut failure = None;
        std::thread::scope(|scope| {
            let (sender, messages) = bounded(WAITING_GAMES);
            let mixture = Arc::new(mixture.clone());
            let of_size = self.boards.iter_mut().filter(|(size, _)| *size == mixture.size());
            for worker in of_size.flat_map(|(_, workers)| workers) {
                worker.set_phase(phase);
                worker.set_mixture(mixture.clone());
                let (sender, evaluator, stop) = (sender.clone(), open(), &stop);
                scope.spawn(move || work(worker, evaluator, &sender, stop));
            }
            drop(sender);
            // All finished games are taken, including those that arrive after the stop.
            for item in messages {
                report.time = start.elapsed();
                let game = match item {
                    WorkerMessage::Batch(evaluations) => {
                        report.evaluations += evaluations;
                        report.batches += 1;
                        None
                    }
                    WorkerMessage::Game(game) => {
                        report.games += 1;
                        report.game_evaluations += game.evaluations;
                        Some(game.record)
                    }
                    WorkerMessage::Failed(error) => {
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
        report.time = start.elapsed();
        failure.map_or(Ok(report), Err)
    }
}

fn work(
    worker: &mut Worker,
    mut evaluator: impl Evaluator,
    messages: &Sender<WorkerMessage>,
    stop: &AtomicBool,
) {
    while !stop.load(Ordering::Relaxed) {
        let sent = match worker.advance(&mut evaluator) {
            Ok((evaluations, games)) => {
                let games = games.into_iter().map(|game| WorkerMessage::Game(Box::new(game)));
                games
                    .chain([WorkerMessage::Batch(evaluations as u64)])
                    .try_for_each(|item| messages.send(item).map_err(drop))
            }
            Err(error) => {
                // If the receiver is gone, the phase is over and the error no longer matters.
                let _ = messages.send(WorkerMessage::Failed(error));
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

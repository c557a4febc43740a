//! Workers and learners that play and learn numbers.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fleet::{
    Claim, CourierTiming, Examiner, Exit, FORMAT, Learner, LearnerError, LearnerSettings, Model,
    Orders, Outbox, Parked, PastGames, Player, Publication, Run, Saved, Slot, Store, Worker,
    WorkerSettings,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selfplay::{TrainingRecord, TurnRecord};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

pub const ENCODER: u32 = 3;

pub fn run() -> Run {
    let (id, rules) = ("simulated".to_owned(), "numbers".to_owned());
    let (begins_from, config) = (None, toml::Table::default());
    Run { id, format: FORMAT, encoder: ENCODER, rules, begins_from, config }
}

/// A claim that nobody else makes.
pub fn claim(nonce: impl ToString) -> Claim {
    let text = || "simulated".to_owned();
    Claim { nonce: nonce.to_string(), host: text(), version: text(), device: text() }
}

/// Runs a simulation to its end, in no time.
pub fn simulate<F: Future>(simulation: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(simulation)
}

/// A game of one position.
pub fn game(seed: u64, model: u64, is_sound: bool) -> TrainingRecord {
    let turn = TurnRecord {
        action: 0,
        root_value: 0.0,
        proven: None,
        surprise: 0.0,
        simulations: 1,
        target: vec![(0, 1)],
    };
    let size = engine::Size::try_from(5).unwrap();
    let begun = TrainingRecord::begun("numbers", size, seed, model, vec![turn]);
    TrainingRecord { capped: !is_sound, ..begun }
}

/// Accepts games that say that they are sound, and keeps their seeds.
pub struct Seeds;

impl Examiner for Seeds {
    type Game = u64;

    fn examine(&self, game: TrainingRecord) -> Result<u64, String> {
        if game.capped { Err("not sound".to_owned()) } else { Ok(game.seed) }
    }
}

/// The games of earlier commits that [`fleet::Archive::past_games`] gives.
pub async fn past_games(learner: &Learner, positions: u64, from: u64) -> Vec<PastGames<u64>> {
    let mut past = Vec::new();
    let take = |games| past.push(games);
    learner.archive().past_games(&Seeds, positions, from, take).await.unwrap();
    past
}

/// How workers play.
#[derive(Debug, Clone, Copy)]
pub struct Play {
    /// Games in progress.
    pub games: usize,
    /// Turns of a game.
    pub turns: u64,
    /// Seconds from one turn to the next, on average.
    pub interval: f64,
    /// Seconds between two parkings; infinite if there are none.
    pub park: f64,
    /// The share of processes that are asked to end; others are killed.
    pub asked: f64,
    /// The share of games that no learner takes.
    pub unsound: f64,
    /// How often the couriers do what.
    pub timing: CourierTiming,
}

/// What has really happened.
#[derive(Debug, Default)]
pub struct GroundTruth {
    /// The games of each generation, in the order in which they were finished.
    pub finished: Mutex<BTreeMap<(String, u64), Vec<u64>>>,
    /// How many of them the worker believes to have arrived.
    pub acknowledged: Mutex<BTreeMap<(String, u64), u64>>,
    /// All games that a process has found parked.
    pub adopted: Mutex<HashSet<u64>>,
    /// Turns that were played.
    pub turns: AtomicU64,
}

/// Notes what a worker believes when it ends, in whatever way.
struct Ending<'a> {
    truth: &'a GroundTruth,
    key: (String, u64),
    outbox: Outbox,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let games = self.outbox.delivered().games;
        self.truth.acknowledged.lock().unwrap().insert(self.key.clone(), games);
    }
}

#[derive(Clone)]
struct Weights(Arc<AtomicU64>);

impl Player for Weights {
    fn swap(&mut self, model: Model, _: u32) -> Result<(), String> {
        assert_eq!(model.weights, weights(model.step));
        self.0.store(model.step, Ordering::Relaxed);
        Ok(())
    }
}

pub fn weights(step: u64) -> Bytes {
    Bytes::from(format!("weights of step {step}"))
}

/// One process of a worker, from its start to its end; after `life` it is asked to end. Dropping
/// the future kills the process.
pub async fn work(
    store: Store,
    slot: Slot,
    play: Play,
    truth: Arc<GroundTruth>,
    seed: u64,
    life: Option<Duration>,
) -> Exit {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let claim = claim(random.next_u64());
    let mut settings = WorkerSettings::new(slot.clone(), ENCODER, claim);
    (settings.timing, settings.seed) = (play.timing, seed);
    let mut worker = match Worker::join(store, settings).await {
        Ok(worker) => worker,
        Err(error) => return error.exit(),
    };
    let parked = worker.take_parked().unwrap();
    let adopted = parked.iter().flat_map(|parked| &parked.seeds);
    truth.adopted.lock().unwrap().extend(adopted);
    let outbox = worker.outbox();
    if let Some(life) = life {
        let outbox = outbox.clone();
        tokio::spawn(async move {
            sleep(life).await;
            outbox.interrupt();
        });
    }
    let key = (slot.to_string(), worker.generation());
    let step = Weights(Arc::default());
    let _ending = Ending { truth: &truth, key: key.clone(), outbox: outbox.clone() };
    let table = Table { play, outbox, step: Arc::clone(&step.0), random };
    let playing = table.play(parked, &truth, &key);
    let (exit, ()) = tokio::join!(biased; worker.carry(step), playing);
    exit
}

/// Where a worker's games are.
struct Table {
    play: Play,
    outbox: Outbox,
    step: Arc<AtomicU64>,
    random: ChaCha8Rng,
}

impl Table {
    async fn play(mut self, parked: Option<Parked>, truth: &GroundTruth, key: &(String, u64)) {
        let mut games = parked.as_ref().map_or_else(Vec::new, unpark);
        let mut parked_at = Instant::now();
        while self.outbox.wait_for_orders().await == Orders::Play {
            let (step, turns) = (self.step.load(Ordering::Relaxed), 0);
            while games.len() < self.play.games {
                games.push(OpenGame { seed: self.random.next_u64(), model: step, turns });
            }
            let seconds = self.play.interval * self.random.random_range(0.5..1.5);
            let time = Duration::from_secs_f64(seconds);
            sleep(time).await;
            // One after another, now and then out of turn.
            let place = if self.random.random_bool(0.8) { 0 } else { games.len() - 1 };
            let mut next = games.remove(place);
            next.turns += 1;
            self.outbox.count_evaluations(1, time);
            truth.turns.fetch_add(1, Ordering::Relaxed);
            if next.turns >= self.play.turns {
                let OpenGame { seed, model, turns } = next;
                let is_sound = !(seed as f64 / u64::MAX as f64).lt(&self.play.unsound);
                truth.finished.lock().unwrap().entry(key.clone()).or_default().push(seed);
                self.outbox.add(game(seed, model, is_sound), turns).await;
            } else {
                games.push(next);
            }
            if parked_at.elapsed().as_secs_f64() >= self.play.park {
                self.outbox.park(park(&games));
                parked_at = Instant::now();
            }
        }
        if self.play.park.is_finite() && !games.is_empty() {
            self.outbox.park(park(&games));
        }
        self.outbox.finish();
    }
}

/// A game in progress.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct OpenGame {
    pub seed: u64,
    pub model: u64,
    pub turns: u64,
}

fn park(games: &[OpenGame]) -> Parked {
    let seeds = games.iter().map(|game| game.seed).collect();
    Parked { seeds, games: serde_json::to_vec(games).unwrap().into() }
}

pub fn unpark(parked: &Parked) -> Vec<OpenGame> {
    serde_json::from_slice(&parked.games).unwrap()
}

/// How a learner learns.
#[derive(Debug, Clone)]
pub struct Learning {
    /// Seconds from one cycle to the next.
    pub cycle: f64,
    /// Cycles from one publication to the next.
    pub publish: u64,
    /// Steps after which games are too old.
    pub window: u64,
    /// Files that one commit takes, at most.
    pub take_files: usize,
    /// Waiting files from which on workers are told to wait.
    pub hold_at: usize,
}

/// One process of a learner, until it cannot go on. Dropping it kills the process.
pub async fn learn(store: Store, learning: Learning, seed: u64) -> LearnerError {
    match try_to_learn(store, learning, seed).await {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

async fn try_to_learn(
    store: Store,
    learning: Learning,
    seed: u64,
) -> Result<std::convert::Infallible, LearnerError> {
    let take_files = learning.take_files;
    let settings = LearnerSettings { take_files, seed, ..LearnerSettings::default() };
    let mut learner = Learner::open(store, run(), settings).await?;
    if learner.newest().model.is_none() {
        publish(&mut learner, 0).await?;
    }
    for cycle in 1.. {
        let oldest = learner.newest().step().saturating_sub(learning.window);
        let taken = match learner.take_in(&Seeds, oldest).await {
            Err(LearnerError::Store(error)) if error.is_transient() => continue,
            taken => taken?,
        };
        if taken.left > learning.hold_at {
            learner.hold(true).await?;
        } else if taken.left < learning.hold_at / 2 {
            learner.hold(false).await?;
        }
        if cycle % learning.publish == 0 {
            let step = learner.newest().step() + 1;
            publish(&mut learner, step).await?;
        }
        if cycle % (10 * learning.publish) == 0 {
            let step = learner.newest().step();
            let object = Saved { name: "learner.safetensors".to_owned(), bytes: weights(step) };
            learner.save(step, vec![object]).await?;
        }
        sleep(Duration::from_secs_f64(learning.cycle)).await;
    }
    unreachable!("there is always another cycle")
}

pub async fn publish(learner: &mut Learner, step: u64) -> Result<(), LearnerError> {
    let (card, weights) = (format!("step = {step}"), weights(step));
    let (kinds, samples) = (String::new(), step * 100);
    let (phase, simulations, samples_per_second) = (step, 8, Some(100.0));
    let new =
        Publication { step, weights, card, kinds, simulations, phase, samples, samples_per_second };
    learner.publish(new).await
}

/// Starts learners again and again, as a scheduler does, until `end`. Now and then one is killed,
/// and now and then a second one is started alongside the first.
pub async fn keep_learning(
    store: Store,
    learning: Learning,
    life: std::ops::Range<f64>,
    seed: u64,
    end: Instant,
) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    while Instant::now() < end {
        let learner = learn(store.clone(), learning.clone(), random.next_u64());
        let life = Duration::from_secs_f64(random.random_range(life.clone()));
        if random.random_bool(0.3) {
            let rival = tokio::spawn(learn(store.clone(), learning.clone(), random.next_u64()));
            let _ = timeout(life, learner).await;
            rival.abort();
        } else {
            let _ = timeout(life, learner).await;
        }
        sleep(Duration::from_secs_f64(random.random_range(1.0..30.0))).await;
    }
}

/// Starts a worker again and again, as a scheduler does, until `end`. A process is killed or asked
/// to end; now and then it stays alive for a while nevertheless.
pub async fn keep_working(
    store: Store,
    slot: Slot,
    play: Play,
    truth: Arc<GroundTruth>,
    life: std::ops::Range<f64>,
    (seed, end): (u64, Instant),
) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut zombies = Vec::new();
    while Instant::now() < end {
        let life = Duration::from_secs_f64(random.random_range(life.clone()));
        let asked = random.random_bool(play.asked).then_some(life);
        let (truth, seed) = (Arc::clone(&truth), random.next_u64());
        let process = work(store.clone(), slot.clone(), play, truth, seed, asked);
        let mut process = tokio::spawn(process);
        // Who is asked gets a minute.
        let most = life + asked.map_or(Duration::ZERO, |_| Duration::from_secs(60));
        if timeout(most, &mut process).await.is_err() {
            if random.random_bool(0.3) {
                zombies.push(process);
            } else {
                process.abort();
            }
        }
        sleep(Duration::from_secs_f64(random.random_range(1.0..20.0))).await;
    }
    zombies.iter().for_each(|zombie| zombie.abort());
}

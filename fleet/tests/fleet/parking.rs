//! Games in progress outlive the processes that play them: none is lost, and none counts twice.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use fleet::{
    CommitLog, CourierTiming, Exit, Learner, LearnerSettings, Model, Orders, Outbox, Parked,
    Player, Slot, Store, Worker, WorkerSettings,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{
    ENCODER, GroundTruth, Learning, Play, Seeds, claim, game, keep_learning, keep_working,
    past_games, publish, run, simulate, unpark,
};

struct Anything;

impl Player for Anything {
    fn swap(&mut self, _: Model, _: u32) -> Result<(), String> {
        Ok(())
    }
}

fn slot() -> Slot {
    "a".parse().unwrap()
}

/// A process whose games a test plays.
struct Process {
    outbox: Outbox,
    parked: Option<Parked>,
    courier: JoinHandle<Exit>,
}

impl Process {
    async fn start(store: &Store) -> Process {
        let claim = claim(format!("{:?}", Instant::now()));
        let mut settings = WorkerSettings::new(slot(), ENCODER, claim);
        settings.timing =
            CourierTiming { file: Duration::from_secs(20), ..CourierTiming::default() };
        let mut worker = Worker::join(store.clone(), settings).await.unwrap();
        let (outbox, parked) = (worker.outbox(), worker.take_parked().unwrap());
        let courier = tokio::spawn(worker.carry(Anything));
        assert_eq!(outbox.wait_for_orders().await, Orders::Play);
        Process { outbox, parked, courier }
    }

    fn adopted(&self) -> Vec<u64> {
        self.parked.as_ref().map_or_else(Vec::new, |parked| parked.seeds.clone())
    }

    fn park(&self, seeds: &[u64]) {
        let games = Bytes::from_static(b"as far as they are");
        self.outbox.park(Parked { seeds: seeds.to_vec(), games });
    }

    fn kill(self) {
        self.courier.abort();
    }
}

async fn parked(store: &Store) -> Vec<u64> {
    let found = Parked::get(store, &run().id, &slot()).await.unwrap().unwrap();
    found.map_or_else(Vec::new, |parked| parked.seeds)
}

async fn a_run() -> (Store, Learner) {
    let store = Store::open("memory://").unwrap();
    let mut learner =
        Learner::open(store.clone(), run(), LearnerSettings::default()).await.unwrap();
    publish(&mut learner, 1).await.unwrap();
    (store, learner)
}

const A_SECOND: Duration = Duration::from_secs(1);
/// Enough for a file.
const A_WHILE: Duration = Duration::from_secs(25);

#[test]
fn a_game_that_arrived_before_the_kill_and_is_parked_still_counts_once() {
    simulate(async {
        let (store, mut learner) = a_run().await;
        let first = Process::start(&store).await;
        first.park(&[7]);
        sleep(A_SECOND).await;
        assert!(first.outbox.add(game(7, 1, true), 10).await);
        sleep(A_WHILE).await;
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [7]);
        first.kill();

        let second = Process::start(&store).await;
        assert_eq!(second.adopted(), [7]);
        assert!(second.outbox.add(game(7, 1, true), 12).await);
        sleep(A_WHILE).await;
        assert!(learner.take_in(&Seeds, 0).await.unwrap().games.is_empty());
        assert_eq!((learner.newest().games, learner.newest().refused.late), (1, 1));
        // Another learner knows it, too.
        let settings = LearnerSettings { seed: 9, ..LearnerSettings::default() };
        let mut learner = Learner::open(store.clone(), run(), settings).await.unwrap();
        second.kill();
        let third = Process::start(&store).await;
        assert_eq!(third.adopted(), [7]);
        assert!(third.outbox.add(game(7, 1, true), 12).await);
        sleep(A_WHILE).await;
        assert!(learner.take_in(&Seeds, 0).await.unwrap().games.is_empty());
        assert_eq!((learner.newest().games, learner.newest().refused.late), (1, 2));
    });
}

#[test]
fn a_game_too_long_for_a_file_is_left_out_and_counted() {
    simulate(async {
        let (store, mut learner) = a_run().await;
        let process = Process::start(&store).await;
        let mut long = game(7, 1, true);
        let turn = long.turns[0].clone();
        long.turns = vec![turn; 200_000];
        assert!(process.outbox.add(long, 10).await);
        assert!(process.outbox.add(game(8, 1, true), 10).await);
        sleep(A_WHILE).await;
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [8]);
        let delivered = process.outbox.delivered();
        assert_eq!((delivered.games, delivered.too_large), (1, 1));
    });
}

#[test]
fn a_game_stays_parked_until_it_has_arrived() {
    simulate(async {
        let (store, mut learner) = a_run().await;
        let first = Process::start(&store).await;
        first.park(&[7, 8]);
        sleep(A_SECOND).await;
        assert!(first.outbox.add(game(7, 1, true), 10).await);
        first.park(&[8]);
        sleep(A_SECOND).await;
        assert_eq!(parked(&store).await, [7, 8], "its file has not been sent");
        first.kill();

        let second = Process::start(&store).await;
        assert_eq!(second.adopted(), [7, 8]);
        assert!(second.outbox.add(game(7, 1, true), 10).await);
        second.park(&[8, 9]);
        sleep(A_WHILE).await;
        assert_eq!(parked(&store).await, [8, 9]);
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [7]);
    });
}

#[test]
fn a_game_that_outlives_five_processes_counts_once_although_others_finish_it_too() {
    simulate(async {
        let (store, mut learner) = a_run().await;
        let mut zombies = Vec::new();
        for life in 0..5 {
            let process = Process::start(&store).await;
            assert_eq!(process.adopted(), if life == 0 { vec![] } else { vec![7] });
            process.park(&[7]);
            sleep(A_SECOND).await;
            match life % 2 {
                // It stands still, and goes on when all is over.
                0 => zombies.push(process),
                _ => process.kill(),
            }
        }
        let last = Process::start(&store).await;
        assert_eq!(last.adopted(), [7]);
        for process in zombies.iter().chain([&last]) {
            assert!(process.outbox.add(game(7, 1, true), 10).await);
            process.outbox.finish();
        }
        sleep(A_WHILE).await;
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [7]);
        let newest = learner.newest();
        assert_eq!((newest.games, newest.positions, newest.refused.late), (1, 1, 3));
        assert_eq!(parked(&store).await, [7], "who was replaced has parked nothing more");
    });
}

#[test]
fn a_worker_that_is_asked_to_end_waits_for_those_who_play_but_not_for_long() {
    simulate(async {
        let (store, mut learner) = a_run().await;
        let slow = Process::start(&store).await;
        slow.outbox.interrupt();
        assert_eq!(slow.outbox.orders(), Orders::Stop);
        sleep(Duration::from_secs(10)).await;
        assert!(!slow.outbox.add(game(1, 1, true), 10).await);
        slow.park(&[2, 3]);
        slow.outbox.finish();
        assert_eq!(slow.courier.await.unwrap(), Exit::Interrupted);
        assert_eq!(parked(&store).await, [2, 3]);
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [1]);

        let stuck = Process::start(&store).await;
        assert!(stuck.outbox.add(game(2, 1, true), 10).await);
        stuck.outbox.interrupt();
        let asked = Instant::now();
        assert_eq!(stuck.courier.await.unwrap(), Exit::Interrupted);
        assert!(asked.elapsed() <= CourierTiming::default().grace + 2 * A_SECOND);
        assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().games, [2]);
        assert_eq!(parked(&store).await, [2, 3]);
    });
}

/// What became of the work of workers whose lives are short.
struct Work {
    /// The share of the turns that are in games that count, or in parked ones.
    kept: f64,
    games: u64,
    /// Games that had been parked and are gone.
    lost: usize,
}

/// Ten workers play long games for some hours, in lives of `minutes`, give or take half.
async fn short_lives(play: Play, minutes: f64, hours: u64) -> Work {
    const WORKERS: u64 = 10;
    let faults = FaultStore::new(1, Faults::default());
    let store = Store::from_objects(Arc::new(Handle(Arc::clone(&faults))));
    let learning =
        Learning { cycle: 30.0, publish: 60, window: 1000, take_files: 2000, hold_at: 1000 };
    let truth = Arc::new(GroundTruth::default());
    let end = Instant::now() + Duration::from_secs(3600 * hours);
    let slots: Vec<Slot> = (0..WORKERS).map(|slot| slot.to_string().parse().unwrap()).collect();
    let life = 30.0 * minutes..90.0 * minutes;
    for (number, slot) in (0..).zip(&slots) {
        let (truth, life) = (Arc::clone(&truth), life.clone());
        tokio::spawn(keep_working(store.clone(), slot.clone(), play, truth, life, (number, end)));
    }
    keep_learning(store.clone(), learning, 7200.0..7201.0, 99, end).await;
    // The last processes end, and the learner takes what is there.
    sleep(Duration::from_secs_f64(90.0 * minutes)).await;
    let settings = LearnerSettings { seed: 100, ..LearnerSettings::default() };
    let mut learner = Learner::open(store.clone(), run(), settings).await.unwrap();
    while learner.take_in(&Seeds, 0).await.unwrap().files > 0 {}
    let games = learner.newest().games;
    let past = past_games(&learner, u64::MAX, 0).await;
    let mut found: HashSet<u64> = past.into_iter().flat_map(|past| past.games).collect();
    assert_eq!(found.len() as u64, games, "a game has counted twice");
    let mut turns = 0;
    for slot in &slots {
        let parked = Parked::get(&store, &run().id, slot).await.unwrap().unwrap();
        for game in parked.as_ref().map_or_else(Vec::new, unpark) {
            // What counts and is still parked would be played in vain.
            turns += if found.insert(game.seed) { game.turns } else { 0 };
        }
    }
    let lost = truth.adopted.lock().unwrap().difference(&found).count();
    let newest = CommitLog::new(store).newest().await.unwrap().unwrap();
    assert_eq!(newest.refused.invalid + newest.refused.stale, 0);
    let kept = (games * play.turns + turns) as f64 / truth.turns.load(Ordering::Relaxed) as f64;
    Work { kept, games, lost }
}

/// 64 games at once that take three and a half hours, as on 19×19 at 800 simulations on two cores.
const LONG_GAMES: Play = Play {
    games: 64,
    turns: 25,
    interval: 8.0,
    park: 300.0,
    asked: 1.0,
    unsound: 0.0,
    timing: TIMING,
};

const TIMING: CourierTiming = CourierTiming {
    poll: Duration::from_secs(15),
    file: Duration::from_secs(60),
    beat: Duration::from_secs(120),
    successor: Duration::from_secs(60),
    patience: Duration::from_secs(1800),
    idle: Duration::from_secs(600),
    grace: Duration::from_secs(45),
};

fn kept(play: Play, minutes: f64, hours: u64) -> f64 {
    let Work { kept, games, lost } = simulate(short_lives(play, minutes, hours));
    let Play { park, asked, .. } = play;
    println!(
        "lives of {minutes} minutes, parked every {park} s, {asked} asked to end: {games} games, {kept:.3} kept"
    );
    assert_eq!(lost, 0, "games that had been parked are gone");
    kept
}

#[test]
fn lives_shorter_than_a_game_lose_next_to_nothing() {
    let never = Play { park: f64::INFINITY, ..LONG_GAMES };
    let killed = Play { asked: 0.0, ..LONG_GAMES };
    assert!(kept(never, 30.0, 12) < 0.1);
    assert!(kept(killed, 30.0, 12) > 0.85);
    assert!(kept(LONG_GAMES, 30.0, 12) > 0.98);
}

#[test]
#[ignore = "a table, in release mode"]
fn work_kept_by_the_length_of_lives() {
    for minutes in [10.0, 30.0, 120.0, 480.0] {
        for (park, asked) in [(f64::INFINITY, 0.0), (300.0, 0.0), (300.0, 1.0)] {
            kept(Play { park, asked, ..LONG_GAMES }, minutes, 48);
        }
    }
}

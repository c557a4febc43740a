//! One hour of many workers: how much of their work is kept, and what it costs in requests.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::{CommitLog, CourierTiming, Slot, Store, names};
use tokio::time::{Instant, sleep};

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{GroundTruth, Learning, Play, keep_learning, keep_working, simulate};

/// What an hour was like.
#[derive(Debug)]
struct Hour {
    /// The fraction of the finished games that counted within the hour; a game finished by two
    /// processes is counted twice among the finished ones.
    kept: f64,
    games: f64,
    /// Requests a second.
    puts: f64,
    gets: f64,
    lists: f64,
    largest_commit: usize,
    /// Files that waited, at most.
    inbox: usize,
}

const SECONDS: u64 = 3600;
const GAMES: usize = 4;
const INTERVAL: f64 = 20.0;

async fn hour(workers: u64, take_files: usize, seed: u64) -> Hour {
    let faults = FaultStore::new(seed, Faults::all(0.01));
    let store = Store::from_objects(Arc::new(Handle(Arc::clone(&faults))));
    let play = Play {
        games: GAMES,
        turns: 1,
        interval: INTERVAL,
        park: 300.0,
        asked: 0.0,
        unsound: 0.0,
        timing: CourierTiming::default(),
    };
    let hold_at = 2 * workers as usize;
    let learning = Learning { cycle: 10.0, publish: 6, window: 1000, take_files, hold_at };
    let truth = Arc::new(GroundTruth::default());
    let end = Instant::now() + Duration::from_secs(SECONDS);
    let learner = keep_learning(store.clone(), learning, 600.0..7200.0, seed, end);
    let learner = tokio::spawn(learner);
    for slot in 0..workers {
        let name: Slot = slot.to_string().parse().unwrap();
        let (when, life) = ((seed * 10_000 + slot, end), 3600.0..10_800.0);
        let truth = Arc::clone(&truth);
        tokio::spawn(keep_working(store.clone(), name, play, truth, life, when));
    }
    let mut inbox = 0;
    while Instant::now() < end {
        sleep(Duration::from_secs(30)).await;
        let quiet = Store::from_objects(faults.quiet());
        inbox = inbox.max(quiet.list(&names::inbox()).await.unwrap().len());
    }
    learner.abort();
    let quiet = Store::from_objects(faults.quiet());
    let commit_log = CommitLog::new(quiet.clone());
    let newest = commit_log.newest().await.unwrap().unwrap();
    let mut largest_commit = 0;
    for listed in quiet.list(&names::commits()).await.unwrap() {
        largest_commit = largest_commit.max(listed.size as usize);
    }
    let finished: usize = truth.finished.lock().unwrap().values().map(Vec::len).sum();
    let a_second = |count: &std::sync::atomic::AtomicU64| {
        count.load(Ordering::Relaxed) as f64 / SECONDS as f64
    };
    Hour {
        kept: newest.games as f64 / finished as f64,
        games: newest.games as f64,
        puts: a_second(&faults.requests.puts),
        gets: a_second(&faults.requests.gets),
        lists: a_second(&faults.requests.lists),
        largest_commit,
        inbox,
    }
}

fn scales(workers: u64) {
    let hour = simulate(hour(workers, 2000, workers));
    println!("{workers} workers: {hour:.3?}");
    assert!(hour.kept >= 0.95, "{hour:?}");
    assert!(hour.largest_commit <= 256 << 10, "{hour:?}");
    // One file per minute, health and parked games; polls for orders four times per minute, and
    // each file once more.
    let workers = workers as f64;
    assert!(hour.puts <= 0.3 + 0.035 * workers, "{hour:?}");
    assert!(hour.gets <= 0.5 + 0.15 * workers, "{hour:?}");
    assert!(hour.lists <= 0.2 + 0.001 * workers, "{hour:?}");
}

/// A learner that can take only half of what arrives makes workers wait, and gets nearly all that
/// it can take.
fn stands_overload(workers: u64) {
    // One file a minute from each worker, six cycles a minute.
    let take_files = (workers / 12).max(1) as usize;
    let hour = simulate(hour(workers, take_files, workers));
    println!("{workers} workers, twice too many: {hour:.3?}");
    assert!(hour.inbox <= 4 * workers as usize, "{hour:?}");
    // Three games a file.
    let taken = hour.games / 3.0 / (take_files as f64 * SECONDS as f64 / 10.0);
    assert!(taken >= 0.85, "{taken} of what it can take: {hour:?}");
}

#[test]
fn ten_workers_keep_their_work() {
    scales(10);
    stands_overload(24);
}

#[test]
#[ignore = "minutes in release mode"]
fn a_thousand_workers_keep_their_work() {
    scales(100);
    scales(1000);
    stands_overload(240);
}

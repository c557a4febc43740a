//! Nothing is lost and nothing counts twice, whatever fails.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use fleet::{
    Commit, CommitLog, CourierTiming, Learner, LearnerSettings, Refused, Slot, Store,
    collect_garbage, game_file, names,
};
use tokio::time::{Instant, sleep};

use crate::fault_store::{FaultStore, Faults, Handle, MAX_DELAY};
use crate::simulation::{
    GroundTruth, Learning, Play, Seeds, keep_learning, keep_working, past_games, run, simulate,
};

const SLOTS: u64 = 8;

/// A run of `minutes` with everything going wrong, then a quiet time to finish what is under way.
async fn troubled_run(seed: u64, minutes: u64) -> (Commit, u64) {
    let faults = FaultStore::new(seed, Faults::all(0.2));
    let store = Store::from_objects(Arc::new(Handle(Arc::clone(&faults))));
    let seconds = Duration::from_secs;
    let timing = CourierTiming {
        poll: seconds(30),
        file: seconds(20),
        beat: seconds(300),
        successor: seconds(60),
        patience: seconds(600),
        idle: seconds(600),
        grace: seconds(30),
    };
    let (turns, asked) = (2, 0.3);
    let play = Play { games: 4, turns, interval: 5.0, park: 100.0, asked, unsound: 0.01, timing };
    let learning = Learning { cycle: 10.0, publish: 4, window: 1, take_files: 30, hold_at: 100 };
    let truth = Arc::new(GroundTruth::default());
    let end = Instant::now() + seconds(60 * minutes);
    let mut tasks = Vec::new();
    for slot in 0..SLOTS {
        let name: Slot = slot.to_string().parse().unwrap();
        let when = (seed * 100 + slot, end);
        let worker =
            keep_working(store.clone(), name, play, Arc::clone(&truth), 200.0..1500.0, when);
        tasks.push(tokio::spawn(worker));
    }
    keep_learning(store.clone(), learning, 100.0..1000.0, seed * 100 + 50, end).await;
    for task in tasks {
        task.await.unwrap();
    }
    // What is under way arrives, and what has arrived is taken.
    faults.heal();
    sleep(2 * MAX_DELAY).await;
    let settings = LearnerSettings { seed: seed * 100 + 51, ..LearnerSettings::default() };
    let mut learner = Learner::open(store.clone(), run(), settings).await.unwrap();
    let oldest = learner.newest().oldest;
    while learner.take_in(&Seeds, oldest).await.unwrap().files > 0 {}
    learner.take_in(&Seeds, oldest).await.unwrap();
    assert!(store.list(&names::inbox()).await.unwrap().is_empty());
    let files = check(&faults, &store, &truth, &learner).await;
    (learner.newest().clone(), files)
}

/// Compares the commit log with what has really happened. Returns the number of files.
async fn check(faults: &FaultStore, store: &Store, truth: &GroundTruth, learner: &Learner) -> u64 {
    let newest = learner.newest();
    let arrived = faults.arrived.lock().unwrap().clone();
    let headers: Vec<_> = arrived.values().map(|it| game_file::header(it).unwrap()).collect();
    let games: u64 = headers.iter().map(|header| u64::from(header.games)).sum();
    let Refused { stale, invalid, late, strange_files, .. } = newest.refused;
    assert_eq!(strange_files, 0);
    assert_eq!(games, newest.games + stale + invalid + late, "{:?}", newest.refused);

    // The files of each generation have arrived from the first on, and workers know that all except
    // the last have.
    for ((slot, generation), &acknowledged) in truth.acknowledged.lock().unwrap().iter() {
        let of_it = headers.iter().filter(|header| {
            header.name.slot.to_string() == *slot && header.name.generation == *generation
        });
        let mut of_it: Vec<_> = of_it.collect();
        of_it.sort_by_key(|header| header.name.sequence);
        let sizes: Vec<u64> = of_it.iter().map(|header| u64::from(header.games)).collect();
        let arrived: u64 = sizes.iter().sum();
        let last = sizes.last().copied().unwrap_or(0);
        assert!(
            acknowledged == arrived || acknowledged == arrived - last,
            "{slot}/{generation}: {acknowledged} of {arrived}"
        );
    }

    // Segments hold what the commits say, and no game twice.
    let past = past_games(learner, u64::MAX, 0).await;
    let commits = CommitLog::new(store.clone()).read_all(0..=newest.number).await.unwrap();
    let mut seen = HashSet::new();
    for games in &past {
        let record = commits[games.commit as usize].segment.as_ref().unwrap();
        assert_eq!(record.games, games.games.len() as u64);
        games.games.iter().for_each(|&seed| assert!(seen.insert(seed), "{seed} counted twice"));
    }
    assert_eq!(seen.len() as u64, newest.games);
    assert_eq!(newest.positions, newest.games, "each game has one position");
    for pair in commits.windows(2) {
        assert_eq!(pair[1].previous.as_ref(), Some(&pair[0].nonce));
        assert!(pair[1].positions >= pair[0].positions && pair[1].oldest >= pair[0].oldest);
    }

    // Nothing but what the commit log refers to is left after cleaning.
    collect_garbage(store).await.unwrap();
    let segments = store.list(&names::segments()).await.unwrap().len();
    assert_eq!(segments, past.len());
    assert_eq!(collect_garbage(store).await.unwrap(), Default::default());
    headers.len() as u64
}

/// Many runs, on two threads. Returns the total number of files.
fn troubled_runs(seeds: u64, minutes: u64) -> u64 {
    let halves = [0, 1].map(|half| {
        std::thread::spawn(move || {
            let mut all = (0, 0, Refused::default());
            for seed in (0..seeds).filter(|seed| seed % 2 == half) {
                let (newest, files) = simulate(troubled_run(seed, minutes));
                all.0 += files;
                all.1 += newest.games;
                all.2.stale += newest.refused.stale;
                all.2.invalid += newest.refused.invalid;
                all.2.late += newest.refused.late;
            }
            all
        })
    });
    let [(files, games, one), (more_files, more_games, two)] =
        halves.map(|half| half.join().unwrap());
    println!(
        "{} files, {} games counted, {one:?}, {two:?}",
        files + more_files,
        games + more_games
    );
    // A simulation in which nothing goes wrong would prove nothing.
    assert!(one.stale > 0 && one.invalid > 0 && one.late > 0, "{one:?}");
    files + more_files
}

#[test]
fn nothing_is_lost_and_nothing_counts_twice() {
    troubled_runs(4, 40);
}

#[test]
#[ignore = "minutes in release mode"]
fn nothing_is_lost_and_nothing_counts_twice_in_many_runs() {
    let (seeds, files) = (200, 2000);
    assert!(troubled_runs(seeds, 1000) >= seeds * SLOTS * files);
}

#[test]
fn the_same_seed_gives_the_same_books() {
    let [one, two] = [0, 1].map(|_| simulate(troubled_run(7, 30)).0);
    assert_eq!(one, two);
    let other = simulate(troubled_run(8, 30)).0;
    assert_ne!(one.nonce, other.nonce);
}

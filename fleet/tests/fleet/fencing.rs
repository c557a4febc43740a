//! Of two learners the newer one stays, wherever the older one stood still.

use std::sync::Arc;
use std::time::Duration;

use fleet::{
    CommitLog, CourierTiming, Learner, LearnerError, LearnerSettings, Slot, Store, WRITERS, check,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::time::{Instant, sleep, timeout};

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{GroundTruth, Learning, Play, keep_working, learn, run, simulate};

/// A learner stands still at a random point, as a stopped process does, another one starts, and the
/// first continues.
async fn stand_still(seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let faults = FaultStore::new(seed, Faults::default());
    let store = Store::from_objects(Arc::new(Handle(faults)));
    let timing = CourierTiming { file: Duration::from_secs(10), ..CourierTiming::default() };
    let (turns, asked) = (1, 0.0);
    let play = Play { games: 4, turns, interval: 4.0, park: 100.0, asked, unsound: 0.0, timing };
    let learning = Learning { cycle: 1.0, publish: 3, window: 9, take_files: 8, hold_at: 100 };
    let end = Instant::now() + Duration::from_secs(600);
    for slot in 0..4 {
        let (name, when): (Slot, _) = (slot.to_string().parse().unwrap(), (seed * 10 + slot, end));
        let truth = Arc::new(GroundTruth::default());
        tokio::spawn(keep_working(store.clone(), name, play, truth, 300.0..400.0, when));
    }
    let mut first = Box::pin(learn(store.clone(), learning.clone(), 2 * seed));
    let moment = Duration::from_secs_f64(random.random_range(60.0..90.0));
    assert!(timeout(moment, &mut first).await.is_err(), "alone, a learner goes on");
    // Nobody polls it: it stands still, in the middle of a request or between two.
    let second = tokio::spawn(learn(store.clone(), learning.clone(), 2 * seed + 1));
    sleep(Duration::from_secs_f64(random.random_range(2.0..40.0))).await;

    let cycle = Duration::from_secs_f64(learning.cycle + 3.0);
    let error = timeout(2 * cycle, first).await.expect("it stops within two cycles");
    assert!(matches!(error, LearnerError::Fenced(_)), "{error}");
    assert_eq!(error.exit().code(), 75);
    sleep(Duration::from_secs(30)).await;
    assert!(!second.is_finished(), "the newer one goes on");
    second.abort();

    let commit_log = CommitLog::new(store);
    let newest = commit_log.newest().await.unwrap().unwrap();
    let commits = commit_log.read_all(0..=newest.number).await.unwrap();
    for (number, commit) in (0..).zip(&commits) {
        assert_eq!(commit.number, number);
    }
    for pair in commits.windows(2) {
        assert_eq!(pair[1].previous.as_ref(), Some(&pair[0].nonce));
    }
    assert!(newest.games > 0);
}

#[test]
fn a_learner_that_stood_still_stops() {
    for seed in 0..20 {
        simulate(stand_still(seed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_keeps_nobody_out_is_for_a_sole_learner() {
    let faults = FaultStore::new(1, Faults::default());
    faults.ignore_conditions();
    let store = Store::from_objects(Arc::new(Handle(faults)));
    let report = check(&store, 10, 1).await.unwrap();
    assert!(!report.keeps_first && !report.is_atomic() && report.is_consistent());
    assert_eq!((report.torn_races, report.most_winners), (10, WRITERS));

    let usual = LearnerSettings::default();
    let error = Learner::open(store.clone(), run(), usual.clone()).await.unwrap_err();
    assert!(matches!(error, LearnerError::NotAtomic) && error.exit().code() == 64);
    assert!(error.to_string().contains("--sole-learner"), "{error}");
    let sole = LearnerSettings { is_sole: true, ..usual };
    for number in 0..3 {
        let learner = Learner::open(store.clone(), run(), sole.clone()).await.unwrap();
        assert_eq!(learner.newest().number, number);
    }
}

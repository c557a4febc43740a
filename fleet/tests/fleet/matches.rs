//! Matches over stores that fail, between processes that are killed: every unit counts once, and
//! always with the same result.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fleet::names::matches as names;
use fleet::{
    Assignment, Claimant, Holder, Judge, MatchPlan, Orders, Outbox, Process, Slot, Store,
    StoreError, Worker, WorkerSettings,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::time::{Instant, sleep, timeout};

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{ENCODER, claim, simulate};

const UNITS: u64 = 40;
const BEAT: Duration = Duration::from_secs(20);

fn plan() -> MatchPlan {
    MatchPlan { units: UNITS, plan: serde_json::json!({"what": "numbers"}) }
}

/// What everybody finds who plays a unit.
fn result(unit: u64) -> Bytes {
    format!("unit {unit}: {}", unit.wrapping_mul(0x9E37_79B9_7F4A_7C15)).into()
}

fn check(unit: u64, found: &[u8]) -> Result<Bytes, String> {
    if found == result(unit) { Ok(result(unit)) } else { Err("no such numbers".to_owned()) }
}

/// How often each unit was played to its end.
type Played = Arc<Mutex<BTreeMap<u64, u64>>>;

/// A process that has a slot, with its courier at work.
async fn enter(store: &Store, slot: &Slot, nonce: u64) -> Result<(Claimant, Outbox), StoreError> {
    let mut settings = WorkerSettings::new(slot.clone(), ENCODER, claim(nonce));
    (settings.timing.beat, settings.seed) = (BEAT, nonce);
    let worker = Worker::join_without_run(store.clone(), settings).await?;
    let outbox = worker.outbox();
    let process = Process { slot: slot.clone(), generation: worker.generation() };
    tokio::spawn(worker.carry(()));
    Ok((Claimant::new(store.clone(), process, BEAT, nonce), outbox))
}

/// Plays units until killed.
async fn work(store: Store, slot: Slot, nonce: u64, played: Played) -> Result<(), StoreError> {
    let (mut claimant, outbox) = enter(&store, &slot, nonce).await?;
    let _killed = Killed(outbox);
    let mut random = ChaCha8Rng::seed_from_u64(nonce);
    loop {
        let Some(unit) = claimant.take().await? else {
            sleep(Duration::from_secs(5)).await;
            continue;
        };
        sleep(Duration::from_secs_f64(random.random_range(5.0..60.0))).await;
        *played.lock().unwrap().entry(unit.unit).or_default() += 1;
        while claimant.deliver(&unit, result(unit.unit)).await.is_err() {}
    }
}

/// With its process, what it says of itself ends.
struct Killed(Outbox);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

/// One process after another in the same slot, each killed after a time out of `life`.
async fn keep_working(store: Store, slot: Slot, seed: u64, life: Range<f64>, played: Played) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let life = Duration::from_secs_f64(random.random_range(life.clone()));
        let work = work(store.clone(), slot.clone(), random.random(), played.clone());
        let _ = timeout(life, work).await;
        // Some come back at once, others when everybody has seen that they are silent.
        sleep(Duration::from_secs_f64(random.random_range(1.0..200.0))).await;
    }
}

/// Judges until the end.
async fn judge(store: Store) -> Result<Bytes, StoreError> {
    let mut judge = Judge::open(store, &plan()).await?;
    let mut next = 0;
    while !judge.has_all() {
        for (unit, _) in judge.take(&check).await? {
            assert_eq!(unit, next, "units come in order");
            next += 1;
        }
        sleep(Duration::from_secs(2)).await;
    }
    let verdict = Bytes::from(judge.taken().join("\n"));
    judge.end(verdict.clone()).await?;
    Ok(verdict)
}

/// The verdict of a match between this many workers, and how often units were played.
async fn play(
    seed: u64,
    workers: u64,
    faults: Faults,
    life: Range<f64>,
) -> (Bytes, BTreeMap<u64, u64>) {
    let store = FaultStore::new(seed, faults);
    let played = Played::default();
    let mut tasks = Vec::new();
    for slot in 0..workers {
        let own = Store::from_objects(Arc::new(Handle(store.clone())));
        let (name, seed) = (slot.to_string().parse().unwrap(), 100 * seed + slot);
        tasks.push(tokio::spawn(keep_working(own, name, seed, life.clone(), played.clone())));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let end = Instant::now() + Duration::from_secs(20 * 3600);
    let verdict = loop {
        assert!(Instant::now() < end, "seed {seed}: no end of the match");
        let own = Store::from_objects(Arc::new(Handle(store.clone())));
        // Judges are killed, too.
        let life = Duration::from_secs_f64(random.random_range(life.clone()) * 2.0);
        if let Ok(Ok(verdict)) = timeout(life, judge(own)).await {
            break verdict;
        }
    };
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let quiet = Store::from_objects(store.quiet());
    let id = Judge::open(quiet.clone(), &plan()).await.unwrap().id().clone();
    let written = quiet.get(&names::verdict(&id), 1 << 20).await.unwrap();
    assert_eq!(written.as_ref(), Some(&verdict));
    let played = played.lock().unwrap().clone();
    (verdict, played)
}

/// Longer than anything here lasts.
const FOREVER: Range<f64> = 1e6..1.1e6;

#[test]
fn without_kills_no_unit_is_played_twice() {
    for workers in [1, 3, 8] {
        let (_, played) = simulate(play(workers, workers, Faults::default(), FOREVER));
        assert!(played.len() as u64 == UNITS && played.values().all(|&times| times == 1));
    }
}

#[test]
fn whoever_plays_and_dies_the_verdict_is_the_same() {
    let (expected, _) = simulate(play(0, 1, Faults::default(), FOREVER));
    for seed in 1..25 {
        let faults = Faults::all([0.0, 0.05, 0.2][seed as usize % 3]);
        let (verdict, played) =
            simulate(play(seed, [1, 3, 8][seed as usize / 3 % 3], faults, 60.0..600.0));
        assert_eq!(verdict, expected, "seed {seed}");
        assert_eq!(played.len() as u64, UNITS, "seed {seed}");
    }
}

async fn memory() -> (Store, Judge) {
    let store = Store::open("memory://").unwrap();
    let judge = Judge::open(store.clone(), &plan()).await.unwrap();
    (store, judge)
}

async fn taken(claimant: &mut Claimant) -> Assignment {
    claimant.take().await.unwrap().expect("a unit")
}

fn slot(name: &str) -> Slot {
    name.parse().unwrap()
}

#[test]
fn who_delivers_what_is_no_result_plays_no_more() {
    simulate(async {
        let (store, mut judge) = memory().await;
        let (mut bad, _) = enter(&store, &slot("bad"), 1).await.unwrap();
        let (mut good, _) = enter(&store, &slot("good"), 2).await.unwrap();
        let unit = taken(&mut bad).await;
        bad.deliver(&unit, "rubbish".into()).await.unwrap();
        let next = taken(&mut bad).await;
        assert_eq!((unit.unit, next.unit), (0, 1));
        assert_eq!(judge.take(&check).await.unwrap(), []);
        assert_eq!(judge.standing().await.unwrap().refused[0].slot, slot("bad"));
        // It still has the units, and leaves them to others when it looks for the next.
        assert_eq!(taken(&mut good).await.unit, 2);
        for _ in 0..2 {
            assert!(bad.take().await.unwrap().is_none());
        }
        let unit = taken(&mut good).await;
        good.deliver(&unit, result(2)).await.unwrap();
        for unit in 0..2 {
            let again = taken(&mut good).await;
            assert_eq!(again.unit, unit);
            good.deliver(&again, result(unit)).await.unwrap();
        }
        assert_eq!(judge.take(&check).await.unwrap().len(), 3);
    });
}

#[test]
fn what_is_given_back_is_played_by_others() {
    simulate(async {
        let (store, mut judge) = memory().await;
        let (mut first, _) = enter(&store, &slot("a"), 1).await.unwrap();
        let (mut second, _) = enter(&store, &slot("b"), 2).await.unwrap();
        assert_eq!(judge.standing().await.unwrap().claimed, []);
        let unit = taken(&mut first).await;
        first.avoid(&unit.id, "no such network".to_owned());
        // As after a restart of the judge's machine: the answer to the claim was lost.
        assert!(first.take().await.unwrap().is_none());
        let by = Process { slot: slot("a"), generation: 0 };
        let gave_back = Holder::GaveBack(by, "no such network".to_owned());
        assert_eq!(judge.standing().await.unwrap().claimed, [(0, gave_back)]);
        let again = taken(&mut second).await;
        assert_eq!(again.unit, 0);
        // A claim whose answer is lost is found again.
        let found = taken(&mut second).await;
        assert_eq!(found.unit, 0);
        second.deliver(&found, result(0)).await.unwrap();
        assert_eq!(taken(&mut second).await.unit, 1);
    });
}

#[test]
fn a_unit_of_a_silent_process_is_taken_over_and_that_of_a_slow_one_is_not() {
    simulate(async {
        let (store, mut judge) = memory().await;
        let (mut slow, _slow) = enter(&store, &slot("slow"), 1).await.unwrap();
        let (mut dead, outbox) = enter(&store, &slot("dead"), 2).await.unwrap();
        let (mut other, _other) = enter(&store, &slot("other"), 3).await.unwrap();
        assert_eq!((taken(&mut slow).await.unit, taken(&mut dead).await.unit), (0, 1));
        outbox.finish();
        for unit in 2..UNITS {
            let assignment = taken(&mut other).await;
            assert_eq!(assignment.unit, unit);
            other.deliver(&assignment, result(unit)).await.unwrap();
        }
        // What the dead one said last has arrived.
        sleep(Duration::from_secs(1)).await;
        assert!(other.take().await.unwrap().is_none());
        judge.standing().await.unwrap();
        sleep(4 * BEAT).await;
        let by = |name| Process { slot: slot(name), generation: 0 };
        let expected = [(0, Holder::Plays(by("slow"))), (1, Holder::Gone(by("dead")))];
        assert_eq!(judge.standing().await.unwrap().claimed, expected);
        assert_eq!(taken(&mut other).await.unit, 1);
        assert_eq!(outbox.orders(), Orders::Stop);
        // Whoever comes next in a slot need not wait.
        drop(dead);
        let (mut next, _next) = enter(&store, &slot("other"), 4).await.unwrap();
        assert_eq!(taken(&mut next).await.unit, 1);
    });
}

#[test]
fn the_next_judge_takes_what_the_last_one_took() {
    simulate(async {
        let (store, mut first) = memory().await;
        let any = |_: u64, found: &[u8]| Ok(Bytes::copy_from_slice(found));
        let (mut late, _late) = enter(&store, &slot("a"), 1).await.unwrap();
        let (mut early, _early) = enter(&store, &slot("b"), 2).await.unwrap();
        let unit = taken(&mut late).await;
        // As if it had been silent.
        early.deliver(&unit, "early".into()).await.unwrap();
        assert_eq!(first.take(&any).await.unwrap(), [(0, "early".into())]);
        late.deliver(&unit, "late".into()).await.unwrap();
        let mut second = Judge::open(store.clone(), &plan()).await.unwrap();
        assert_eq!(second.take(&any).await.unwrap(), [(0, "early".into())]);
        assert_eq!(first.taken(), second.taken());
        // What counts does not change unnoticed.
        early.deliver(&unit, "other".into()).await.unwrap();
        let mut third = Judge::open(store.clone(), &plan()).await.unwrap();
        let error = third.take(&any).await.unwrap_err().to_string();
        assert!(error.contains("has changed since it was taken"), "{error}");

        first.end("one".into()).await.unwrap();
        first.end("one".into()).await.unwrap();
        let error = second.end("two".into()).await.unwrap_err().to_string();
        assert!(error.contains("another verdict"), "{error}");
        assert!(early.take().await.unwrap().is_none(), "the match is over");
        // Asking for the same again does not open it.
        Judge::open(store, &plan()).await.unwrap();
        assert!(early.take().await.unwrap().is_none());
    });
}

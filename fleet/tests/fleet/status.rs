//! What a person is told of a run.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fleet::{
    AppendOutcome, Commit, CommitLog, Event, Health, LearnerHealth, Liveness, Observer, Refused,
    Requests, Status, Store,
};

const BEAT: Duration = Duration::from_secs(120);

/// A run in a folder whose objects may be as old as is wanted.
struct Folder {
    home: tempfile::TempDir,
    store: Store,
    now: SystemTime,
}

impl Folder {
    fn new() -> Folder {
        let home = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(home.path()).unwrap();
        let store = Store::open(url.as_str()).unwrap();
        Folder { home, store, now: SystemTime::now() }
    }

    /// Writes an object this many seconds ago.
    async fn put(&self, name: &str, bytes: impl Into<Bytes>, ago: u64) {
        self.store.put(&name.into(), bytes.into()).await.unwrap();
        self.make_old(name, ago);
    }

    fn make_old(&self, name: &str, ago: u64) {
        let file = File::options().write(true).open(self.path(name)).unwrap();
        file.set_modified(self.now - Duration::from_secs(ago)).unwrap();
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(Path::new(name))
    }

    async fn enter(&self, commit: &Commit, ago: u64) {
        let commit_log = CommitLog::new(self.store.clone());
        assert_eq!(commit_log.append(commit).await.unwrap(), AppendOutcome::Appended);
        self.make_old(&format!("commits/{:020}.json", commit.number), ago);
    }

    async fn worker(&self, slot: &str, holds: bool, ago: u64) {
        self.report(&health(slot, holds), ago).await;
    }

    async fn report(&self, health: &Health, ago: u64) {
        let json = serde_json::to_vec(health).unwrap();
        self.put(&format!("health/{}.json", health.slot), json, ago).await;
    }

    async fn learner(&self, samples_per_second: Option<f64>, ago: u64) {
        let requests = Requests { writes: 1000, reads: 2000 };
        let host = "gpu-1".to_owned();
        let health = LearnerHealth { host, seconds: 3600.0, samples_per_second, requests };
        self.put("learner.json", serde_json::to_vec(&health).unwrap(), ago).await;
    }

    async fn look(&self) -> Status {
        Observer::new(self.store.clone(), BEAT, 3.0).look().await.unwrap().unwrap()
    }
}

/// What a worker says of itself that has always played.
fn health(slot: &str, holds: bool) -> Health {
    Health {
        slot: slot.parse().unwrap(),
        generation: 2,
        host: format!("node-{slot}"),
        beat: 5,
        seconds: 1000.0,
        idle: 0.0,
        files: 17,
        games: 400,
        evaluations: 640_000,
        waiting: 1,
        model: 90,
        holds,
        requests: Requests { writes: 100, reads: 1000 },
        store_errors: u64::from(holds),
    }
}

/// Three commits: before what is recent, at its beginning, and now.
async fn begun(folder: &Folder, ago: u64) -> Commit {
    let mut commit = Commit { nonce: "0".to_owned(), ..Commit::default() };
    folder.enter(&commit, ago + 7200).await;
    commit = commit.successor(Event::Taken, "1".to_owned());
    (commit.positions, commit.samples, commit.games) = (50_000, 100_000, 900);
    folder.enter(&commit, ago + 600).await;
    commit = commit.successor(Event::Taken, "2".to_owned());
    (commit.positions, commit.samples, commit.games) = (80_000, 190_000, 1500);
    commit.simulations = 16;
    commit.refused =
        Refused { stale: 3, invalid: 2, invalid_files: 1, late: 4, ..Refused::default() };
    folder.enter(&commit, ago).await;
    commit
}

#[tokio::test]
async fn a_person_is_told_how_a_run_is_doing() {
    let folder = Folder::new();
    let none = Observer::new(folder.store.clone(), BEAT, 3.0).look().await.unwrap();
    assert!(none.is_none(), "nobody has begun it");
    begun(&folder, 30).await;
    folder.learner(Some(600.0), 60).await;
    folder.worker("a", false, 100).await;
    folder.worker("b", true, 10).await;
    folder.worker("c", false, 4000).await;
    folder.worker("d", false, 100).await;
    folder.put("inbox/a/2-17.games", "games", 200).await;
    folder.put("inbox/a/2-18.games", "games", 10).await;
    for (number, ago) in [(1, 50), (2, 40), (3, 30), (4, 20)] {
        folder.put(&format!("refused/a-1-{number}.txt"), format!("reason {number}\n"), ago).await;
        folder.put(&format!("refused/a-1-{number}.games"), "games", ago).await;
    }
    let status = folder.look().await;
    let kinds: Vec<Liveness> = status.slots.iter().map(|slot| slot.liveness).collect();
    use Liveness::{Holds, Plays, Silent};
    assert_eq!(kinds, [Plays, Holds, Silent, Plays]);
    // 600 samples/s for 3 times each, against 640 evaluations/s for 16 each.
    let useful = status.useful.unwrap();
    assert_eq!((useful.learnt, useful.played, useful.workers), (200.0, 40.0, 5.0));
    let report = status.to_string();
    let expected = "\
commit 2, phase 0, step 0
positions 80000 of 1500 games, 50.0/s in the last 10 min of work
samples 190000, 150.0/s; each position 2.38 times, of 3.00 wanted
learner on gpu-1: 600 samples/s while it learns, last sign 20 s ago
workers: 2 play, 1 wait, 1 silent
useful workers: 5.0 like these, as the learner has time for 200.0 positions/s and a worker plays 40.0
inbox: 2 files, 10 bytes
  the oldest has waited for 3 min
did not count: 3 games too old, 2 invalid in 1 file, 4 late, 0 strange objects
  refused/a-1-4.txt: reason 4
  refused/a-1-3.txt: reason 3
  refused/a-1-2.txt: reason 2
requests an hour: 2080 writes and listings, 12800 reads; at Amazon's prices $0.02
  a/2 on node-a plays: 400 games, 640 evaluations/s, 1 file waiting, weights 0 steps old
  b/2 on node-b waits: 400 games, 640 evaluations/s, 1 file waiting, weights 0 steps old, 1 of 1100 requests failed
  c/2 on node-c silent for 66 min: 400 games, 640 evaluations/s, 1 file waiting, weights 0 steps old
  d/2 on node-d plays: 400 games, 640 evaluations/s, 1 file waiting, weights 0 steps old
";
    assert_eq!(report, expected);
}

#[tokio::test]
async fn a_learner_that_enters_nothing_gives_signs_of_life() {
    let folder = Folder::new();
    begun(&folder, 3000).await;
    folder.worker("a", false, 3000).await;
    folder.learner(Some(600.0), 70).await;
    let report = folder.look().await.to_string();
    assert!(report.contains("last sign 0 s ago") && !report.contains("nobody has"), "{report}");
    folder.worker("b", false, 10).await;
    let report = folder.look().await.to_string();
    assert!(report.contains("last sign 60 s ago"), "{report}");
}

#[tokio::test]
async fn more_workers_than_are_useful_are_pointed_out() {
    let folder = Folder::new();
    begun(&folder, 30).await;
    for slot in ["a", "b", "c"] {
        folder.worker(slot, false, 30).await;
    }
    let unknown = folder.look().await;
    assert_eq!(unknown.useful, None, "the learner has said nothing");
    assert!(unknown.to_string().contains("known when the learner has learnt"));
    folder.learner(Some(120.0), 0).await;
    let report = folder.look().await.to_string();
    assert!(report.contains("useful workers: 1.0 like these"), "{report}");
    assert!(report.contains("more make it learn from each position less often"), "{report}");
    folder.learner(Some(480.0), 0).await;
    assert!(!folder.look().await.to_string().contains("less often"));
}

/// Otherwise the more workers there are, and the longer each is told to wait, the more would seem
/// useful.
#[tokio::test]
async fn a_worker_that_waits_now_and_then_is_no_slower_for_that() {
    let folder = Folder::new();
    begun(&folder, 30).await;
    folder.learner(Some(600.0), 60).await;
    let idle = Health { evaluations: 160_000, idle: 750.0, ..health("a", false) };
    folder.report(&idle, 30).await;
    let status = folder.look().await;
    assert_eq!(status.slots[0].evaluations_per_second, 640.0);
    assert_eq!(status.useful.unwrap().workers, 5.0);
}

#[tokio::test]
async fn a_run_that_everybody_has_left_says_so() {
    let folder = Folder::new();
    let mut commit = begun(&folder, 7200).await;
    folder.worker("a", false, 7100).await;
    let status = folder.look().await;
    assert_eq!(status.slots[0].liveness, Liveness::Silent);
    let report = status.to_string();
    assert!(report.contains("nobody has written anything for 118 min\n"), "{report}");
    commit = commit.successor(Event::Told, "3".to_owned());
    commit.ended = true;
    folder.enter(&commit, 7000).await;
    let report = folder.look().await.to_string();
    assert!(report.contains(", ended\n") && !report.contains("nobody has"), "{report}");
}

//! A run in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use models::StoredModel;
use selfplay::GameStore;
use train::{RunFolder, StartingModel};

use crate::arrivals::Arrivals;
use crate::crew::Crew;
use crate::process::hotstone;
use crate::run::Run;

/// A run that is yet to begin, and its store.
pub fn in_folder() -> (Run, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("store");
    fs::create_dir(&folder).unwrap();
    (Run::new(home, &format!("file://{}", folder.display()), Vec::new()), folder)
}

#[test]
fn a_run_outlives_its_processes_and_its_books_are_exact() {
    let (run, folder) = in_folder();
    let arrived = Arrivals::watch(&folder);
    let mut learner = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let (mut first, second) = (run.worker("a"), run.worker("b"));
    run.wait_until("a game", |newest| newest.games > 0);
    first.kill();
    let first = run.worker("a");
    let games = run.newest().unwrap().games;
    run.wait_until("learning", |newest| newest.step() > 0 && newest.games > games);
    // On another machine, where there is nothing of the run.
    learner.kill();
    run.set_budget(run.newest().unwrap().positions + 300);
    let learner = run.learner("there");
    assert_eq!(learner.code(), Some(0));
    assert_eq!((first.code(), second.code()), (Some(0), Some(0)));
    run.check_commit_log(arrived.stop());

    // Whoever comes late learns that all is done, and takes what workers have delivered too late.
    assert_eq!(run.learner("elsewhere").code(), Some(0));
    let (before, state) = (run.newest().unwrap(), run.state(&run.newest().unwrap()));
    assert_eq!((run.worker("a").code(), run.learner("elsewhere").code()), (Some(0), Some(0)));
    let after = run.newest().unwrap();
    assert_eq!((after.positions, after.step()), (before.positions, before.step()));
    assert_eq!(run.state(&after).step, state.step);
    check_fetch(&run);
}

/// Asserts that the newest model can be had as a folder. It is that of the learner of `elsewhere`.
fn check_fetch(run: &Run) {
    let folder = run.folder("model");
    let fetch = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hotstone"));
        command.args(["fleet", "fetch", "--store", &run.url, "--to"]);
        command.arg(&folder).args(more).output().unwrap()
    };
    let absent = fetch(&["--step", "99999999"]);
    let told = String::from_utf8(absent.stderr).unwrap();
    assert!(!absent.status.success() && told.contains("the newest is of step"), "{told}");
    assert!(!folder.exists());
    assert!(fetch(&[]).status.success());
    let fetched = StoredModel::read(&folder).unwrap();
    let newest = StartingModel::read(&run.folder("elsewhere")).unwrap();
    assert_eq!(fetched.card(), newest.card());
    assert_eq!(StartingModel::read(&folder).unwrap().kinds(), newest.kinds());
    assert!(!fetch(&[]).status.success(), "what is there is not overwritten");
    check_fetched_run(run);
}

/// Asserts that a run of which only the store is left continues in a fork on this machine, with its
/// games.
fn check_fetched_run(run: &Run) {
    let (fetched, fork) = (run.folder("fetched"), run.folder("fork"));
    let (from, to) = (fetched.display().to_string(), fork.display().to_string());
    hotstone(&["fleet", "fetch", "--store", &run.url, "--to", &from, "--run"]);
    let state = |folder: &Path| RunFolder::resume(folder).unwrap().latest().unwrap().unwrap().1;
    let before = state(&fetched);
    let newest = run.newest().unwrap();
    assert_eq!((before.step, before.positions), (newest.step(), newest.positions));
    let games = GameStore::open(&fetched.join("games")).unwrap();
    let read = |key| games.read(key).unwrap();
    let rows: usize =
        games.keys().unwrap().into_iter().flat_map(read).map(|game| game.rows()).sum();
    assert!(rows >= 100, "the window of the configuration, not {rows}");

    let budget = format!("budget.positions={}", before.positions + 60);
    let fork_it = ["train", "--quiet", "--fork", &from, "--run", &to, "--config", "smoke", "--set"];
    hotstone(&[&fork_it[..], &[budget.as_str()]].concat());
    let after = state(&fork);
    assert!(after.positions >= before.positions + 60 && after.step > before.step);
    assert_eq!(after.forked.positions, before.positions);
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_told_to_stop_hands_over_and_asks_to_be_started_again() {
    let (run, _) = in_folder();
    let _learner = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let worker = run.worker("a");
    run.wait_until("a game", |newest| newest.games > 0);
    worker.signal("-TERM");
    assert_eq!(worker.code(), Some(75));
    // What it says of itself at the end is what has arrived.
    let health = run.runtime.wait(fleet::Health::get_all(&run.store)).unwrap().remove(0);
    let seen = health.games;
    run.wait_until("the intake", |newest| newest.games + newest.refused.stale == seen);
}

#[test]
fn a_learner_that_starts_shuts_out_the_one_before() {
    let (run, _) = in_folder();
    let first = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let mut second = run.learner("there");
    assert_eq!(first.code(), Some(75));
    assert!(second.is_running());
}

#[test]
fn nothing_is_taken_of_a_banned_worker() {
    let (run, folder) = in_folder();
    let _learner = run.learner_with("here", &["--ban", "b"]);
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let _banned = run.worker("b");
    run.wait_until("a refusal", |newest| newest.refused.invalid > 0);
    assert_eq!(run.newest().unwrap().games, 0);
    let refused = fs::read_dir(folder.join("refused")).unwrap();
    let mut texts = refused.filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok());
    assert!(texts.any(|text| text.contains("slot b is banned")));
}

#[test]
fn schedulers_are_told_what_to_start_again() {
    let (run, folder) = in_folder();
    // There is no run yet, but there may be one soon.
    assert_eq!(run.worker_with("a", &["--jobs", "selfplay"]).code(), Some(75));
    let idle = ["--idle-exit", "1s"];
    assert_eq!(run.worker_with("a", &idle).code(), Some(75));
    // Matches were all that there was to do.
    assert_eq!(run.worker_with("a", &[&idle[..], &["--jobs", "match"]].concat()).code(), Some(0));
    let text = "id = 'x'\nformat = 1\nencoder = 0\nrules = 'go'\n[config]\n";
    fs::write(folder.join("run.toml"), text).unwrap();
    // No program of this version can ever take part.
    assert_eq!(run.worker("a").code(), Some(64));
    assert_eq!(run.learner("here").code(), Some(64));
}

#[cfg(unix)]
#[test]
#[ignore = "takes minutes"]
fn learners_that_sleep_through_the_beginning_of_another_one_stop() {
    const SLEEPS: u64 = 20;
    let (run, folder) = in_folder();
    let arrived = Arrivals::watch(&folder);
    let mut learner = run.learner("learner-0");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let workers = ["a", "b"].map(|slot| run.worker(slot));
    for sleep in 1..=SLEEPS {
        // At another moment of its work each time.
        std::thread::sleep(Duration::from_millis(400 + 137 * (sleep % 9) + 10 * sleep));
        learner.signal("-STOP");
        let before = run.newest().unwrap().number;
        let next = run.learner(&format!("learner-{sleep}"));
        run.wait_until("another learner", |newest| newest.number > before);
        learner.signal("-CONT");
        assert_eq!(learner.code(), Some(75));
        learner = next;
    }
    learner.kill();
    run.set_budget(run.newest().unwrap().positions + 300);
    assert_eq!(run.learner("last").code(), Some(0));
    workers.into_iter().for_each(|worker| assert_eq!(worker.code(), Some(0)));
    run.check_commit_log(arrived.stop());
}

#[test]
#[ignore = "takes minutes"]
fn so_are_they_after_each_process_was_killed_25_times() {
    const KILLS: u64 = 25;
    let (run, folder) = in_folder();
    let arrived = Arrivals::watch(&folder);
    let mut crew = Crew::start(&run);
    crew.kill(&run, KILLS);
    crew.finish(&run);
    run.check_commit_log(arrived.stop());
}

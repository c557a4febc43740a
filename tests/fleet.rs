//! Learner and workers as processes that share a folder, are killed, and go on; then the books.

#![allow(clippy::unwrap_used)]

#[path = "common/process.rs"]
mod process;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fleet::blocking::Carrier;
use fleet::{Books, Commit, Store, game_file, names, segment};
use process::{Process, hotstone};
use train::{RunConfig, RunFolder, RunState};

/// Everything as often as possible, much play and little learning, so that little waits; and no end before
/// [`Run::set_budget`].
const CHANGES: [&str; 10] = [
    "fleet.take=0.2",
    "fleet.publish=0.0",
    "fleet.checkpoint=1.0",
    "fleet.poll=0.3",
    "fleet.file=0.2",
    "fleet.beat=0.5",
    "fleet.reuse_least=0.02",
    "learning.reuse=0.05",
    "self_play.simulations=[[0.0, 64]]",
    "budget.positions=100000000",
];

/// A run in a temporary folder.
struct Run {
    home: tempfile::TempDir,
    carrier: Carrier,
    store: Store,
}

impl Run {
    fn new() -> Run {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("store")).unwrap();
        let store = Store::open(&url(home.path())).unwrap();
        Run { home, carrier: Carrier::start().unwrap(), store }
    }

    fn in_store(&self, name: &str) -> PathBuf {
        self.home.path().join("store").join(name)
    }

    /// Starts a learner with a folder of its own, which begins the run or goes on with it.
    fn learner(&self, folder: &str) -> Process {
        let words = ["train", "--quiet", "--device", "cpu", "--precision", "f32", "--store"];
        let mut list: Vec<String> = words.map(str::to_owned).to_vec();
        list.push(url(self.home.path()));
        list.extend(["--run".to_owned(), self.home.path().join(folder).display().to_string()]);
        if self.in_store("run.toml").exists() {
            list.push("--resume".to_owned());
        } else {
            list.extend(["--config".to_owned(), "smoke".to_owned()]);
            list.extend(CHANGES.iter().flat_map(|&it| ["--set".to_owned(), it.to_owned()]));
        }
        Process::start(&list)
    }

    fn worker(&self, slot: &str) -> Process {
        self.worker_with(slot, &[])
    }

    fn worker_with(&self, slot: &str, arguments: &[&str]) -> Process {
        let words = ["worker", "--quiet", "--device", "cpu", "--precision", "f32", "--store"];
        let mut list: Vec<String> = words.map(str::to_owned).to_vec();
        list.extend([url(self.home.path()), "--slot".to_owned(), slot.to_owned()]);
        list.extend(arguments.iter().map(|&it| it.to_owned()));
        Process::start(&list)
    }

    fn newest(&self) -> Option<Commit> {
        self.carrier.wait(Books::new(self.store.clone()).newest()).unwrap()
    }

    /// Waits until the books say something.
    fn wait_until(&self, what: &str, is_so: impl Fn(&Commit) -> bool) {
        for _ in 0..3000 {
            if self.newest().as_ref().is_some_and(&is_so) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{what} has not happened: {:?}", self.newest());
    }

    /// Has the run end after so many positions, as if it had been begun so.
    fn set_budget(&self, positions: u64) {
        let path = self.in_store("run.toml");
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().find(|line| line.starts_with("positions = ")).unwrap();
        fs::write(&path, text.replace(line, &format!("positions = {positions}"))).unwrap();
    }

    /// The files of games of all commits, with the games of each that do not count.
    fn taken(&self, commits: &[Commit]) -> Vec<(fleet::FileName, Vec<u32>, game_file::GameFile)> {
        let mut taken = Vec::new();
        for commit in commits.iter().filter(|commit| commit.segment.is_some()) {
            let name = names::segment(commit.number, &commit.nonce);
            let bytes = fs::read(self.in_store(name.as_ref())).unwrap();
            for (entry, file) in segment::decode(&bytes.into()).unwrap() {
                taken.push((entry.name, entry.left_out, game_file::decode(&file).unwrap()));
            }
        }
        taken
    }

    /// Asserts that the books of a finished run agree with what has arrived and with what has been learnt.
    fn check_books(&self, arrived: Arrivals) {
        let newest = self.newest().unwrap();
        assert!(newest.ended);
        let books = Books::new(self.store.clone());
        let commits = self.carrier.wait(books.read_all(0..=newest.number)).unwrap();
        let taken = self.taken(&commits);

        // Every file once, and of each process all from the first on.
        let mut sequences: BTreeMap<(String, u64), Vec<u64>> = BTreeMap::new();
        for (name, ..) in &taken {
            let process = (name.slot.to_string(), name.generation);
            sequences.entry(process).or_default().push(name.sequence);
        }
        for (process, found) in &sequences {
            assert!(found.iter().copied().eq(0..found.len() as u64), "{process:?}: {found:?}");
        }

        let mut games: BTreeMap<String, u64> = arrived.stop();
        games.extend(
            taken.iter().map(|(name, _, file)| (name.to_string(), u64::from(file.header.games))),
        );
        let refused = newest.refused;
        assert_eq!(
            games.values().sum::<u64>(),
            newest.games + refused.stale + refused.invalid + refused.late,
            "games that arrived are not those that are accounted for: {refused:?}"
        );
        assert_eq!((refused.invalid, refused.strange_files), (0, 0));

        let counted: Vec<_> = taken
            .iter()
            .flat_map(|(_, left_out, file)| {
                (0..).zip(&file.games).filter(|(index, _)| !left_out.contains(index))
            })
            .map(|(_, game)| game)
            .collect();
        assert_eq!(counted.len() as u64, newest.games);
        let rows: usize = counted.iter().map(|game| game.rows()).sum();
        assert_eq!(rows as u64, newest.positions);
        let seeds: HashSet<u64> = counted.iter().map(|game| game.seed).collect();
        assert_eq!(seeds.len(), counted.len(), "a game has counted twice");

        let (state, config) = (self.state(&newest), self.config());
        assert_eq!((state.positions, state.games), (newest.positions, newest.games));
        assert!(state.positions >= config.budget.positions.unwrap());
        let called_for = config.learning.steps_at(state.positions);
        assert_eq!(state.step + state.forgiven, called_for, "the final step count");
        assert_eq!(newest.step(), state.step, "the newest weights are published");
        // Nothing was ever learnt from more often than it was to be.
        let most = config.learning.reuse as f64;
        assert!(commits.iter().all(|it| it.samples as f64 <= most * it.positions as f64));
    }

    /// The state in the newest checkpoint.
    fn state(&self, newest: &Commit) -> RunState {
        let saved = &newest.checkpoints[0];
        let folder = names::checkpoint(saved.step, &saved.nonce);
        RunFolder::state(&self.in_store(folder.as_ref())).unwrap()
    }

    fn config(&self) -> RunConfig {
        let text = fs::read_to_string(self.in_store("run.toml")).unwrap();
        let run: fleet::Run = toml::from_str(&text).unwrap();
        RunConfig::from_table(run.config, "run.toml").unwrap()
    }
}

fn url(home: &Path) -> String {
    format!("file://{}", home.join("store").display())
}

/// Files that have been seen to arrive, with their numbers of games. A file that is taken before it is seen is known
/// from where it is taken to.
struct Arrivals {
    stop: Arc<AtomicBool>,
    watch: JoinHandle<BTreeMap<String, u64>>,
}

impl Arrivals {
    fn watch(run: &Run) -> Arrivals {
        let (inbox, stop) = (run.in_store("inbox"), Arc::new(AtomicBool::new(false)));
        let is_over = stop.clone();
        let watch = std::thread::spawn(move || {
            let mut seen = BTreeMap::new();
            loop {
                let is_last = is_over.load(Ordering::Relaxed);
                look(&inbox, &mut seen);
                if is_last {
                    return seen;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Arrivals { stop, watch }
    }

    fn stop(self) -> BTreeMap<String, u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.watch.join().unwrap()
    }
}

/// Notes the files that wait in an inbox. What is gone before it is read has been taken.
fn look(inbox: &Path, seen: &mut BTreeMap<String, u64>) {
    for slot in fs::read_dir(inbox).into_iter().flatten().flatten() {
        for file in fs::read_dir(slot.path()).into_iter().flatten().flatten() {
            let path = file.path();
            // Others are not whole yet.
            let is_whole = path.extension().is_some_and(|ending| ending == "games");
            if let Some(stem) = path.file_stem().filter(|_| is_whole) {
                let name = format!("{}/{}", slot.file_name().display(), stem.display());
                if !seen.contains_key(&name)
                    && let Ok(bytes) = fs::read(&path)
                {
                    let header = game_file::header(&bytes).unwrap();
                    seen.insert(name, u64::from(header.games));
                }
            }
        }
    }
}

#[test]
fn a_run_outlives_its_processes_and_its_books_are_exact() {
    let run = Run::new();
    let arrived = Arrivals::watch(&run);
    let learner = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let (first, second) = (run.worker("a"), run.worker("b"));
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
    run.check_books(arrived);

    // Whoever comes late learns that all is done.
    let (before, state) = (run.newest().unwrap(), run.state(&run.newest().unwrap()));
    assert_eq!((run.worker("a").code(), run.learner("elsewhere").code()), (Some(0), Some(0)));
    let after = run.newest().unwrap();
    assert_eq!((after.positions, after.step()), (before.positions, before.step()));
    assert_eq!(run.state(&after).step, state.step);
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_told_to_stop_hands_over_and_asks_to_be_started_again() {
    let run = Run::new();
    let _learner = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let worker = run.worker("a");
    run.wait_until("a game", |newest| newest.games > 0);
    worker.terminate();
    assert_eq!(worker.code(), Some(75));
    // What it says of itself at the end is what has arrived.
    let health = run.carrier.wait(fleet::Health::get_all(&run.store)).unwrap().remove(0);
    let seen = health.games;
    run.wait_until("the intake", |newest| newest.games + newest.refused.stale == seen);
}

#[test]
fn a_learner_that_starts_shuts_out_the_one_before() {
    let run = Run::new();
    let first = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let mut second = run.learner("there");
    assert_eq!(first.code(), Some(75));
    assert!(second.is_running());
}

#[test]
fn workers_of_a_run_play_matches_between_its_models() {
    let run = Run::new();
    // Before there is a run.
    let worker = run.worker("a");
    let _learner = run.learner("here");
    run.wait_until("a game", |newest| newest.games > 0 && newest.step() > 0);
    let step = run.newest().unwrap().step();
    let player = format!("model:store:{step}@2");
    let compute = ["--device", "cpu", "--precision", "f32", "--json"];
    let command = ["match", &player, "random", "--games", "40", "--store", &url(run.home.path())];
    let report = hotstone(&[&command[..], &compute].concat());
    assert!(report.contains(&format!("\"players\":[\"{player}\",\"random\"]")), "{report}");
    assert!(report.contains("\"games\":40,"), "{report}");
    // It goes on for the run.
    let games = run.newest().unwrap().games;
    run.wait_until("more games", |newest| newest.games > games + 5);
    worker.kill();
}

#[test]
fn schedulers_are_told_what_to_start_again() {
    let run = Run::new();
    // There is no run yet, but there may be one soon.
    assert_eq!(run.worker_with("a", &["--jobs", "selfplay"]).code(), Some(75));
    let idle = ["--idle-exit", "1s"];
    assert_eq!(run.worker_with("a", &idle).code(), Some(75));
    // Matches were all that there was to do.
    assert_eq!(run.worker_with("a", &[&idle[..], &["--jobs", "match"]].concat()).code(), Some(0));
    let text = "id = 'x'\nformat = 1\nencoder = 0\nrules = 'go'\n[config]\n";
    fs::write(run.in_store("run.toml"), text).unwrap();
    // No program of this version can ever take part.
    assert_eq!(run.worker("a").code(), Some(64));
    assert_eq!(run.learner("here").code(), Some(64));
}

#[test]
#[ignore = "takes minutes"]
fn so_are_they_after_each_process_was_killed_25_times() {
    const KILLS: usize = 25;
    let run = Run::new();
    let arrived = Arrivals::watch(&run);
    let slots = ["a", "b", "c", "d"];
    let mut learner = run.learner("learner-0");
    run.wait_until("the beginning", |newest| newest.model.is_some());
    let mut workers: Vec<Process> = slots.iter().map(|slot| run.worker(slot)).collect();
    for kill in 0..KILLS {
        for (slot, worker) in slots.iter().zip(&mut workers) {
            // At another moment of its work each time.
            std::thread::sleep(Duration::from_millis(500 + 97 * (kill as u64 % 7)));
            std::mem::replace(worker, run.worker(slot)).kill();
        }
        let games = run.newest().unwrap().games;
        run.wait_until("progress", |newest| newest.games > games);
        std::thread::sleep(Duration::from_millis(131 * (kill as u64 % 11)));
        learner.kill();
        learner = run.learner(&format!("learner-{}", kill % 3));
    }
    learner.kill();
    let positions = run.newest().unwrap().positions;
    run.set_budget(positions + 500);
    assert_eq!(run.learner("last").code(), Some(0));
    for worker in workers {
        assert_eq!(worker.code(), Some(0));
    }
    run.check_books(arrived);
}

//! Runs that are killed, run out of disk space, are damaged or misled about the time, and are resumed.

#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selfplay::{GameKey, GameStore, TrainingRecord};
use train::{RunConfig, RunError, RunFolder, RunState};

/// Far more positions than a test waits for.
const ENDLESS: &str = "budget.positions=100000000";

/// A run folder in a temporary place.
struct Run {
    _home: tempfile::TempDir,
    folder: PathBuf,
    changes: Vec<&'static str>,
}

impl Run {
    fn new(changes: &[&'static str]) -> Run {
        let home = tempfile::tempdir().unwrap();
        Run { folder: home.path().join("run"), _home: home, changes: changes.to_vec() }
    }

    /// The arguments that begin the run, or resume it if there is one.
    fn arguments(&self) -> Vec<String> {
        let mut list = vec!["--quiet".to_owned(), "--run".to_owned()];
        list.push(self.folder.display().to_string());
        if self.config_file().exists() {
            list.push("--resume".to_owned());
        } else {
            list.extend(["--config".to_owned(), configuration().display().to_string()]);
            list.extend(self.changes.iter().flat_map(|&c| ["--set".to_owned(), c.to_owned()]));
        }
        list
    }

    fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
        command.args(self.arguments()).stdout(Stdio::null()).spawn().unwrap()
    }

    fn finish(&self) {
        assert!(self.start().wait().unwrap().success());
    }

    fn config_file(&self) -> PathBuf {
        RunFolder::config_of(&self.folder)
    }

    fn config(&self) -> RunConfig {
        RunConfig::load(&self.config_file(), &[]).unwrap()
    }

    /// Changes the budget as if it had been so from the beginning.
    fn set_budget(&self, positions: u64) {
        let mut config = self.config();
        config.budget.positions = Some(positions);
        std::fs::write(self.config_file(), config.to_toml()).unwrap();
    }

    fn store(&self) -> GameStore {
        GameStore::open(&self.folder.join("games")).unwrap()
    }

    /// All games on disk; every file must be whole.
    fn games(&self) -> HashMap<GameKey, Vec<TrainingRecord>> {
        let store = self.store();
        let read = |key| (key, store.read(key).unwrap());
        store.keys().unwrap().into_iter().map(read).collect()
    }

    /// The state of the newest checkpoint.
    fn state(&self) -> RunState {
        RunFolder::resume(&self.folder).unwrap().latest().unwrap().unwrap().1
    }

    /// Asserts that a finished run has used every recorded game once, and has taken the learning steps due.
    fn check_end(&self) {
        let (state, config, games) = (self.state(), self.config(), self.games());
        assert!(state.positions >= config.budget.positions.unwrap());
        let due = config.learning.steps_at(state.positions);
        assert_eq!(state.step + state.skipped_steps, due, "the final step count");
        assert_eq!(state.used_below - 1, games.keys().copied().max().unwrap());
        let games: Vec<_> = games.into_values().flatten().collect();
        assert_eq!(state.games as usize, games.len());
        assert_eq!(state.positions as usize, games.iter().map(TrainingRecord::rows).sum::<usize>());
        let kinds = state.kinds.all().iter();
        let of_kinds =
            kinds.fold((0, 0), |(games, rows), kind| (games + kind.games, rows + kind.rows));
        assert_eq!(of_kinds, (state.games, state.positions), "a game was counted twice, or never");
        let seeds: HashSet<u64> = games.iter().map(|game| game.seed).collect();
        assert_eq!(seeds.len(), games.len(), "a game was recorded twice");
    }
}

fn configuration() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml")
}

#[test]
fn killed_runs_use_every_recorded_game_once_and_end_where_they_should() {
    kill_and_go_on(4, &[ENDLESS]);
}

#[test]
fn so_do_runs_that_learn_while_they_play() {
    kill_and_go_on(4, &[ENDLESS, "overlap=true"]);
}

#[test]
#[ignore = "takes minutes"]
fn so_do_runs_that_are_killed_25_times() {
    kill_and_go_on(25, &[ENDLESS]);
    kill_and_go_on(25, &[ENDLESS, "overlap=true"]);
}

/// Kills a run at random instants while it works, a number of times and until there are enough files to be
/// conclusive, and then lets it finish.
fn kill_and_go_on(kills: usize, changes: &[&'static str]) {
    let run = Run::new(changes);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut kept: HashMap<GameKey, Vec<TrainingRecord>> = HashMap::new();
    let (mut killed, mut longest) = (0, 1500);
    while killed < kills || kept.len() < kills {
        assert!(killed < 20 * kills, "{killed} kills left only {} files", kept.len());
        let mut child = run.start();
        std::thread::sleep(Duration::from_millis(random.random_range(50..longest)));
        assert!(child.try_wait().unwrap().is_none(), "it ended on its own after {killed} kills");
        killed += 1;
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let games = run.games();
        for (key, earlier) in &kept {
            assert_eq!(games.get(key), Some(earlier), "file {key} was lost or changed");
        }
        if games.len() == kept.len() {
            // A busy machine needs longer for a file.
            longest += 500;
        }
        kept = games;
    }
    let positions = kept.values().flatten().map(TrainingRecord::rows).sum::<usize>() as u64;
    run.set_budget(positions + 200);
    run.finish();
    let games = run.games();
    assert!(kept.iter().all(|(key, earlier)| games.get(key) == Some(earlier)));
    run.check_end();
}

#[test]
fn a_full_disk_ends_a_run_with_advice_and_loses_nothing() {
    let run = Run::new(&[]);
    run.finish();
    let (before, state) = (run.games(), run.state());
    run.set_budget(state.positions + 300);
    // In blocks of 512 bytes (or 1024, as the shell likes): too little for games, and too little for checkpoints.
    for blocks in [1, 64] {
        let output = with_small_files(&run, blocks);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{blocks} blocks: {message}");
        let last = message.lines().last().unwrap();
        assert!(last.starts_with("error: ") && last.contains("make room"), "{blocks}: {message}");
        let after = run.games();
        assert!(before.iter().all(|(key, games)| after.get(key) == Some(games)));
        assert_eq!(run.state().step, state.step, "a checkpoint that is not whole");
    }
    run.finish();
    run.check_end();
}

/// Resumes a run whose files may not grow beyond a size, as on a disk that fills up.
fn with_small_files(run: &Run, blocks: u32) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_train")]).args(run.arguments());
    command.output().unwrap()
}

#[test]
fn damaged_game_files_are_set_aside_and_the_run_goes_on() {
    let run = Run::new(&[]);
    run.finish();
    // As if the run had been stopped in the middle, and some of its files damaged since.
    let state = run.state();
    run.set_budget(state.positions + 200);
    let games = run.folder.join("games");
    let file = |key: GameKey| games.join(format!("{key:010}.games"));
    let keys = run.store().keys().unwrap();
    // Files that the window needs: older ones are not read.
    let [.., before, last] = keys.as_slice() else { panic!("{keys:?}") };
    let whole = std::fs::read(file(*before)).unwrap();
    std::fs::write(file(*before), "no games").unwrap();
    std::fs::write(file(*last), &whole[..whole.len() / 2]).unwrap();
    let next = last + 1;
    std::fs::write(file(next), "").unwrap();
    run.finish();
    for key in [*before, *last, next] {
        assert!(file(key).with_extension("damaged").exists() && !file(key).exists());
    }
    let end = run.state();
    assert!(end.positions >= state.positions + 200);
    assert_eq!(end.step, run.config().learning.steps_at(end.positions));
    let left = run.store().keys().unwrap();
    assert!(!left.contains(&next) && left.contains(&(next + 1)), "its number is not given again");
    let new =
        left.iter().filter(|&&key| key > next).flat_map(|&key| run.store().read(key).unwrap());
    let new: Vec<usize> = new.map(|game| game.rows()).collect();
    assert_eq!(end.games - state.games, new.len() as u64);
    assert_eq!(end.positions - state.positions, new.iter().sum::<usize>() as u64);
}

#[test]
fn damaged_checkpoints_are_set_aside_for_the_one_before() {
    let run = Run::new(&[]);
    run.finish();
    for damaged in ["learner.safetensors", "state.toml"] {
        let state = run.state();
        run.set_budget(state.positions + 100);
        let newest = run.folder.join(format!("checkpoints/{:08}", state.step));
        let whole = std::fs::read(newest.join(damaged)).unwrap();
        std::fs::write(newest.join(damaged), &whole[..whole.len() / 2]).unwrap();
        run.finish();
        assert!(newest.with_extension("damaged").exists(), "{damaged}");
        run.check_end();
    }
    // With none intact the run stops, and touches nothing.
    let checkpoints = run.folder.join("checkpoints");
    let names = || {
        let entries = std::fs::read_dir(&checkpoints).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<HashSet<_>>()
    };
    for name in names() {
        let learner = checkpoints.join(name).join("learner.safetensors");
        if learner.exists() {
            std::fs::write(learner, "nothing").unwrap();
        }
    }
    let before = names();
    assert!(!run.start().wait().unwrap().success());
    assert_eq!(names(), before);
    // Nor does it begin from nothing where the learner's states are missing.
    for name in names() {
        let learner = checkpoints.join(name).join("learner.safetensors");
        if learner.exists() {
            std::fs::remove_file(learner).unwrap();
        }
    }
    assert!(!run.start().wait().unwrap().success());
    assert_eq!(names(), before);
}

#[test]
fn a_run_in_use_is_refused() {
    let run = Run::new(&[]);
    let config = RunConfig::load(&configuration(), &[]).unwrap();
    let _held = RunFolder::create(&run.folder, &config).unwrap();
    assert!(!run.start().wait().unwrap().success());
    assert!(matches!(RunFolder::resume(&run.folder), Err(RunError::InUse(_))));
}

/// A time of day that jumps by years at every call, even before 1970. Monotonic clocks are left alone.
#[cfg(target_os = "linux")]
const JUMPING_CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
static long jump(void) {
    static unsigned looks;
    return ((long)(looks++ % 7) - 3) * 1000000000L;
}
int clock_gettime(clockid_t id, struct timespec *t) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(id, t);
    if (id == CLOCK_REALTIME) t->tv_sec += jump();
    return done;
}
int gettimeofday(struct timeval *t, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = 0;
    return 0;
}
time_t time(time_t *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_wall_clock_that_jumps_changes_nothing() {
    let run = Run::new(&[]);
    let home = run.folder.parent().unwrap();
    let (source, library) = (home.join("clock.c"), home.join("clock.so"));
    std::fs::write(&source, JUMPING_CLOCK).unwrap();
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(compiled.unwrap().success(), "a C compiler is needed, as for building");
    let start = Instant::now();
    for budget in [None, Some(500)] {
        if let Some(positions) = budget {
            // Nor do files dated in the past or the future.
            for (years, key) in run.store().keys().unwrap().into_iter().enumerate() {
                let path = run.folder.join(format!("games/{key:010}.games"));
                let time =
                    std::time::UNIX_EPOCH + Duration::from_secs(years as u64 * 1_000_000_000);
                std::fs::File::options()
                    .write(true)
                    .open(path)
                    .unwrap()
                    .set_modified(time)
                    .unwrap();
            }
            run.set_budget(positions);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
        let output = command.args(run.arguments()).env("LD_PRELOAD", &library).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        run.check_end();
        let seconds = run.state().seconds;
        assert!(seconds > 0.0 && seconds < start.elapsed().as_secs_f64(), "{seconds}");
    }
}

//! Runs that are killed and gone on with.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selfplay::GameStore;
use train::{RunConfig, RunError, RunFolder, RunState};

fn configuration() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml")
}

fn trainer(run: &Path, resume: bool) -> Child {
    let config = configuration();
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    command.arg("--run").arg(run).arg("--quiet").stdout(Stdio::null());
    if resume {
        command.arg("--resume");
    } else {
        command.arg("--config").arg(config);
    }
    command.spawn().unwrap()
}

/// Goes on with the run, or begins it if the kill came before there was one.
fn go_on(run: &Path) -> Child {
    trainer(run, run.join("config.toml").exists())
}

fn final_state(run: &Path) -> RunState {
    let folder = RunFolder::resume(run).unwrap();
    folder.latest().unwrap().unwrap().1
}

#[test]
fn killed_runs_use_every_recorded_game_once_and_end_where_they_should() {
    kill_and_go_on(6);
}

#[test]
#[ignore = "takes minutes"]
fn so_do_runs_that_are_killed_25_times() {
    kill_and_go_on(25);
}

#[test]
fn a_damaged_game_file_is_set_aside_and_the_run_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    assert!(trainer(&run, false).wait().unwrap().success());
    let positions = final_state(&run).positions;
    // As if the run had been stopped in the middle, with one of its files gone bad since.
    let config = RunFolder::config_of(&run);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("positions = 300", "positions = 400")).unwrap();
    let games = run.join("games");
    let first = GameStore::open(&games).unwrap().keys().unwrap()[0];
    std::fs::write(games.join(format!("{first:010}.games")), "no games").unwrap();
    assert!(trainer(&run, true).wait().unwrap().success());
    assert!(games.join(format!("{first:010}.damaged")).exists());
    assert!(final_state(&run).positions >= 400.max(positions));
}

#[test]
fn a_run_in_use_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    let config = RunConfig::load(&configuration(), &[]).unwrap();
    let _held = RunFolder::create(&run, &config).unwrap();
    assert!(!trainer(&run, true).wait().unwrap().success());
    assert!(matches!(RunFolder::resume(&run), Err(RunError::InUse(_))));
}

fn kill_and_go_on(kills: usize) {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..kills {
        let mut child = go_on(&run);
        std::thread::sleep(Duration::from_millis(random.random_range(50..2500)));
        // SIGKILL; a run that has ended already is no worse a case.
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(go_on(&run).wait().unwrap().success());

    let state = final_state(&run);
    let config = RunConfig::load(&RunFolder::config_of(&run), &[]).unwrap();
    assert!(state.positions >= config.budget.positions.unwrap());
    assert_eq!(state.step, config.learning.steps_at(state.positions));

    let store = GameStore::open(&run.join("games")).unwrap();
    let keys = store.keys().unwrap();
    assert_eq!(keys.iter().collect::<HashSet<_>>(), state.used.iter().collect());
    assert_eq!(state.used.len(), keys.len(), "a game file was used twice");
    let games: Vec<_> = keys.iter().flat_map(|&key| store.read(key).unwrap()).collect();
    assert_eq!(state.games as usize, games.len());
    assert_eq!(state.positions as usize, games.iter().map(|game| game.rows()).sum::<usize>());
    let seeds: HashSet<u64> = games.iter().map(|game| game.seed).collect();
    assert_eq!(seeds.len(), games.len(), "a game was recorded twice");
}

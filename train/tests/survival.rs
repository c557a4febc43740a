//! Runs that are killed and gone on with.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selfplay::GameStore;
use train::{RunConfig, RunFolder, RunState};

const KILLS: usize = 6;

fn trainer(run: &Path, resume: bool) -> Child {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml");
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
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..KILLS {
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

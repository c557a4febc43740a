//! Runs that go on from the state of another one.

use super::*;

#[test]
fn a_fork_plays_other_games_and_has_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let [run, fork, other] = ["run", "fork", "other"].map(|name| folder.path().join(name));
    let mut training = smoke(&run, &["evaluation.every=0"]);
    phases(&mut training, 2);
    drop(training);
    let forked = |root: &Path, changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
        RunFolder::fork(&run, root, |_| config).map(drop)
    };
    for (change, problem) in
        [("network.channels=32", "network.channels"), ("budget.positions=20", "budget.positions")]
    {
        let error = forked(&other, &[change]).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
        assert!(!other.exists(), "nothing is left to be removed");
    }
    forked(&fork, &["budget.positions=2000"]).unwrap();
    let seeds = |root: &Path| -> Vec<u64> {
        let store = GameStore::open(&root.join("games")).unwrap();
        let games = store.keys().unwrap().into_iter().flat_map(|key| store.read(key).unwrap());
        games.map(|game| game.seed).collect()
    };
    let before = seeds(&run);
    let mut training = Training::resume(&fork, OPTIONS).unwrap();
    assert!(training.announcement().contains(" begun: "), "{}", training.announcement());
    training.play().unwrap();
    let after = seeds(&fork).split_off(before.len());
    assert!(!after.is_empty() && after.iter().all(|seed| !before.contains(seed)));
}

/// Such is the folder of a learner whose games are in a store.
#[test]
fn without_its_games_a_run_is_neither_forked_nor_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let [run, fork] = ["run", "fork"].map(|name| folder.path().join(name));
    phases(&mut smoke(&run, &["evaluation.every=0"]), 1);
    std::fs::remove_dir_all(run.join("games")).unwrap();
    let changes = ["budget.positions=2000".to_owned()];
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    let forked = RunFolder::fork(&run, &fork, |_| config).err().unwrap();
    assert!(!fork.exists(), "nothing is left to be removed");
    let resumed = Training::resume(&run, OPTIONS).err().unwrap();
    for refused in [forked, resumed] {
        assert!(matches!(refused, TrainError::Run(RunError::NoGames(_))), "{refused}");
        assert!(refused.to_string().contains("fleet fetch --run"), "{refused}");
    }
}

#[test]
fn what_an_interrupted_fork_has_left_is_not_taken_for_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let [run, other, fork] = ["run", "other", "fork"].map(|name| folder.path().join(name));
    for (root, count) in [(&run, 1), (&other, 2)] {
        phases(&mut smoke(root, &["evaluation.every=0"]), count);
    }
    let changes = ["budget.positions=2000".to_owned()];
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    let forked = |from: &Path| RunFolder::fork(from, &fork, |_| config.clone()).map(drop);
    let interrupt = || std::fs::remove_file(RunFolder::config_of(&fork)).unwrap();
    let is_leftover = |error: &TrainError| matches!(error, TrainError::Run(RunError::Leftover(_)));
    forked(&other).unwrap();
    interrupt();
    assert!(is_leftover(&forked(&run).unwrap_err()), "its checkpoint is a later one");
    forked(&other).unwrap();
    interrupt();
    // As if it had been killed before it had a checkpoint.
    std::fs::remove_dir_all(fork.join("checkpoints")).unwrap();
    assert!(is_leftover(&forked(&run).unwrap_err()), "it has other games");
    let begun = Training::begin(&fork, config.clone(), OPTIONS, None).err().unwrap();
    assert!(is_leftover(&begun), "{begun}");
    forked(&other).unwrap();
}

#[test]
fn a_fork_may_learn_other_rules_on_another_board() {
    let folder = tempfile::tempdir().unwrap();
    let [run, fork] = ["run", "fork"].map(|name| folder.path().join(name));
    let mut training = smoke(&run, &["evaluation.every=0"]);
    phases(&mut training, 1);
    drop(training);
    let changes = ["rules=tile", "size=5", "budget.positions=4000", "evaluation.every=0.01"]
        .map(str::to_owned);
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    RunFolder::fork(&run, &fork, |_| config).map(drop).unwrap();
    let mut training = Training::resume(&fork, OPTIONS).unwrap();
    let before = training.state.rated.clone();
    phases(&mut training, 1);
    assert!(training.rate_if_due(true).unwrap());
    assert_eq!(training.state.rated.len(), before.len() + 1, "it beats what it began with or not");
    assert_eq!(training.state.rated[..before.len()], before);
}

/// The other run has played one of two sizes for so long that the second would take many phases to
/// have as many positions.
#[test]
fn a_fork_with_other_sizes_plays_all_of_them_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let [run, fork] = ["run", "fork"].map(|name| folder.path().join(name));
    let longer = ["budget.positions=9000", "evaluation.every=0"];
    let mut training = smoke(&run, &longer);
    while training.state.positions < 1500 {
        phases(&mut training, 1);
    }
    drop(training);
    let text = SMOKE.replace("size = 4", "sizes = [[4, 1.0], [5, 1.0]]");
    let config = RunConfig::parse(&text, "smoke.toml", &longer.map(str::to_owned)).unwrap();
    RunFolder::fork(&run, &fork, |_| config).map(drop).unwrap();
    let mut training = Training::resume(&fork, OPTIONS).unwrap();
    assert!(training.games.windows.positions() > 0, "it goes on with the run's games");
    phases(&mut training, 2);
    let own = |size: engine::Size| training.state.kinds.own_rows_on(size);
    let played: Vec<u64> = training.rules.sizes().into_iter().map(own).collect();
    assert!(played.iter().all(|&rows| rows > 0), "{played:?}");
}

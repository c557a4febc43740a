//! Runs that go wrong, and what becomes of them.

use super::*;

const SMOKE: &str = include_str!("../../../configs/smoke.toml");

fn smoke(folder: &Path, changes: &[&str]) -> Training {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    let (device, precision) = (Device::Cpu, Precision::F32);
    Training::begin(folder, config, TrainingOptions { device, precision, quiet: true }).unwrap()
}

#[test]
fn weights_that_are_no_numbers_lead_back_to_the_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &[]);
    training.play().unwrap();
    training.learn_and_replace().unwrap();
    training.checkpoint().unwrap();
    let good = training.state.step;
    let batch = training.windows.draw(8, 0.5, 1).unwrap();
    training.learner.step(&batch, f64::INFINITY).unwrap();
    training.play().unwrap();
    let losses = training.learn().unwrap().unwrap();
    assert!(losses.total.is_finite());
    assert!(training.state.step > good);
    assert_eq!((training.state.rollbacks, training.rate_left()), (1, 0.5));
    training.server.replace(training.learner.playing_network().unwrap()).unwrap();
    training.checkpoint().unwrap();
}

#[test]
fn a_run_that_always_fails_says_so_and_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let training = smoke(folder.path(), &["learning.learning_rate=1e30"]);
    let error = training.run().unwrap_err();
    assert!(matches!(error, TrainError::Diverged { times: 3, .. }), "{error}");
    assert_eq!(error.to_string().lines().count(), 1);
    assert!(!GameStore::open(&folder.path().join("games")).unwrap().keys().unwrap().is_empty());
}

#[test]
fn a_weaker_network_is_given_up_for_the_checkpoint_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["evaluation.every=0"]);
    training.play().unwrap();
    training.learn_and_replace().unwrap();
    training.checkpoint().unwrap();
    let before = training.state.rated[0];
    training.give_up(before, -100.0).unwrap();
    assert_eq!((training.state.step, training.state.rollbacks), (0, 1));
    assert_eq!(crate::checkpoint_steps(folder.path()).unwrap(), [0]);
    training.checkpoint().unwrap();
    training.learn_and_replace().unwrap();
    training.checkpoint().unwrap();
    assert!(training.state.step > 0);
}

#[test]
fn one_run_learns_boards_of_several_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMOKE.replace("size = 4", "sizes = [[3, 1.0], [4, 1.0]]");
    let config = RunConfig::parse(&text, "smoke.toml", &[]).unwrap();
    let (device, precision) = (Device::Cpu, Precision::F32);
    let options = TrainingOptions { device, precision, quiet: true };
    Training::begin(folder.path(), config, options).unwrap().run().unwrap();
    let card = Card::load(&crate::model_folder(folder.path()).unwrap()).unwrap();
    assert_eq!(card.sizes, [3, 4]);
}

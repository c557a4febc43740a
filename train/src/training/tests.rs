//! Runs that go wrong, and what becomes of them.

use super::*;

const SMOKE: &str = include_str!("../../../configs/smoke.toml");

fn smoke(folder: &Path, changes: &[&str]) -> Training {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    let (device, precision) = (Device::Cpu, Precision::F32);
    Training::begin(folder, config, TrainingOptions { device, precision, quiet: true }, None)
        .unwrap()
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
    let learnt = training.learn().unwrap().unwrap();
    assert!(learnt.losses.total.is_finite());
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
fn every_figure_of_a_run_is_written_where_progress_looks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let changes =
        ["learning.held_out=0.2", "budget.positions=400", "evaluation.references=['uct:2']"];
    smoke(folder.path(), &changes).run().unwrap();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    for key in crate::history::keys() {
        assert!(log.contains(&format!("\"{key}\":")), "{key} is never written");
    }
    assert!(log.contains("\"elo_against/uct:2\":"));
    let shares =
        ["policy/agreement_with_search", "policy/agreement_with_last", "network/dead_units"];
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for value in shares.iter().filter_map(|&key| line.get(key)?.as_f64()) {
            assert!((0.0..=1.0).contains(&value), "{line}");
        }
    }
}

#[test]
fn held_out_games_are_never_learnt_from_but_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["learning.held_out=0.4"]);
    training.play().unwrap();
    let (seen, unseen) = (training.windows.positions(), training.held_out.positions());
    assert!(seen > 0 && unseen > 0);
    assert_eq!((seen + unseen) as u64, training.state.positions);
    // A resumed run holds out the same games.
    training.learn().unwrap();
    training.checkpoint().unwrap();
    drop(training);
    let (device, precision) = (Device::Cpu, Precision::F32);
    let options = TrainingOptions { device, precision, quiet: true };
    let resumed = Training::resume(folder.path(), options).unwrap();
    assert_eq!(resumed.windows.positions(), seen);
    assert_eq!(resumed.held_out.positions(), unseen);
}

#[test]
fn beside_learning_every_game_counts_once_and_all_is_learnt_from_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    // The matches of so small a run may say anything: it is not to go back because of them.
    let training = smoke(folder.path(), &["overlap=true", "evaluation.largest_loss=0"]);
    let learning = training.config.learning.clone();
    let state = training.run().unwrap();
    let store = GameStore::open(&folder.path().join("games")).unwrap();
    let keys = store.keys().unwrap();
    assert_eq!(state.used, keys);
    let games: Vec<_> = keys.iter().flat_map(|&key| store.read(key).unwrap()).collect();
    assert_eq!(state.games as usize, games.len());
    assert_eq!(state.positions as usize, games.iter().map(GameRecord::rows).sum::<usize>());
    assert_eq!(state.step, learning.steps_at(state.positions));
    // Each phase is one file. It was played while the games of the phase before were learnt from, so by a network that
    // had learnt from those before that; a game keeps the number of the network that began it.
    let rows = |key| store.read(key).unwrap().iter().map(GameRecord::rows).sum::<usize>() as u64;
    let mut networks = Vec::new();
    for (phase, &key) in keys.iter().enumerate() {
        let learnt: u64 = keys[..phase.saturating_sub(1)].iter().map(|&key| rows(key)).sum();
        networks.push(learning.steps_at(learnt));
        for game in store.read(key).unwrap() {
            assert!(
                networks.contains(&game.model),
                "phase {phase}: {} of {networks:?}",
                game.model
            );
        }
    }
}

#[test]
fn a_learner_that_fails_stops_the_self_play_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let changes = ["overlap=true", "learning.learning_rate=1e30", "budget.positions=100000"];
    let error = smoke(folder.path(), &changes).run().unwrap_err();
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
}

#[test]
fn shuffled_targets_teach_nothing_about_positions() {
    let lost = |change: &str| {
        let folder = tempfile::tempdir().unwrap();
        let changes = [change, "learning.reuse=20", "learning.learning_rate=1e-2"];
        let mut training = smoke(folder.path(), &changes);
        training.play().unwrap();
        training.learn().unwrap();
        let batch = training.windows.sample(training.rules.size, 256, 1).unwrap();
        training.learner.examine(&batch).unwrap().losses.occupancy
    };
    let (taught, shuffled) =
        (lost("learning.shuffle_targets=false"), lost("learning.shuffle_targets=true"));
    assert!(taught + 0.1 < shuffled, "{taught} against {shuffled}");
}

#[test]
fn one_run_learns_boards_of_several_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMOKE.replace("size = 4", "sizes = [[3, 1.0], [4, 1.0]]");
    let config = RunConfig::parse(&text, "smoke.toml", &[]).unwrap();
    let (device, precision) = (Device::Cpu, Precision::F32);
    let options = TrainingOptions { device, precision, quiet: true };
    Training::begin(folder.path(), config, options, None).unwrap().run().unwrap();
    let card = Card::load(&crate::model_folder(folder.path()).unwrap()).unwrap();
    assert_eq!(card.sizes, [3, 4].map(|side| engine::Size::try_from(side).unwrap()));
}

const MIXED: &str = "[[mixture]]\nrules = ['go', 'tile', 'alter-igo']\nshare = 1.0\n[[mixture]]\ncombined = true\nshare = 1.0\n";

/// A run of several rule sets on two sizes.
fn mixed(folder: &Path, model: Option<&Path>) -> Training {
    let text = format!("held_out = 7\n{SMOKE}\n{MIXED}")
        .replace("size = 4", "sizes = [[4, 1.0], [5, 1.0]]");
    let changes =
        ["self_play.komi_share=1", "self_play.komi_step=0.5", "evaluation.panel=['go', 'tile']"];
    let config = RunConfig::parse(&text, "mixed", &changes.map(ToOwned::to_owned)).unwrap();
    let options = TrainingOptions { device: Device::Cpu, precision: Precision::F32, quiet: true };
    let beginning = model.map(|model| Beginning::read(model).unwrap());
    Training::begin(folder, config, options, beginning).unwrap()
}

#[test]
fn a_mixture_is_played_size_by_size_and_its_model_knows_what_it_has_learnt() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut training = mixed(folders[0].path(), None);
    for _ in 0..2 {
        training.play().unwrap();
        training.learn_and_replace().unwrap();
    }
    let rows = training.sizes.iter().map(|&size| training.state.kinds.rows_on(size));
    assert!(rows.min() > Some(0), "each size has had its phase");
    training.checkpoint().unwrap();
    let model = crate::model_folder(folders[0].path()).unwrap();
    let card = Card::load(&model).unwrap();
    let scope = card.scope.as_ref().unwrap();
    let rules = |text: &str| Rules::parse(text, 5).unwrap();
    assert_eq!(scope.excludes(&rules("stoical,tiles=tile,end=area")), None);
    assert!(card.check(&model, Some(&rules("cushion,komi=2"))).is_ok());
    let refused = card.check(&model, Some(&rules("go,stones_per_turn=4,suicide=false")));
    assert!(refused.unwrap_err().to_string().contains("stones_per_turn=4"));

    // Another run goes on from there, with what is known of fair games.
    let again = mixed(folders[1].path(), Some(&model));
    assert_eq!(again.state.step, 0);
    let fair = |training: &Training| -> Vec<Option<f32>> {
        let kinds = &training.state.kinds;
        let tables = ["go", "tile", "alter-igo"].map(|text| [4, 5].map(|size| (text, size)));
        let known = |(text, size)| kinds.fair(&Rules::parse(text, size).unwrap());
        tables.into_iter().flatten().map(known).collect()
    };
    assert!(fair(&training).iter().any(Option::is_some));
    assert_eq!(fair(&again), fair(&training));
}

//! Recovery of runs that go wrong, and what a run counts, keeps and learns from.

mod forks;
mod mixtures;

use arena::Estimate;
use models::{Device, Head, Precision};
use selfplay::TrainingRecord;

use super::matches::Comparison;
use super::*;
use crate::RunError;
use crate::replay::Windows;

const SMOKE: &str = include_str!("../../../configs/smoke.toml");

const OPTIONS: TrainingOptions =
    TrainingOptions { device: Device::Cpu, precision: Precision::F32, quiet: true };

fn smoke(folder: &Path, changes: &[&str]) -> Training {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let config = RunConfig::parse(SMOKE, "smoke.toml", &changes).unwrap();
    Training::begin(folder, config, OPTIONS, None).unwrap()
}

/// Plays and learns some phases with a checkpoint after each.
fn phases(training: &mut Training, count: usize) {
    for _ in 0..count {
        training.play().unwrap();
        training.learn_and_publish().unwrap();
        training.checkpoint().unwrap();
    }
}

#[test]
fn weights_that_are_no_numbers_lead_back_to_the_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &[]);
    training.play().unwrap();
    training.learn_and_publish().unwrap();
    training.checkpoint().unwrap();
    let good = training.state.step;
    let batch = training.games.windows.draw(8, 0.5, 1).unwrap();
    training.learner.step(&batch, f64::INFINITY).unwrap();
    training.play().unwrap();
    let learnt = training.learn().unwrap().unwrap();
    assert!(learnt.losses.total.is_finite());
    assert!(training.state.step > good);
    assert_eq!((training.state.rollbacks, training.rate_factor()), (1, 0.5));
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
    training.learn_and_publish().unwrap();
    training.checkpoint().unwrap();
    let before = training.state.rated[0];
    assert!(training.revert_to_rated(before, -100.0).unwrap());
    assert_eq!((training.state.step, training.state.rollbacks), (0, 1));
    assert_eq!(models::checkpoint_steps(folder.path()).unwrap(), [0]);
    training.checkpoint().unwrap();
    training.learn_and_publish().unwrap();
    training.checkpoint().unwrap();
    assert!(training.state.step > 0);
}

#[test]
fn a_rollback_halves_the_learning_rate_until_a_certain_gain() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["evaluation.every=0"]);
    phases(&mut training, 1);
    let before = training.state.rated[0];
    for factor in [0.5, 0.25] {
        assert!(training.revert_to_rated(before, -100.0).unwrap());
        assert_eq!(training.rate_factor(), factor);
    }
    let mut rate = |low| {
        phases(&mut training, 1);
        let earlier = *training.state.rated.last().unwrap();
        let gain = Estimate { low, value: 50.0, high: 90.0 };
        training.rate(earlier, Comparison { gain, error: 20.0, agreement: None }, 0.5).unwrap();
        training.rate_factor()
    };
    assert_eq!([10.0, -10.0, 10.0, 10.0].map(&mut rate), [0.5, 0.5, 1.0, 1.0]);
}

#[test]
fn a_damaged_checkpoint_is_no_way_back_and_does_not_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["evaluation.every=0"]);
    phases(&mut training, 1);
    let (before, state) = (training.state.rated[0], training.state.clone());
    let learner = RunFolder::learner_file(&training.folder.checkpoint(before.step));
    std::fs::write(learner, "nothing").unwrap();
    assert!(!training.revert_to_rated(before, -100.0).unwrap());
    assert_eq!(training.state, state);
    assert_eq!(models::checkpoint_steps(folder.path()).unwrap(), [0, state.step]);
}

/// As in a run whose games are played by others. The match is a clean sweep, without a lower end.
#[test]
fn a_loss_without_a_way_back_is_rated_and_the_earlier_checkpoint_is_preferred() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["evaluation.largest_loss=60"]);
    phases(&mut training, 1);
    let good = Rated { step: training.state.step, progress: 0.1, elo: 500.0, error: 50.0 };
    training.state.rated.push(good);
    phases(&mut training, 1);
    training.may_revert = false;
    let gain = Estimate { low: f64::NEG_INFINITY, value: -300.0, high: -100.0 };
    training.rate(good, Comparison { gain, error: 120.0, agreement: None }, 0.5).unwrap();
    let rated = *training.state.rated.last().unwrap();
    assert_eq!((rated.step, rated.progress, rated.elo), (training.state.step, 0.5, 200.0));
    assert!(rated.error == 120.0 && rated.step > good.step, "{rated:?}");
    assert_eq!(training.state.rated[1], good, "it stays as it was rated");
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert!(log.contains("\"elo\":200.0"), "{log}");
    training.checkpoint().unwrap();
    let best = models::best_model_folder(folder.path()).unwrap();
    assert_eq!(best, training.folder.checkpoint(good.step));
}

#[test]
fn a_damaged_opponent_costs_a_rating_and_not_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["evaluation.every=0.01"]);
    phases(&mut training, 1);
    let weights = folder.path().join("checkpoints/00000000/weights.safetensors");
    let half = std::fs::read(&weights).unwrap();
    std::fs::write(&weights, &half[..half.len() / 2]).unwrap();
    assert!(training.rate_if_due(true).unwrap());
    let [rated] = training.state.rated[..] else { panic!("ratings begin anew") };
    assert_eq!((rated.step, rated.elo), (training.state.step, 0.0));
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert!(log.contains("\"elo_begins_anew\":1.0"), "{log}");
}

/// Until its first checkpoint a run does not exist: it would resume from nothing.
#[test]
fn a_run_that_was_stopped_before_its_first_checkpoint_begins_again() {
    let (folder, config) = (tempfile::tempdir().unwrap(), RunConfig::parse(SMOKE, "smoke", &[]));
    let config = config.unwrap();
    let prepared = RunFolder::prepare(folder.path()).unwrap();
    drop(Training::prepare(prepared, config.clone(), OPTIONS, None).unwrap());
    let resumed = Training::resume(folder.path(), OPTIONS).err().unwrap();
    assert!(matches!(resumed, TrainError::Run(RunError::Missing(_))), "{resumed}");
    let training = Training::begin(folder.path(), config.clone(), OPTIONS, None).unwrap();
    drop(training);
    std::fs::remove_file(RunFolder::config_of(folder.path())).unwrap();
    let again = Training::begin(folder.path(), config, OPTIONS, None).err().unwrap();
    assert!(matches!(again, TrainError::Run(RunError::Leftover(_))), "{again}");
}

/// The partial last line of a log is cut off when a run writes there.
#[test]
fn files_of_somebody_else_stay_as_they_are() {
    let (folder, config) = (tempfile::tempdir().unwrap(), RunConfig::parse(SMOKE, "smoke", &[]));
    let files = ["log.jsonl", "lock"].map(|name| folder.path().join(name));
    files.iter().for_each(|file| std::fs::write(file, "mine").unwrap());
    let refused = Training::begin(folder.path(), config.unwrap(), OPTIONS, None).err().unwrap();
    assert!(matches!(refused, TrainError::Run(RunError::Leftover(_))), "{refused}");
    for file in files {
        assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
    }
}

/// Killed between its first checkpoint and its configuration.
#[test]
fn a_run_that_was_killed_while_it_began_begins_again() {
    let (folder, config) = (tempfile::tempdir().unwrap(), RunConfig::parse(SMOKE, "smoke", &[]));
    let config = config.unwrap();
    let prepared = RunFolder::prepare(folder.path()).unwrap();
    prepared.mark_beginning().unwrap();
    drop(Training::open(prepared, config.clone(), OPTIONS, None).unwrap());
    assert!(folder.path().join("checkpoints/00000000").exists());
    let begun = Training::begin(folder.path(), config, OPTIONS, None).unwrap();
    assert!(begun.announcement().contains(" begun: "), "{}", begun.announcement());
    drop(begun);
    assert!(!folder.path().join("beginning").exists());
    // Whatever curves are there.
    std::fs::remove_dir_all(folder.path().join("tensorboard")).unwrap();
    let resumed = Training::resume(folder.path(), OPTIONS).unwrap();
    assert!(resumed.announcement().contains(" resumed: "), "{}", resumed.announcement());
}

#[test]
fn every_figure_of_a_run_is_written_where_progress_looks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let changes =
        ["learning.held_out=0.2", "budget.positions=400", "evaluation.references=['uct:2']"];
    smoke(folder.path(), &changes).run().unwrap();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    // That one is only known where a game was audited.
    for key in crate::history::keys().filter(|&key| key != "games/refuted_share") {
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

/// A kill during the match would leave the phase out of the log, and after a way back its figures would
/// be those of another network.
#[test]
fn a_phase_is_in_the_log_before_the_match_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let changes = ["budget.positions=600", "evaluation.every=0.01", "evaluation.largest_loss=0"];
    smoke(folder.path(), &changes).run().unwrap();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().filter(|line| line.get("elo").is_some()).count() > 1, "{log}");
    for pair in lines.windows(2).filter(|pair| pair[1].get("elo").is_some()) {
        assert!(pair[0].get("run/positions").is_some(), "{log}");
        assert_eq!(pair[0].get("step"), pair[1].get("step"), "{log}");
    }
    assert!(lines[0].get("elo").is_none(), "{log}");
}

#[test]
fn what_a_killed_session_had_still_to_learn_is_in_the_log_of_the_next() {
    let folder = tempfile::tempdir().unwrap();
    smoke(folder.path(), &["evaluation.every=0"]).play().unwrap();
    Training::resume(folder.path(), OPTIONS).unwrap().run().unwrap();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    let first = log.lines().next().unwrap();
    assert!(first.contains("loss/policy") && !first.contains("games/length"), "{first}");
}

/// A thread asks for a position of each of its games at once, which is more than a network takes.
#[test]
fn the_mean_batch_is_what_the_network_evaluates_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["self_play.games=150", "self_play.workers=1"]);
    let (played, most) = (training.play().unwrap(), training.server.settings().max_batch);
    assert!(most < 150 && played.report.evaluations >= 150);
    let mean = played.mean_batch.unwrap();
    assert!((1.0..=most as f64).contains(&mean), "{mean} of at most {most}");
}

#[test]
fn held_out_games_are_never_learnt_from_but_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["learning.held_out=0.4"]);
    training.play().unwrap();
    let (seen, unseen) = (training.games.windows.positions(), training.games.held_out.positions());
    assert!(seen > 0 && unseen > 0);
    let store = GameStore::open(&folder.path().join("games")).unwrap();
    let games = store.keys().unwrap().into_iter().flat_map(|key| store.read(key).unwrap());
    let recorded: usize = games.map(|game| game.rows()).sum();
    assert_eq!(recorded as u64, training.state.positions);
    // If chance holds out more than its share, the oldest of those games are dropped.
    assert!(seen + unseen <= recorded);
    // A resumed run holds out the same games.
    training.learn().unwrap();
    training.checkpoint().unwrap();
    drop(training);
    let resumed = Training::resume(folder.path(), OPTIONS).unwrap();
    assert_eq!(resumed.games.windows.positions(), seen);
    assert_eq!(resumed.games.held_out.positions(), unseen);
}

#[test]
fn a_resumed_run_reads_no_more_files_than_its_window_needs() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &["learning.held_out=0.4", "learning.window=60"]);
    phases(&mut training, 16);
    let (size, share) = (training.rules.own.size, training.config.learning.held_out);
    let draws = |training: &Training| {
        let batches =
            (training.games.windows.draw(32, 0.5, 1), training.games.held_out.sample(size, 32, 2));
        (training.games.windows.positions(), training.games.held_out.positions(), batches)
    };
    // The result is as if every file had been read, and the windows shrunk afterwards.
    let games = folder.path().join("games");
    let store = GameStore::open(&games).unwrap();
    let keys = store.keys().unwrap();
    (training.games.windows, training.games.held_out) = (Windows::default(), Windows::default());
    for game in keys.iter().flat_map(|&key| store.read(key).unwrap()) {
        let held_out = crate::targets::is_held_out(&game, share);
        let windows =
            if held_out { &mut training.games.held_out } else { &mut training.games.windows };
        windows.add(crate::targets::FinishedGame::new(game).unwrap());
    }
    training.games.shrink(training.state.positions);
    let (state, all) = (training.state.clone(), draws(&training));
    drop(training);
    // The oldest files are damaged, which shows when they are read.
    for key in &keys[..2] {
        std::fs::write(games.join(format!("{key:010}.games")), "no games").unwrap();
    }
    let resumed = Training::resume(folder.path(), OPTIONS).unwrap();
    assert!(draws(&resumed) == all, "the windows are not as they were");
    assert_eq!(RunState { seconds: state.seconds, ..resumed.state }, state);
    assert_eq!(store.keys().unwrap(), keys, "nothing was set aside");
}

#[test]
fn games_that_no_checkpoint_has_counted_count_once_and_those_of_other_rules_never() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &[]);
    phases(&mut training, 2);
    let before = training.state.clone();
    // Recorded, but not counted by a checkpoint, as if the run had been killed.
    training.play().unwrap();
    let after = training.state.clone();
    drop(training);
    let store = GameStore::open(&folder.path().join("games")).unwrap();
    let mut foreign = store.read(0).unwrap();
    foreign.iter_mut().for_each(|game| game.rules = "go".to_owned());
    let mut wrong = store.read(0).unwrap();
    wrong.iter_mut().for_each(|game| game.turns[0].root_value = f32::NAN);
    store.write(after.used_below, &foreign).unwrap();
    store.write(after.used_below + 1, &wrong).unwrap();
    let uncounted = (before.used_below..after.used_below).flat_map(|key| store.read(key).unwrap());
    let simulations = |game: TrainingRecord| -> u64 {
        game.turns.iter().map(|turn| u64::from(turn.simulations)).sum()
    };
    let evaluations = before.evaluations + uncounted.map(simulations).sum::<u64>();
    for _ in 0..2 {
        let resumed = Training::resume(folder.path(), OPTIONS).unwrap();
        let state = &resumed.state;
        assert_eq!((state.positions, state.games), (after.positions, after.games));
        assert_eq!((&state.kinds, state.used_below), (&after.kinds, after.used_below + 2));
        assert!(after.positions > before.positions && state.step == before.step);
        assert!(evaluations > before.evaluations && state.evaluations == evaluations);
    }
}

#[test]
fn a_session_plays_new_games_although_the_curves_of_the_last_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    phases(&mut smoke(folder.path(), &[]), 1);
    std::fs::remove_dir_all(folder.path().join("tensorboard")).unwrap();
    phases(&mut Training::resume(folder.path(), OPTIONS).unwrap(), 1);
    let store = GameStore::open(&folder.path().join("games")).unwrap();
    let games = store.keys().unwrap().into_iter().flat_map(|key| store.read(key).unwrap());
    let mut seeds: Vec<u64> = games.map(|game| game.seed).collect();
    let all = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), all, "a game was played twice");
}

#[test]
fn a_run_that_lists_its_files_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = smoke(folder.path(), &[]);
    phases(&mut training, 2);
    let state = training.state.clone();
    let file = training.folder.checkpoint(state.step).join("state.toml");
    drop(training);
    let text = std::fs::read_to_string(&file).unwrap();
    let keys: Vec<u64> = (0..state.used_below).collect();
    let mark = format!("used_below = {}", state.used_below);
    let old: Vec<&str> =
        text.lines().skip(1).filter(|line| !line.starts_with("forgiven")).collect();
    let old = old.join("\n").replace(&mark, &format!("used = {keys:?}"));
    assert!(old.contains("used = [0"), "{old}");
    std::fs::write(&file, old).unwrap();
    let resumed = Training::resume(folder.path(), OPTIONS).unwrap();
    assert_eq!(RunState { seconds: state.seconds, ..resumed.state }, state);
}

#[test]
fn more_steps_than_may_be_owed_are_skipped_for_good() {
    let folder = tempfile::tempdir().unwrap();
    // Eight games that end at the same time are several of these small phases.
    let mut training = smoke(folder.path(), &["learning.phases_owed=6"]);
    let most = training.config.learning.max_steps();
    for _ in 0..12 {
        training.play().unwrap();
    }
    training.learn().unwrap();
    let state = &training.state;
    let due = training.config.learning.steps_at(state.positions);
    assert_eq!((state.step, state.step + state.skipped_steps), (most, due));
    assert!(state.reuse(&training.config.learning) < 0.9);
    let (step, skipped) = (state.step, state.skipped_steps);
    training.checkpoint().unwrap();
    drop(training);
    let mut resumed = Training::resume(folder.path(), OPTIONS).unwrap();
    assert!(resumed.learn().unwrap().is_none());
    assert_eq!((resumed.state.step, resumed.state.skipped_steps), (step, skipped));
    phases(&mut resumed, 1);
    let state = &resumed.state;
    assert_eq!(state.skipped_steps, skipped);
    assert_eq!(state.step + skipped, resumed.config.learning.steps_at(state.positions));
}

#[test]
fn beside_learning_every_game_counts_once_and_all_is_learnt_from_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    // The matches of so small a run are noise: it must not go back because of them.
    let training = smoke(folder.path(), &["overlap=true", "evaluation.largest_loss=0"]);
    let learning = training.config.learning.clone();
    let state = training.run().unwrap();
    let store = GameStore::open(&folder.path().join("games")).unwrap();
    let keys = store.keys().unwrap();
    assert_eq!(Some(state.used_below - 1), keys.last().copied());
    let games: Vec<_> = keys.iter().flat_map(|&key| store.read(key).unwrap()).collect();
    assert_eq!(state.games as usize, games.len());
    assert_eq!(state.positions as usize, games.iter().map(TrainingRecord::rows).sum::<usize>());
    assert_eq!((state.step, state.skipped_steps), (learning.steps_at(state.positions), 0));
    // Each phase is one file. It was played while the games of the previous phase were learnt from,
    // so by a network that had learnt from those before that; a game keeps the number of the
    // network that began it.
    let rows =
        |key| store.read(key).unwrap().iter().map(TrainingRecord::rows).sum::<usize>() as u64;
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

/// The phase would take days.
#[test]
fn self_play_ends_with_the_minutes_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let changes = ["budget={minutes=0.0001}", "learning.positions_per_phase=1000000000"];
    let mut training = smoke(folder.path(), &changes);
    let played = training.play().unwrap();
    assert!(played.statistics.rows() < 1_000, "{}", played.statistics.rows());
    training.learn_and_publish().unwrap();
    training.report(&played, None).unwrap();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert_eq!(log.contains("games/length"), training.state.games > 0, "{log}");
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
        let batch = training.games.windows.sample(training.rules.own.size, 256, 1).unwrap();
        training.learner.diagnose(&batch).unwrap().losses[Head::Occupancy]
    };
    let (taught, shuffled) =
        (lost("learning.shuffle_targets=false"), lost("learning.shuffle_targets=true"));
    assert!(taught + 0.1 < shuffled, "{taught} against {shuffled}");
}

//! Learning works, resumes exactly, and survives bad numbers.
#![allow(clippy::unwrap_used)]

mod common;

use common::learning::{batch, learner};
use common::{SMALL, rules};
use engine::{Encoding, Position};
use models::{
    Architecture, Card, Device, Head, Learner, LearnerSettings, ModelError, OptimizerKind,
    Precision, Server, StoredModel, load,
};
use search::Evaluator;

#[test]
fn a_small_batch_is_learnt_by_heart() {
    for precision in [Precision::F32, Precision::Bf16] {
        let mut learner = learner(precision, 1);
        let batch = batch(5, 16);
        let first = learner.step(&batch, 5e-3).unwrap();
        let mut last = first;
        for _ in 0..80 {
            last = learner.step(&batch, 5e-3).unwrap();
        }
        assert!(first.policy > 2.0 && last.policy < 0.3, "{precision}: {first:?} to {last:?}");
        let begun = [(Head::Reply, 2.0), (Head::Future, 1.0), (Head::RuleBinds, 0.5)];
        for (head, least) in begun {
            assert!(first[head] > least, "{precision}, {head:?}: {first:?}");
        }
        let learnt = [
            (Head::Value, 0.05),
            (Head::Occupancy, 0.05),
            (Head::SoftPolicy, 0.3),
            (Head::Reply, 0.3),
            (Head::ShortTerm, 0.3),
            (Head::Margin, 0.15),
            (Head::Plies, first[Head::Plies] / 2.0),
            (Head::Future, 0.1),
            (Head::RuleBinds, 0.3),
        ];
        for (head, most) in learnt {
            assert!(last[head] < most, "{precision}, {head:?}: {last:?}");
        }
        assert_eq!(learner.steps(), 81);
    }
}

#[test]
fn muon_learns_it_too_and_resumes_exactly() {
    let settings = LearnerSettings {
        optimizer: OptimizerKind::Muon,
        threads: 1,
        ..LearnerSettings::default()
    };
    let fresh = |seed| Learner::new(&SMALL, Device::Cpu, Precision::F32, settings, seed).unwrap();
    let (mut learner, batch) = (fresh(1), batch(5, 16));
    let first = learner.step(&batch, 5e-3).unwrap();
    let mut last = first;
    for _ in 0..80 {
        last = learner.step(&batch, 5e-3).unwrap();
    }
    assert!(first.policy > 2.0 && last.policy < 0.3, "{first:?} to {last:?}");
    assert!(last[Head::Value] < 0.05 && last[Head::Occupancy] < 0.05, "{last:?}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("learner.safetensors");
    learner.save(&file).unwrap();
    let mut resumed = fresh(2);
    resumed.restore(&file).unwrap();
    assert_eq!(resumed.step(&batch, 1e-3).unwrap(), learner.step(&batch, 1e-3).unwrap());
}

#[test]
fn diagnostics_tell_how_the_network_is_and_teach_nothing() {
    let settings = |threads| LearnerSettings { threads, ..LearnerSettings::default() };
    let fresh =
        |threads| Learner::new(&SMALL, Device::Cpu, Precision::F32, settings(threads), 1).unwrap();
    let (mut learner, batch) = (fresh(1), batch(5, 16));
    let before = learner.diagnose(&batch).unwrap();
    assert_eq!(learner.diagnose(&batch).unwrap(), before);
    assert!(before.policy_entropy > 2.0 && before.policy_agreement < 0.5, "{before:?}");
    assert!((0.0..0.25).contains(&before.dead_units), "{before:?}");
    let split = fresh(3).diagnose(&batch).unwrap();
    assert!((split.losses.total - before.losses.total).abs() < 1e-4, "{split:?}");
    assert!((split.policy_entropy - before.policy_entropy).abs() < 1e-4, "{split:?}");
    assert_eq!(split.policy_agreement, before.policy_agreement);
    assert_eq!(split.dead_units, before.dead_units);
    let first = learner.step(&batch, 5e-3).unwrap();
    assert!((first.policy - before.losses.policy).abs() < 1e-5);
    for _ in 0..80 {
        learner.step(&batch, 5e-3).unwrap();
    }
    let after = learner.diagnose(&batch).unwrap();
    assert!(after.policy_entropy < 0.5 && after.policy_agreement > 0.9, "{after:?}");
    // Steps that are far too long kill units.
    for _ in 0..10 {
        learner.step(&batch, 0.3).unwrap();
    }
    let ruined = learner.diagnose(&batch).unwrap();
    assert!(ruined.dead_units > after.dead_units + 0.2, "{after:?}, {ruined:?}");
}

#[test]
fn what_is_learnt_reaches_the_player_who_moves() {
    let mut learner = learner(Precision::F32, 1);
    let batch = batch(5, 16);
    for _ in 0..120 {
        learner.step(&batch, 5e-3).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    learner.export(folder.path(), &Card::new(&rules(5), &SMALL, 120)).unwrap();
    let network = load(folder.path(), Some(&rules(5))).unwrap();
    let server = Server::start(network, common::server_settings(1)).unwrap();
    let positions = common::positions(5, 16);
    let evaluations = server.client().evaluate(&positions.iter().collect::<Vec<_>>()).unwrap();
    for evaluation in evaluations {
        assert!(evaluation.value > 0.8, "Black wins all samples, whoever moves: {evaluation:?}");
        assert!(evaluation.policy[0].1 > 0.5, "the lowest point was the target: {evaluation:?}");
    }
}

#[test]
fn what_is_not_known_teaches_nothing() {
    let mut batch = batch(5, 8);
    let forgotten =
        [Head::Reply, Head::ShortTerm, Head::Margin, Head::Plies, Head::Future, Head::RuleBinds];
    for sample in &mut batch.samples {
        forgotten.iter().for_each(|&head| sample.targets[head].clear());
    }
    let losses = learner(Precision::F32, 1).step(&batch, 1e-3).unwrap();
    assert_eq!(forgotten.map(|head| losses[head]), [0.0; 6]);
    assert!(losses.total.is_finite() && losses.policy > 0.0 && losses[Head::SoftPolicy] > 0.0);
}

#[test]
fn one_learner_takes_boards_of_any_size() {
    let mut learner = learner(Precision::F32, 1);
    for size in [5, 7, 4] {
        learner.step(&batch(size, 4), 1e-3).unwrap();
    }
    assert_eq!(learner.steps(), 3);
}

#[test]
fn exported_weights_are_those_that_play() {
    let folder = tempfile::tempdir().unwrap();
    let mut learner = learner(Precision::F32, 1);
    learner.step(&batch(5, 4), 1e-3).unwrap();
    learner.check().unwrap();
    learner.export(folder.path(), &Card::new(&rules(5), &SMALL, 1)).unwrap();
    let bytes = std::fs::read(folder.path().join(models::WEIGHTS)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("result.weight"));
    for head in ["occupancy", "future", "rule_binds", "plies", "margin", "short_term", "other_"] {
        assert!(text.contains(head), "a learner that continues from here has {head}");
    }
    let network = load(folder.path(), Some(&rules(5))).unwrap();
    let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
    let again = Learner::from_network(&network, Device::Cpu, Precision::F32, settings).unwrap();
    assert_eq!(again.playing_network().unwrap().parameters().len(), network.parameters().len());
}

#[test]
fn what_plays_is_the_average_of_the_weights() {
    let with = |average_half_life| {
        let settings =
            LearnerSettings { average_half_life, threads: 1, ..LearnerSettings::default() };
        Learner::new(&SMALL, Device::Cpu, Precision::F32, settings, 1).unwrap()
    };
    // What plays has no part in learning, and the average of no time at all is the weights themselves.
    let (mut averaging, mut bare) = (with(1.0), with(1e-3));
    let playing = |learner: &Learner| learner.playing_network().unwrap().parameters().to_vec();
    let furthest = |one: &[f32], other: &[f32]| {
        let apart = one.iter().zip(other).map(|(one, other)| (one - other).abs());
        apart.max_by(f32::total_cmp).unwrap()
    };
    let (mut expected, batch) = (playing(&averaging), batch(5, 8));
    for step in 1..=12 {
        averaging.step(&batch, 5e-3).unwrap();
        bare.step(&batch, 5e-3).unwrap();
        let weights = playing(&bare);
        // In the first eight steps it follows more closely than by its half-life of one step.
        let keep = ((1.0 + step as f32) / (10.0 + step as f32)).min(0.5);
        for (mean, weight) in expected.iter_mut().zip(&weights) {
            *mean = keep * *mean + (1.0 - keep) * weight;
        }
        let found = playing(&averaging);
        assert!(furthest(&found, &expected) < 1e-5, "step {step}");
        assert!(furthest(&found, &weights) > 1e-4, "step {step}");
    }
    let folder = tempfile::tempdir().unwrap();
    averaging.export(folder.path(), &Card::new(&rules(5), &SMALL, 12)).unwrap();
    assert_eq!(load(folder.path(), None).unwrap().parameters(), playing(&averaging));
}

#[test]
fn a_learner_goes_on_from_a_model_with_all_its_heads() {
    let (batch, folder) = (batch(5, 16), tempfile::tempdir().unwrap());
    let mut learner = learner(Precision::F32, 1);
    for _ in 0..20 {
        learner.step(&batch, 5e-3).unwrap();
    }
    learner.export(folder.path(), &Card::new(&rules(5), &SMALL, 20)).unwrap();
    let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
    let fresh = |seed| Learner::new(&SMALL, Device::Cpu, Precision::F32, settings, seed).unwrap();
    let mut again = fresh(7);
    let stored = || StoredModel::read(folder.path()).unwrap();
    again.continue_from(&stored()).unwrap();
    assert_eq!(again.steps(), 0);
    let weights = || std::fs::read(folder.path().join(models::WEIGHTS)).unwrap();
    let (card, before) = (Card::new(&rules(5), &SMALL, 20), weights());
    again.export(folder.path(), &card).unwrap();
    assert_eq!(weights(), before);

    // Weights without the heads are accepted too.
    let network = load(folder.path(), None).unwrap();
    models::save(folder.path(), &network, &card).unwrap();
    let (mut without, played) = (fresh(7), weights());
    without.continue_from(&stored()).unwrap();
    models::save(folder.path(), &without.playing_network().unwrap(), &card).unwrap();
    assert_eq!(weights(), played);
}

#[test]
fn a_larger_network_goes_on_from_a_model_and_computes_the_same_until_it_learns() {
    let (batch, folder) = (batch(5, 16), tempfile::tempdir().unwrap());
    let mut small = learner(Precision::F32, 1);
    for _ in 0..20 {
        small.step(&batch, 5e-3).unwrap();
    }
    small.export(folder.path(), &Card::new(&rules(5), &SMALL, 20)).unwrap();
    let stored = || StoredModel::read(folder.path()).unwrap();
    let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
    let fresh = |architecture| {
        Learner::new(&architecture, Device::Cpu, Precision::F32, settings, 7).unwrap()
    };
    let deeper = Architecture { blocks: SMALL.blocks + 3, ..SMALL };
    let wider = Architecture { channels: SMALL.channels + 24, ..SMALL };
    let both = Architecture { channels: wider.channels, ..deeper };
    let losses = |learner: &Learner| {
        let losses = learner.diagnose(&batch).unwrap().losses;
        let mut all = vec![losses.total, losses.policy];
        all.extend(Head::ALL.map(|head| losses[head]));
        all
    };
    // Equal but for the order in which a larger network sums.
    let furthest = |one: &[f32], other: &[f32]| {
        let apart = one.iter().zip(other).map(|(one, other)| (one - other).abs());
        apart.max_by(f32::total_cmp).unwrap()
    };
    let mut same = fresh(SMALL);
    same.continue_from(&stored()).unwrap();
    let expected = losses(&same);
    for architecture in [deeper, wider, both] {
        let mut large = fresh(architecture);
        assert!(furthest(&losses(&large), &expected) > 0.1);
        large.continue_from(&stored()).unwrap();
        assert!(furthest(&losses(&large), &expected) < 1e-4, "{architecture:?}");
        // What is new takes part in learning: without it, this network would learn what the small one does.
        for learner in [&mut same, &mut large] {
            learner.continue_from(&stored()).unwrap();
            learner.step(&batch, 1e-3).unwrap();
            learner.step(&batch, 1e-3).unwrap();
        }
        assert!(furthest(&losses(&large), &losses(&same)) > 1e-3, "{architecture:?}");
    }
    let mut smaller = fresh(Architecture { blocks: SMALL.blocks - 1, ..SMALL });
    assert!(matches!(smaller.continue_from(&stored()), Err(ModelError::TooLarge { .. })));
}

#[test]
fn weights_that_are_no_numbers_are_noticed() {
    let mut learner = learner(Precision::F32, 1);
    learner.step(&batch(5, 4), f64::INFINITY).unwrap();
    assert!(matches!(learner.check(), Err(ModelError::NotFinite { step: 1, .. })));
}

#[test]
fn resuming_is_exact() {
    for precision in [Precision::F32, Precision::Bf16] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("learner.safetensors");
        let batch = batch(5, 16);
        let mut through = learner(precision, 1);
        let mut losses = Vec::new();
        for step in 0..10 {
            if step == 5 {
                through.save(&file).unwrap();
            }
            losses.push(through.step(&batch, 1e-3).unwrap());
        }
        let mut resumed = learner(precision, 2);
        resumed.restore(&file).unwrap();
        assert_eq!(resumed.steps(), 5);
        for expected in &losses[5..] {
            assert_eq!(&resumed.step(&batch, 1e-3).unwrap(), expected);
        }
        let again = folder.path().join("again.safetensors");
        through.save(&file).unwrap();
        resumed.save(&again).unwrap();
        assert!(std::fs::read(&file).unwrap() == std::fs::read(&again).unwrap());
    }
}

#[test]
fn damaged_learner_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("learner.safetensors");
    let mut learner = learner(Precision::F32, 1);
    assert!(matches!(learner.restore(&file), Err(ModelError::Missing(_))));
    learner.save(&file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    for place in [0, 4, 9, 60, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 2;
        std::fs::write(&file, &bytes).unwrap();
        let error = learner.restore(&file).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1);
        std::fs::write(&file, &whole[..place]).unwrap();
        assert!(learner.restore(&file).is_err());
    }
    std::fs::write(&file, &whole).unwrap();
    learner.restore(&file).unwrap();
}

#[test]
fn numbers_that_are_not_finite_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    let mut learner = learner(Precision::F32, 1);
    let good = batch(5, 8);
    learner.step(&good, 1e-3).unwrap();
    learner.save(&before).unwrap();
    let mut bad = good.clone();
    bad.samples[3].encoding.globals[1] = f32::NAN;
    assert!(matches!(learner.step(&bad, 1e-3), Err(ModelError::NotFinite { step: 2, .. })));
    learner.save(&after).unwrap();
    assert!(std::fs::read(&before).unwrap() == std::fs::read(&after).unwrap());
    learner.step(&good, 1e-3).unwrap();
}

#[test]
fn contradicting_batches_are_errors() {
    let mut learner = learner(Precision::F32, 1);
    let bad =
        |result: Result<_, ModelError>| assert!(matches!(result, Err(ModelError::BadBatch(_))));
    let mut mixed = batch(5, 2);
    mixed.samples.extend(batch(7, 1).samples);
    bad(learner.step(&mixed, 1e-3));
    let mut short = batch(5, 2);
    short.samples[1].policy.pop();
    bad(learner.step(&short, 1e-3));
    let mut classes = batch(5, 2);
    classes.samples[0].targets[Head::Occupancy][3] = 3.0;
    bad(learner.step(&classes, 1e-3));
    let mut future = batch(5, 2);
    future.samples[1].targets[Head::Future].pop();
    bad(learner.step(&future, 1e-3));
    let mut empty = batch(5, 2);
    empty.samples.clear();
    bad(learner.step(&empty, 1e-3));
}

#[test]
fn the_position_and_the_sample_are_encoded_alike() {
    let position = Position::new(rules(5));
    assert_eq!(batch(5, 1).samples[0].encoding, Encoding::of(&position));
}

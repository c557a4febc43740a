//! A GPU computes and learns what a processor does. These tests need one:
//! `cargo test --release -p models --test cuda -- --ignored`.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::learning::batch;
use common::{SMALL, distance, network, positions_of_all_variants};
use engine::Position;
use models::{
    Architecture, Device, Learner, LearnerSettings, OptimizerKind, Precision, Server,
    ServerSettings, load,
};
use search::Evaluator;

fn cuda() -> Device {
    Device::choose("cuda").unwrap()
}

#[test]
#[ignore = "needs a GPU"]
fn a_gpu_evaluates_as_a_processor_does() {
    let cuda = cuda();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/released/universal");
    let network = load(Path::new(folder), None).unwrap();
    let evaluate = |device, precision, size| {
        let settings = ServerSettings { threads: 2, ..ServerSettings::new(device, precision) };
        let server = Server::start(network.clone(), settings).unwrap();
        let positions = positions_of_all_variants(size, 40);
        // Batches of several sizes, each padded.
        let parts = [1, 30, 70, positions.len()];
        let mut evaluations = Vec::new();
        for part in parts {
            let batch: Vec<&Position> = positions.iter().take(part).collect();
            evaluations.extend(server.client().evaluate(&batch).unwrap());
        }
        evaluations
    };
    for size in [3, 5, 7, 9, 13] {
        let exact = evaluate(Device::Cpu, Precision::F32, size);
        for (precision, nats, values) in
            [(Precision::F32, 1e-4, 1e-3), (Precision::Bf16, 3e-3, 0.01)]
        {
            let (divergence, difference) = distance(&exact, &evaluate(cuda, precision, size));
            println!("{size}, {precision}: {divergence:.1e} nats, values {difference:.1e}");
            assert!(divergence < nats, "{size}, {precision}: {divergence} nats");
            assert!(difference < values, "{size}, {precision}: values differ by {difference}");
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn a_replaced_network_answers_at_once() {
    let settings = ServerSettings::new(cuda(), Precision::F32);
    let server = Server::start(network(1), settings).unwrap();
    let positions = positions_of_all_variants(5, 4);
    let batch: Vec<&Position> = positions.iter().collect();
    let before = server.client().evaluate(&batch).unwrap();
    server.replace(network(2)).unwrap();
    let after = server.client().evaluate(&batch).unwrap();
    assert!(distance(&before, &after).1 > 0.01);
    let direct = Server::start(network(2), settings).unwrap();
    assert!(distance(&direct.client().evaluate(&batch).unwrap(), &after).1 < 1e-4);
}

#[test]
#[ignore = "needs a GPU"]
fn a_gpu_learns_what_a_processor_learns() {
    let batch = batch(7, 32);
    for optimizer in [OptimizerKind::AdamW, OptimizerKind::Muon] {
        let learner = |device, precision| {
            let settings = LearnerSettings { optimizer, threads: 1, ..LearnerSettings::default() };
            Learner::new(&SMALL, device, precision, settings, 1).unwrap()
        };
        let mut exact = learner(Device::Cpu, Precision::F32);
        let mut found = learner(cuda(), Precision::F32);
        let mut rounded = learner(cuda(), Precision::Bf16);
        for step in 0..60 {
            let exact = exact.step(&batch, 3e-3).unwrap();
            let (found, rounded) =
                (found.step(&batch, 3e-3).unwrap(), rounded.step(&batch, 3e-3).unwrap());
            if step == 0 {
                println!("{optimizer:?}: {exact:?}\n{found:?}\n{rounded:?}");
                assert!((exact.total - found.total).abs() < 1e-3 * exact.total);
                assert!((exact.gradient - found.gradient).abs() < 1e-2 * exact.gradient);
                assert!((exact.total - rounded.total).abs() < 1e-2 * exact.total);
            }
            if step == 59 {
                println!("{optimizer:?}: {exact:?}\n{found:?}\n{rounded:?}");
                assert!(exact.policy < 0.5 && found.policy < 0.5 && rounded.policy < 0.5);
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn what_a_gpu_has_learnt_is_saved_and_goes_on_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("learner.safetensors");
    let architecture = Architecture { blocks: 2, channels: 32 };
    let fresh = |device| {
        let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
        Learner::new(&architecture, device, Precision::F32, settings, 1).unwrap()
    };
    let (mut learner, batch) = (fresh(cuda()), batch(5, 16));
    for _ in 0..5 {
        learner.step(&batch, 1e-3).unwrap();
    }
    learner.check().unwrap();
    learner.diagnose(&batch).unwrap();
    learner.save(&file).unwrap();
    let expected = learner.step(&batch, 1e-3).unwrap();
    for device in [cuda(), Device::Cpu] {
        let mut resumed = fresh(device);
        resumed.restore(&file).unwrap();
        let found = resumed.step(&batch, 1e-3).unwrap();
        assert!((found.total - expected.total).abs() < 1e-3 * expected.total, "{device}");
    }
}

//! Arithmetic in bf16 plays like that in f32.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::learning::{batch, learner};
use common::{distance, positions, positions_of_all_variants};
use engine::Position;
use models::{Architecture, Device, Network, Precision, Server, ServerSettings, load};
use search::Evaluator;

#[test]
fn bf16_agrees_with_f32() {
    let architecture = Architecture { blocks: 3, channels: 32 };
    let fresh = Network::new(&architecture, 3).unwrap();
    assert_agreement(&fresh, &positions(7, 64), 1e-3, 0.01);
    // A network with strong preferences is more sensitive to rounding.
    let mut learner = learner(Precision::F32, 1);
    for _ in 0..60 {
        learner.step(&batch(5, 16), 5e-3).unwrap();
    }
    assert_agreement(&learner.playing_network().unwrap(), &positions(5, 64), 1e-3, 0.01);
}

#[test]
fn the_released_network_agrees_with_itself_in_bf16() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/released/universal");
    let network = load(Path::new(folder), None).unwrap();
    for size in [3, 5, 6, 7, 9, 13] {
        let difference =
            assert_agreement(&network, &positions_of_all_variants(size, 8), 3e-3, 0.01);
        assert!(difference > 0.0, "both have been computed in f32");
    }
}

/// Returns how far values are apart.
fn assert_agreement(network: &Network, positions: &[Position], nats: f32, values: f32) -> f32 {
    let batch: Vec<&Position> = positions.iter().collect();
    let evaluate = |precision| {
        let settings = ServerSettings { threads: 1, ..ServerSettings::new(Device::Cpu, precision) };
        let server = Server::start(network.clone(), settings).unwrap();
        server.client().evaluate(&batch).unwrap()
    };
    let (exact, rounded) = (evaluate(Precision::F32), evaluate(Precision::Bf16));
    let (divergence, difference) = distance(&exact, &rounded);
    println!("{divergence:.1e} nats, values {difference:.1e}");
    assert!(divergence < nats, "policies diverge by {divergence} nats");
    assert!(difference < values, "values differ by {difference}");
    difference
}

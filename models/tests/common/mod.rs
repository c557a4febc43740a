//! What the tests share: small networks, short games.
#![allow(dead_code, clippy::unwrap_used)]

use engine::{Position, Rules, Variant};
use models::{Architecture, Device, Network, Precision, ServerSettings};
use search::Evaluation;

#[cfg(feature = "libtorch")]
pub mod learning;

pub const SMALL: Architecture = Architecture { blocks: 2, channels: 16 };

pub fn rules(size: u8) -> Rules {
    Variant::ALL[0].rules(size).unwrap()
}

pub fn network(seed: u64) -> Network {
    Network::new(&SMALL, seed).unwrap()
}

/// Positions of games of arbitrary moves.
pub fn positions(size: u8, count: usize) -> Vec<Position> {
    positions_under(rules(size), count)
}

/// The same under any rules.
pub fn positions_under(rules: Rules, count: usize) -> Vec<Position> {
    let mut position = Position::new(rules);
    let mut list = Vec::new();
    let mut choice = 0;
    while list.len() < count {
        list.push(position.clone());
        let moves = position.legal_moves();
        choice = (choice + 31) % moves.len();
        position.play(moves[choice]).unwrap();
        if position.outcome().is_some() {
            position = Position::new(rules);
        }
    }
    list
}

/// The same under every variant, this many of each.
pub fn positions_of_all_variants(size: u8, count: usize) -> Vec<Position> {
    let under = |variant: Variant| positions_under(variant.rules(size).unwrap(), count);
    Variant::ALL.into_iter().flat_map(under).collect()
}

/// The mean Kullback–Leibler divergence of the policies, in nats, and the mean difference of the values.
pub fn distance(exact: &[Evaluation], found: &[Evaluation]) -> (f32, f32) {
    assert_eq!(exact.len(), found.len());
    let count = exact.len() as f32;
    let (mut divergence, mut difference) = (0.0, 0.0);
    for (exact, found) in exact.iter().zip(found) {
        let pairs = exact.policy.iter().zip(&found.policy);
        // A learnt policy has moves whose probability is 0 in f32.
        let terms = pairs.map(|(&(_, p), &(_, q))| p * (p.max(1e-20) / q.max(1e-20)).ln());
        divergence += terms.sum::<f32>() / count;
        difference += (exact.value - found.value).abs() / count;
    }
    (divergence, difference)
}

pub fn server_settings(threads: usize) -> ServerSettings {
    ServerSettings { threads, max_batch: 8, ..ServerSettings::new(Device::Cpu, Precision::F32) }
}

//! What the tests share: small networks, short games.
#![allow(dead_code, clippy::unwrap_used)]

use engine::{Position, Rules, Variant};
use models::{Architecture, Device, Network, Precision, ServerSettings};

#[cfg(feature = "libtorch")]
pub mod learning;

pub const SMALL: Architecture = Architecture { blocks: 2, channels: 16 };

pub fn rules(size: u8) -> Rules {
    Variant::ALL[0].rules(size).unwrap()
}

pub fn network(seed: u64) -> Network {
    Network::new(&SMALL, seed).unwrap()
}

/// Positions of a game of arbitrary moves.
pub fn positions(size: u8, count: usize) -> Vec<Position> {
    let mut position = Position::new(rules(size));
    let mut list = Vec::new();
    let mut choice = 0;
    while list.len() < count {
        list.push(position.clone());
        let moves = position.legal_moves();
        choice = (choice + 31) % moves.len();
        position.play(moves[choice]).unwrap();
        if position.outcome().is_some() {
            position = Position::new(rules(size));
        }
    }
    list
}

pub fn server_settings(threads: usize) -> ServerSettings {
    ServerSettings { threads, max_batch: 8, ..ServerSettings::new(Device::Cpu, Precision::F32) }
}

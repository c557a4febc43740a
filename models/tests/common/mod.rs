//! What the tests share: small networks, short games, samples.
#![allow(dead_code, clippy::unwrap_used)]

use engine::{Encoding, Move, Position, Rules, Variant, actions};
use models::{
    Architecture, Auxiliary, Device, Learner, LearnerSettings, Network, Precision, ServerSettings,
    TrainingBatch, TrainingSample,
};

pub const SMALL: Architecture = Architecture { blocks: 2, channels: 16 };

pub fn rules(size: u8) -> Rules {
    Variant::ALL[0].rules(size).unwrap()
}

pub fn network(seed: u64) -> Network {
    Network::new(&SMALL, seed).unwrap()
}

/// Positions of a game with made-up moves.
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

/// Samples whose targets can be told from the position: the lowest legal point, a win for Black.
pub fn batch(size: u8, count: usize) -> TrainingBatch {
    let samples = positions(size, count).iter().map(sample).collect();
    TrainingBatch::new(rules(size).size, samples)
}

fn sample(position: &Position) -> TrainingSample {
    let size = position.size();
    let moves = position.legal_moves();
    let mut policy = vec![0.0; actions(size)];
    let mut legal = vec![false; actions(size)];
    policy[moves[0].action(size)] = 1.0;
    moves.iter().for_each(|m: &Move| legal[m.action(size)] = true);
    let black = position.turn() == engine::Color::Black;
    let occupancy = if black { TrainingSample::MINE } else { TrainingSample::THEIRS };
    TrainingSample {
        encoding: Encoding::of(position),
        policy,
        legal,
        result: if black { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] },
        occupancy: vec![occupancy; size.area()],
        auxiliary: auxiliary(position),
    }
}

pub fn learner(precision: Precision, seed: u64) -> Learner {
    let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
    Learner::new(&SMALL, Device::Cpu, precision, settings, seed).unwrap()
}

/// What can be told of the future from whose turn it is and how many were played.
fn auxiliary(position: &Position) -> Auxiliary {
    let sign = position.turn().sign();
    let mut reply = vec![0.0; actions(position.size())];
    reply[Move::Pass.action(position.size())] = 1.0;
    Auxiliary {
        reply,
        short_term: Some([sign, 0.9 * sign, 0.8 * sign]),
        margin: Some(0.5 * sign),
        plies_left: Some(40 - u32::from(position.turns())),
        future: Some(glances(position)),
        rule_binds: Some(position.turns().is_multiple_of(2)),
    }
}

/// As if the mover's stones were everywhere soon, and nobody's later.
fn glances(position: &Position) -> [Vec<u8>; 2] {
    let points = position.size().area();
    [vec![TrainingSample::MINE; points], vec![TrainingSample::NEITHER; points]]
}

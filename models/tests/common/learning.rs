//! What there is to learn from short games.

use engine::{Encoding, Move, Position, actions};
use models::{
    Device, Head, Learner, LearnerSettings, PLIES_CLASSES, PerHead, Precision, TrainingBatch,
    TrainingSample,
};

use super::{SMALL, positions, rules};

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
    TrainingSample {
        encoding: Encoding::of(position),
        policy,
        legal,
        targets: PerHead::new(|head| target(head, position)),
    }
}

pub fn learner(precision: Precision, seed: u64) -> Learner {
    let settings = LearnerSettings { threads: 1, ..LearnerSettings::default() };
    Learner::new(&SMALL, Device::Cpu, precision, settings, seed).unwrap()
}

/// Targets derived from the player to move and the number of turns.
fn target(head: Head, position: &Position) -> Vec<f32> {
    let (sign, turns, size) = (position.turn().sign(), position.turns(), position.size());
    let one_hot = |class: usize, classes: usize| {
        let mut row = vec![0.0; classes];
        row[class] = 1.0;
        row
    };
    // Black wins, and the mover has everything or nothing.
    let mine = if sign > 0.0 { TrainingSample::MINE } else { TrainingSample::THEIRS };
    match head {
        Head::Value => one_hot(if sign > 0.0 { 0 } else { 2 }, 3),
        Head::Occupancy => vec![f32::from(mine); size.area()],
        Head::SoftPolicy => Vec::new(),
        Head::Reply => one_hot(Move::Pass.action(size), actions(size)),
        Head::ShortTerm => [1.0, 0.9, 0.8].map(|value| 0.5 + 0.5 * sign * value).to_vec(),
        Head::Margin => vec![0.5 * sign],
        Head::Plies => one_hot((40 - turns).ilog2() as usize, PLIES_CLASSES),
        // As if the mover's stones were everywhere soon, and no stones later.
        Head::Future => [1.0, 0.0, 0.0, 0.0, 0.0, 1.0].repeat(size.area()),
        Head::RuleBinds => vec![f32::from(u8::from(turns.is_multiple_of(2)))],
    }
}

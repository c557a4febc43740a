//! Evaluators without a network, for tests and the first games of a run.

use engine::{Color, Position};

use crate::split_mix::SplitMix;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// Considers every legal move equally likely and every position even.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch
            .iter()
            .map(|position| {
                let moves = position.legal_moves();
                let prior = 1.0 / moves.len() as f32;
                let policy = moves.iter().map(|&played| (played, prior)).collect();
                Evaluation { policy, value: 0.0, lead: None }
            })
            .collect())
    }
}

/// Arbitrary but repeatable: draws priors and value from a generator seeded with the position.
///
/// The seed is computed from what a player sees (stones, turn, legal moves) and not from
/// [`Position::hash`], so that stored trees survive changes to the engine's hashing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scripted {
    /// Tells evaluators apart, as if they were different networks.
    pub seed: u64,
}

impl Scripted {
    fn of(self, position: &Position) -> Evaluation {
        let size = position.size();
        let mut seed = self.seed ^ u64::from(position.turns());
        let mut fold = |word: usize| seed = SplitMix::new(seed ^ word as u64).bits();
        for color in [Color::Black, Color::White] {
            fold(1_000 + color.index());
            position.stones(color).iter().for_each(|point| fold(point.index(size)));
        }
        let moves = position.legal_moves();
        moves.iter().for_each(|played| fold(2_000 + played.action(size)));
        fold(10_000 + position.turn().index());

        let mut random = SplitMix::new(seed);
        // Cubes make some moves clearly preferred, as a network would.
        let mut cube = || {
            let unit = random.open_uniform();
            unit * unit * unit
        };
        let weights: Vec<f32> = moves.iter().map(|_| cube()).collect();
        let sum: f32 = weights.iter().sum();
        let value = 2.0 * random.open_uniform() - 1.0;
        Evaluation {
            policy: moves.iter().zip(&weights).map(|(&m, weight)| (m, weight / sum)).collect(),
            value,
            lead: Some(value * size.area() as f32 / 2.0),
        }
    }
}

impl Evaluator for Scripted {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch.iter().map(|position| self.of(position)).collect())
    }
}

/// A network that has diverged: the right number of evaluations, all NaN.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nan;

impl Evaluator for Nan {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch
            .iter()
            .map(|position| {
                let moves = position.legal_moves();
                let policy = moves.iter().map(|&played| (played, f32::NAN)).collect();
                Evaluation { policy, value: f32::NAN, lead: None }
            })
            .collect())
    }
}

//! A player that is lost.

use engine::Position;
use search::evaluators::Uniform;
use search::{Evaluation, Evaluator, EvaluatorError};

/// Knows that White wins, and nothing else.
pub struct Hopeless;

impl Evaluator for Hopeless {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Uniform.evaluate(batch)?;
        evaluations.iter_mut().for_each(|evaluation| evaluation.value = -0.99);
        Ok(evaluations)
    }
}

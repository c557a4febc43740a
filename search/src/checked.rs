//! A decorator that rejects malformed evaluations.

use engine::Position;

use crate::evaluation::check_count;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// Checks every evaluation of the inner evaluator against its position.
///
/// A search checks its evaluations anyway; this is for callers without a search, and for finding
/// out *which* layer of decorators produced a bad one.
#[derive(Clone, Debug)]
pub struct Checked<E>(pub E);

impl<E: Evaluator> Evaluator for Checked<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let evaluations = self.0.evaluate(batch)?;
        check_count(batch.len(), evaluations.len())?;
        for (position, evaluation) in batch.iter().zip(&evaluations) {
            evaluation.check(position)?;
        }
        Ok(evaluations)
    }
}

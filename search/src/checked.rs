//! A decorator that lets no malformed answer through.

use engine::Position;

use crate::evaluation::check_count;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// Checks every answer of the evaluator inside against its position.
///
/// A search checks what it is given anyway; this is for those who use evaluations without one, and
/// for finding out *which* layer of decorators first gave a bad answer.
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

//! A decorator that counts evaluations.

use engine::Position;

use crate::{Evaluation, Evaluator, EvaluatorError, Ticket};

/// Counts the batches and positions that the inner evaluator is asked for: the true cost of a
/// search.
#[derive(Clone, Debug)]
pub struct Counted<E> {
    /// The evaluator that answers.
    pub inner: E,
    /// Batches asked for so far.
    pub batches: u64,
    /// Positions asked for so far.
    pub positions: u64,
}

impl<E> Counted<E> {
    /// Starts counting at zero.
    pub fn new(inner: E) -> Self {
        Counted { inner, batches: 0, positions: 0 }
    }
}

impl<E: Evaluator> Evaluator for Counted<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.batches += 1;
        self.positions += batch.len() as u64;
        self.inner.evaluate(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        self.batches += 1;
        self.positions += batch.len() as u64;
        self.inner.begin(batch)
    }
}

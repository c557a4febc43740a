//! A decorator that counts evaluations.

use engine::Position;

use crate::{Evaluation, Evaluator, EvaluatorError, Policy, Ticket};

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

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        self.batches += 1;
        self.positions += batch.len() as u64;
        // The default would ask for whole evaluations, which may cost far more.
        self.inner.policies(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        self.batches += 1;
        self.positions += batch.len() as u64;
        self.inner.begin(batch)
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;

    use super::*;

    /// Knows policies only.
    struct OnlyPolicies;

    impl Evaluator for OnlyPolicies {
        fn evaluate(&mut self, _: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            panic!("a policy needs no whole evaluation")
        }

        fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
            Ok(batch.iter().map(|_| Policy::new()).collect())
        }
    }

    #[test]
    fn policies_are_counted_and_asked_for_as_such() {
        let start = Position::new(Rules::parse("go", 3).unwrap());
        let mut counted = Counted::new(OnlyPolicies);
        assert_eq!(counted.policies(&[&start, &start]).unwrap().len(), 2);
        assert_eq!((counted.batches, counted.positions), (1, 2));
    }
}

//! Evaluators that return nonsense cause a typed error, never a panic or a corrupt tree.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{empty_board, searched, settings};
use engine::{Move, Position, Variant};
use search::evaluators::{Nan, Scripted, Uniform};
use search::{Checked, Evaluation, Evaluator, EvaluatorError, Search, run};

/// The scripted evaluator, with its answers altered from some batch on.
struct Spoilt<F> {
    good_batches: usize,
    spoil: F,
}

impl<F: Fn(&mut Vec<Evaluation>)> Evaluator for Spoilt<F> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Scripted::default().evaluate(batch)?;
        match self.good_batches {
            0 => (self.spoil)(&mut evaluations),
            _ => self.good_batches -= 1,
        }
        Ok(evaluations)
    }
}

/// The error that a spoilt evaluator causes, both at the root and in mid-search; also checks that
/// the searches, run again with a good evaluator, end as if nothing had happened.
fn error_of(spoil: impl Fn(&mut Vec<Evaluation>)) -> EvaluatorError {
    let roots = [Variant::Go, Variant::Tile].map(|variant| empty_board(variant, 5));
    let mut last = None;
    for good_batches in [0, 1, 5] {
        let mut searches = roots.clone().map(|root| Search::new(root, settings(12, 4), 1));
        let error = run(&mut searches, &mut Spoilt { good_batches, spoil: &spoil }).unwrap_err();
        let mut checked = Checked(Spoilt { good_batches: 0, spoil: &spoil });
        let roots_together: Vec<&Position> = roots.iter().collect();
        let found = checked.evaluate(&roots_together).unwrap_err();
        assert_eq!(std::mem::discriminant(&error), std::mem::discriminant(&found));
        last = Some(error);

        run(&mut searches, &mut Scripted::default()).unwrap();
        for (search, root) in searches.iter().zip(&roots) {
            let result = searched(root.clone(), settings(12, 4), 1).result();
            assert_eq!(search.result(), result, "after {good_batches} good batches");
        }
    }
    last.unwrap()
}

#[test]
fn every_malformed_answer_is_named() {
    use EvaluatorError::{AnswerCount, Prior, PriorCount, PriorSum, Value};
    let spoil_prior = |bad: f32| move |all: &mut Vec<Evaluation>| all[1].policy[2].1 = bad;
    for bad in [f32::NAN, f32::INFINITY, -0.1] {
        assert!(matches!(error_of(spoil_prior(bad)), Prior { index: 2, .. }));
    }
    assert!(matches!(error_of(spoil_prior(0.9)), PriorSum { .. }));
    for bad in [f32::NAN, f32::NEG_INFINITY, 1.5] {
        assert!(matches!(error_of(|all| all[0].value = bad), Value { .. }));
    }
    assert!(matches!(error_of(|all| all[0].policy.push((Move::Pass, 0.0))), PriorCount { .. }));
    let too_few = error_of(|all| drop(all.pop()));
    assert!(matches!(too_few, AnswerCount { expected: 2, found: 1 }));
    assert_eq!(
        too_few.to_string(),
        "the evaluator returned 1 evaluations for a batch of 2 positions"
    );
}

#[test]
fn an_evaluator_that_knows_only_nan_is_refused() {
    let mut searches = [Search::new(empty_board(Variant::Go, 5), settings(4, 4), 0)];
    assert!(run(&mut searches, &mut Nan).is_err());
    let best = searches[0].result().best;
    assert!(searches[0].root().check_move(best).is_ok(), "there is still a move to play");
}

#[test]
fn zero_priors_are_fine() {
    /// Certain of the first legal move.
    struct Certain;
    impl Evaluator for Certain {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut evaluations = Uniform.evaluate(batch)?;
            for evaluation in &mut evaluations {
                evaluation.policy.iter_mut().for_each(|(_, prior)| *prior = 0.0);
                evaluation.policy[0].1 = 1.0;
            }
            Ok(evaluations)
        }
    }
    let mut searches = [Search::new(empty_board(Variant::Go, 5), settings(64, 8), 0)];
    run(&mut searches, &mut Certain).unwrap();
    let result = searches[0].result();
    assert_eq!(result.best, result.moves[0].played);
    assert!(result.moves.iter().all(|stats| stats.policy.is_finite()));
}

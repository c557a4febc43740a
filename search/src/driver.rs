//! The loop around the two halves.

use engine::Position;

use crate::evaluation::check_count;
use crate::{Evaluator, EvaluatorError, Leaf, Search};

/// At least so many simulations are made for each leaf that a search has in flight: with fewer, the
/// later ones would know too little of what the earlier ones found.
const SIMULATIONS_PER_LEAF: usize = 25;

/// Drives all searches to their end: one leaf of each in every batch.
///
/// # Errors
/// The first that the evaluator makes. Each search is left as it was before the leaf that failed,
/// and can be run again.
pub fn run(
    searches: &mut [Search],
    evaluator: &mut (impl Evaluator + ?Sized),
) -> Result<(), EvaluatorError> {
    run_wide(searches, evaluator, 1)
}

/// Drives all searches to their end, with several leaves of each in a batch where there are too few
/// searches to make up `batch` positions by one leaf each.
///
/// # Errors
/// As [`run`].
pub fn run_wide(
    searches: &mut [Search],
    evaluator: &mut (impl Evaluator + ?Sized),
    batch: usize,
) -> Result<(), EvaluatorError> {
    let share = batch / searches.len().max(1);
    let mut leaves: Vec<(usize, Leaf)> = Vec::new();
    loop {
        for (index, search) in searches.iter_mut().enumerate() {
            let width = share.min(search.simulations() as usize / SIMULATIONS_PER_LEAF).max(1);
            let selected = std::iter::from_fn(|| search.select()).take(width);
            leaves.extend(selected.map(|leaf| (index, leaf)));
        }
        if leaves.is_empty() {
            return Ok(());
        }
        evaluate(searches, evaluator, &mut leaves)?;
    }
}

/// Has the leaves evaluated and expands, or else abandons, each of them.
fn evaluate(
    searches: &mut [Search],
    evaluator: &mut (impl Evaluator + ?Sized),
    leaves: &mut Vec<(usize, Leaf)>,
) -> Result<(), EvaluatorError> {
    let batch: Vec<&Position> =
        leaves.iter().map(|(index, leaf)| searches[*index].position(leaf)).collect();
    let answer = evaluator.evaluate(&batch).and_then(|evaluations| {
        check_count(leaves.len(), evaluations.len())?;
        Ok(evaluations)
    });
    let mut problem = None;
    match answer {
        Ok(evaluations) => {
            for ((index, leaf), evaluation) in leaves.drain(..).zip(&evaluations) {
                let expanded = searches[index].expand(leaf, evaluation);
                problem = problem.or(expanded.err());
            }
        }
        Err(error) => {
            leaves.drain(..).for_each(|(index, leaf)| searches[index].abandon(leaf));
            problem = Some(error);
        }
    }
    problem.map_or(Ok(()), Err)
}

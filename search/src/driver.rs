//! The loop around the two halves.

use engine::Position;

use crate::evaluation::check_count;
use crate::{Evaluator, EvaluatorError, Leaf, Search};

/// Drives all searches to their end: one leaf of each in every batch.
///
/// # Errors
/// The first that the evaluator makes. Each search is left as it was before the leaf that failed,
/// and can be run again.
pub fn run(
    searches: &mut [Search],
    evaluator: &mut (impl Evaluator + ?Sized),
) -> Result<(), EvaluatorError> {
    loop {
        let leaves: Vec<(usize, Leaf)> = searches
            .iter_mut()
            .enumerate()
            .filter_map(|(index, search)| Some((index, search.select()?)))
            .collect();
        if leaves.is_empty() {
            return Ok(());
        }
        let batch: Vec<&Position> =
            leaves.iter().map(|(index, leaf)| searches[*index].position(leaf)).collect();
        let answer = evaluator.evaluate(&batch).and_then(|evaluations| {
            check_count(leaves.len(), evaluations.len())?;
            Ok(evaluations)
        });
        let mut problem = None;
        match answer {
            Ok(evaluations) => {
                for ((index, leaf), evaluation) in leaves.into_iter().zip(&evaluations) {
                    let expanded = searches[index].expand(leaf, evaluation);
                    problem = problem.or(expanded.err());
                }
            }
            Err(error) => {
                leaves.into_iter().for_each(|(index, leaf)| searches[index].abandon(leaf));
                problem = Some(error);
            }
        }
        if let Some(error) = problem {
            return Err(error);
        }
    }
}

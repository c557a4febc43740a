//! The loop around the two halves of a search.

use std::collections::VecDeque;

use engine::Position;

use crate::evaluation::check_count;
use crate::schedule::Schedule;
use crate::search::{Leaf, Search};
use crate::{Evaluation, Evaluator, EvaluatorError, Ticket};

/// Batch size for few, long searches: enough to keep a network on every core of a small machine
/// busy.
pub const LEAVES_AT_ONCE: usize = 64;

/// Minimum number of simulations per leaf in flight: with fewer, later leaves would be chosen with
/// too little knowledge of earlier ones.
const SIMULATIONS_PER_LEAF: usize = 25;

/// Runs all searches to completion, with one leaf of each in every batch.
///
/// # Errors
/// The evaluator's first error. Each search is left as it was before the failed leaf, and can be
/// run again.
pub fn run<S: Schedule>(
    searches: &mut [Search<S>],
    evaluator: &mut (impl Evaluator + ?Sized),
) -> Result<(), EvaluatorError> {
    run_batched(searches, evaluator, 1)
}

/// Runs all searches to completion, with several leaves of each in flight if one per search would
/// not fill a batch of `batch` positions. Leaves go to the evaluator in two groups (one for each
/// half of the searches, if there are more than `batch`): while it works on one group, the leaves
/// of the other are expanded and replaced.
///
/// # Errors
/// As for [`run`].
pub fn run_batched<S: Schedule>(
    searches: &mut [Search<S>],
    evaluator: &mut (impl Evaluator + ?Sized),
    batch: usize,
) -> Result<(), EvaluatorError> {
    if batch > 1 && searches.len() > batch {
        return run_in_turns(searches, evaluator);
    }
    run_together(searches, evaluator, batch, &mut |_| true)
}

/// Runs searches with `batch` positions in flight, or one per search if there are more searches,
/// while `should_continue` returns true. It is called before every batch but the first, so each
/// search has a result. The searches can be resumed later.
///
/// # Errors
/// As for [`run`].
pub fn run_while<S: Schedule>(
    searches: &mut [Search<S>],
    evaluator: &mut (impl Evaluator + ?Sized),
    batch: usize,
    should_continue: &mut dyn FnMut(&[Search<S>]) -> bool,
) -> Result<(), EvaluatorError> {
    let mut is_first = true;
    run_together(searches, evaluator, batch, &mut |searches| {
        std::mem::take(&mut is_first) || should_continue(searches)
    })
}

fn run_together<S: Schedule>(
    searches: &mut [Search<S>],
    evaluator: &mut (impl Evaluator + ?Sized),
    batch: usize,
    should_continue: &mut dyn FnMut(&[Search<S>]) -> bool,
) -> Result<(), EvaluatorError> {
    let share = batch / searches.len().max(1);
    let width =
        |search: &Search<S>| share.min(search.simulations() as usize / SIMULATIONS_PER_LEAF).max(1);
    let groups = if searches.iter().any(|search| width(search) > 1) { 2 } else { 1 };
    let mut pending: VecDeque<Batch> = VecDeque::new();
    let mut problem = None;
    let mut is_stopped = false;
    loop {
        while problem.is_none() && !is_stopped && pending.len() < groups {
            is_stopped = !should_continue(searches);
            if is_stopped {
                break;
            }
            let leaves = select(searches, |index, search| {
                let in_flight = pending.iter().flat_map(|(leaves, _)| leaves);
                let in_flight = in_flight.filter(|(other, _)| *other == index).count();
                let width = width(search);
                width.div_ceil(groups).min(width - in_flight)
            });
            let Some(ticket) = begin(searches, &leaves, evaluator) else { break };
            pending.push_back((leaves, ticket));
        }
        let Some((leaves, ticket)) = pending.pop_front() else {
            return problem.map_or(Ok(()), Err);
        };
        let expanded = expand_all(searches, leaves, ticket.wait());
        problem = problem.or(expanded.err());
    }
}

/// Runs each half of the searches, one leaf of each at a time, while the evaluator works on the
/// other half.
fn run_in_turns<S: Schedule>(
    searches: &mut [Search<S>],
    evaluator: &mut (impl Evaluator + ?Sized),
) -> Result<(), EvaluatorError> {
    let (first, second) = searches.split_at_mut(searches.len() / 2);
    let mut halves: [(&mut [Search<S>], Option<Batch>); 2] = [(first, None), (second, None)];
    let mut problem = None;
    loop {
        for (half, pending) in &mut halves {
            if let Some((leaves, ticket)) = pending.take() {
                problem = problem.or(expand_all(half, leaves, ticket.wait()).err());
            }
            if problem.is_none() {
                let leaves = select(half, |_, _| 1);
                *pending = begin(half, &leaves, evaluator).map(|ticket| (leaves, ticket));
            }
        }
        if halves.iter().all(|(_, pending)| pending.is_none()) {
            return problem.map_or(Ok(()), Err);
        }
    }
}

/// Sends leaves, if any, to the evaluator.
fn begin<S>(
    searches: &[Search<S>],
    leaves: &[SelectedLeaf],
    evaluator: &mut (impl Evaluator + ?Sized),
) -> Option<Ticket> {
    let positions: Vec<&Position> =
        leaves.iter().map(|(index, leaf)| searches[*index].position(leaf)).collect();
    (!positions.is_empty()).then(|| evaluator.begin(&positions))
}

/// A leaf and the index of its search.
type SelectedLeaf = (usize, Leaf);

/// Leaves being evaluated, and the ticket for their evaluations.
type Batch = (Vec<SelectedLeaf>, Ticket);

/// Selects the next leaves of each search: up to `width`, or as many as it has.
fn select<S: Schedule>(
    searches: &mut [Search<S>],
    width: impl Fn(usize, &Search<S>) -> usize,
) -> Vec<SelectedLeaf> {
    let mut leaves = Vec::new();
    for (index, search) in searches.iter_mut().enumerate() {
        let width = width(index, search);
        let selected = std::iter::from_fn(|| search.select()).take(width);
        leaves.extend(selected.map(|leaf| (index, leaf)));
    }
    leaves
}

/// Expands the leaves, or on failure abandons all of them.
fn expand_all<S: Schedule>(
    searches: &mut [Search<S>],
    leaves: Vec<SelectedLeaf>,
    answer: Result<Vec<Evaluation>, EvaluatorError>,
) -> Result<(), EvaluatorError> {
    let answer = answer.and_then(|evaluations| {
        check_count(leaves.len(), evaluations.len())?;
        Ok(evaluations)
    });
    match answer {
        Ok(evaluations) => {
            let mut problem = None;
            for ((index, leaf), evaluation) in leaves.into_iter().zip(&evaluations) {
                let expanded = searches[index].expand(leaf, evaluation);
                problem = problem.or(expanded.err());
            }
            problem.map_or(Ok(()), Err)
        }
        Err(error) => {
            leaves.into_iter().for_each(|(index, leaf)| searches[index].abandon(leaf));
            Err(error)
        }
    }
}

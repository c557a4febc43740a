//! Searches with an end: by time, or because nobody wants their answer any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::Position;
use search::{Evaluation, Evaluator, EvaluatorError, Search, Ticket};

use crate::player::winning_pass;
use crate::seed::chance;
use crate::{Choice, LEAVES_AT_ONCE, Occupancy, Playouts, Settings, final_occupancy};

/// Positions that are evaluated together where no search asks for them one by one.
const BATCH: usize = 64;

/// Says to a search that its answer is not wanted any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the search at its next batch.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An evaluator that refuses once the time is up. The first batch is answered in any case, so that there is an answer
/// to go by.
pub(crate) struct Guard<'a> {
    inner: &'a mut (dyn Evaluator + Send),
    until: Instant,
    cancel: Cancel,
    answered: bool,
}

/// Why a guard refuses.
#[derive(Debug, thiserror::Error)]
#[error("the time for this search is up")]
struct TimeUp;

impl<'a> Guard<'a> {
    pub fn new(inner: &'a mut (dyn Evaluator + Send), time: Duration, cancel: Cancel) -> Guard<'a> {
        Guard { inner, until: Instant::now() + time, cancel, answered: false }
    }

    fn refuses(&mut self) -> bool {
        let late = self.answered && Instant::now() >= self.until;
        self.answered = true;
        late || self.cancel.is_cancelled()
    }
}

impl Evaluator for Guard<'_> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if self.refuses() {
            return Err(EvaluatorError::Failed(Box::new(TimeUp)));
        }
        self.inner.evaluate(batch)
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Vec<f32>>, EvaluatorError> {
        if self.refuses() {
            return Err(EvaluatorError::Failed(Box::new(TimeUp)));
        }
        self.inner.policies(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        if self.refuses() {
            return Ticket::new(|| Err(EvaluatorError::Failed(Box::new(TimeUp))));
        }
        self.inner.begin(batch)
    }
}

fn is_time_up(error: &EvaluatorError) -> bool {
    match error {
        EvaluatorError::Failed(cause) => cause.is::<TimeUp>(),
        EvaluatorError::AnswerCount { .. }
        | EvaluatorError::PriorCount { .. }
        | EvaluatorError::Prior { .. }
        | EvaluatorError::PriorSum { .. }
        | EvaluatorError::Value { .. } => false,
    }
}

/// What to play in a running game. When the time is up, what has been found until then decides.
///
/// # Errors
/// The evaluator fails, or the search was cancelled.
pub(crate) fn choose(
    position: &Position,
    settings: Settings,
    guard: &mut Guard<'_>,
) -> Result<Choice, EvaluatorError> {
    if let Some(choice) = winning_pass(position) {
        return Ok(choice);
    }
    let seed = settings.seed.wrapping_add(u64::from(position.turns()));
    let mut searches = [Search::new(position.clone(), settings.search, seed)];
    match search::run_wide(&mut searches, guard, LEAVES_AT_ONCE) {
        Err(error) if !is_time_up(&error) || guard.cancel.is_cancelled() => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let [search] = searches;
    let result = search.result();
    let played = result.choose(position, settings.temperature, chance(seed));
    Ok(Choice::of(played, result))
}

/// Black's expected result in each of the positions, as the evaluator sees it at a glance; finished games exactly.
/// Fewer than there are positions if the time is up.
///
/// # Errors
/// The evaluator fails.
pub(crate) fn glance(
    positions: &[Position],
    guard: &mut Guard<'_>,
) -> Result<Vec<f32>, EvaluatorError> {
    let mut values = Vec::with_capacity(positions.len());
    for chunk in positions.chunks(BATCH) {
        let running: Vec<&Position> =
            chunk.iter().filter(|position| position.outcome().is_none()).collect();
        let evaluations = match guard.evaluate(&running) {
            Err(error) if is_time_up(&error) => break,
            other => other?,
        };
        for (position, evaluation) in running.iter().zip(&evaluations) {
            evaluation.check(position.legal_moves().len())?;
        }
        let mut answers = evaluations.iter().map(|evaluation| evaluation.value);
        values.extend(chunk.iter().map(|position| match position.outcome() {
            Some(outcome) => outcome.black_value(),
            None => answers.next().unwrap_or_default(),
        }));
    }
    Ok(values)
}

/// Who will hold each point; `None` if the time is up before the games have been played out.
///
/// # Errors
/// The evaluator fails.
pub(crate) fn foresee(
    position: &Position,
    guard: &mut Guard<'_>,
) -> Result<Option<Occupancy>, EvaluatorError> {
    match final_occupancy(position, guard, Playouts::of(position)) {
        Err(error) if is_time_up(&error) => Ok(None),
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::evaluators::Uniform;

    use super::*;
    use crate::Level;

    /// Takes a while.
    struct Slow;

    impl Evaluator for Slow {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            std::thread::sleep(Duration::from_millis(2));
            Uniform.evaluate(batch)
        }
    }

    #[test]
    fn a_search_out_of_time_plays_what_it_has_found() {
        for variant in Variant::ALL {
            let position = Position::new(variant.rules(7).unwrap());
            let settings = Settings::default().at_level(Level::STRONGEST);
            let mut slow = Slow;
            let mut guard = Guard::new(&mut slow, Duration::ZERO, Cancel::default());
            let choice = choose(&position, settings, &mut guard).unwrap();
            assert!(position.is_legal(choice.played).is_ok(), "{variant}");
            let visits: u32 = choice.candidates.iter().map(|candidate| candidate.visits).sum();
            assert!(visits < 400, "{variant}: {visits}");
            assert_eq!(foresee(&position, &mut guard).unwrap(), None);
            assert!(glance(&[position], &mut guard).unwrap().is_empty());
        }
    }

    #[test]
    fn a_cancelled_search_is_an_error() {
        let position = Position::new(Variant::ALL[0].rules(7).unwrap());
        let cancel = Cancel::default();
        cancel.cancel();
        let mut slow = Slow;
        let mut guard = Guard::new(&mut slow, Duration::from_secs(9), cancel);
        assert!(choose(&position, Settings::default(), &mut guard).is_err());
    }
}

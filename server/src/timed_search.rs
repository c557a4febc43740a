//! Searches that end at a deadline or when cancelled.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::Position;
use game::Game;
use interface::values;
use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, SearchState};

use bot::final_ownership_while;
use bot::{Choice, GenerateError, Ownership, Player, PlayoutSettings, Settings};

/// Cancels a search whose answer is no longer wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the search after its current batch.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The deadline of a search: a time, or its cancellation.
pub(crate) struct Deadline {
    moment: Instant,
    cancel: Cancel,
}

impl Deadline {
    pub fn after(time: Duration, cancel: Cancel) -> Deadline {
        Deadline { moment: Instant::now() + time, cancel }
    }

    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.moment
    }
}

/// What a [`Player`] would play in a running game. At the deadline, the best move so far is chosen.
///
/// # Errors
/// The evaluator fails.
pub(crate) fn think(
    position: Position,
    settings: Settings,
    evaluator: &mut (dyn Evaluator + Send),
    deadline: &Deadline,
) -> Result<Choice, GenerateError> {
    let mut player = Player::of_game(Game::from_position(position), evaluator, settings);
    player.think_watched(Some(&mut |_: &SearchState| match deadline.is_over() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }))
}

/// Black's expected result in each of the positions, by the raw evaluator; exact in finished games.
/// Returns fewer values than positions if time runs out.
///
/// # Errors
/// The evaluator fails.
pub(crate) fn evaluate_raw(
    positions: &[Position],
    evaluator: &mut (dyn Evaluator + Send),
    deadline: &Deadline,
) -> Result<Vec<f32>, EvaluatorError> {
    let mut found = Vec::with_capacity(positions.len());
    for chunk in positions.chunks(LEAVES_AT_ONCE) {
        if deadline.is_over() {
            break;
        }
        found.extend(values(chunk, evaluator)?);
    }
    Ok(found)
}

/// The estimated ownership of each point; `None` if time runs out before the playouts end.
///
/// # Errors
/// The evaluator fails.
pub(crate) fn estimate_ownership(
    position: &Position,
    evaluator: &mut (dyn Evaluator + Send),
    deadline: &Deadline,
) -> Result<Option<Ownership>, EvaluatorError> {
    let playouts = PlayoutSettings::of(position);
    final_ownership_while(position, evaluator, playouts, &mut || !deadline.is_over())
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::Evaluation;
    use search::evaluators::Uniform;

    use super::*;
    use bot::Level;

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
            let late = Deadline::after(Duration::ZERO, Cancel::default());
            let choice = think(position.clone(), settings, &mut Slow, &late).unwrap();
            assert!(position.check_move(choice.played).is_ok(), "{variant}");
            let visits: u32 = choice.moves.iter().map(|stats| stats.visits).sum();
            assert!(visits < 400, "{variant}: {visits}");
            assert_eq!(estimate_ownership(&position, &mut Slow, &late).unwrap(), None);
            assert!(evaluate_raw(&[position], &mut Slow, &late).unwrap().is_empty());
        }
    }

    #[test]
    fn what_is_cancelled_is_over() {
        let cancel = Cancel::default();
        let deadline = Deadline::after(Duration::from_secs(9), cancel.clone());
        assert!(!deadline.is_over());
        cancel.cancel();
        assert!(deadline.is_over());
    }
}

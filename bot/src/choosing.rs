//! How a player finds a move: the limits that apply, and the allowed moves.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use engine::Move;
use search::{Evaluator, SearchState};

use crate::choice::{Choice, GenerateError};
use crate::level::{EvaluatorChoice, Strength};
use crate::player::Player;
use crate::search_runner::{AnySearch, Limit, Watch};
use crate::seed::uniform_from_seed;
use crate::settings::Effort;

/// The fraction of a move's time that may be spent on an accompanying estimate of the final
/// ownership.
const FOR_OWNERSHIP: f32 = 0.125;

/// The most simulations that are planned where time may end a search: it would cut a longer plan
/// while all considered moves are still visited equally often.
const LONGEST_PLAN: u32 = 1024;

impl<E: Evaluator> Player<E> {
    /// The choice of the player to move. Repeating it for the same position returns the same answer
    /// at no cost.
    ///
    /// # Errors
    /// The game is over, or the evaluator failed.
    pub fn think(&mut self) -> Result<Choice, GenerateError> {
        self.think_watched(None)
    }

    /// Like [`Player::think`], with a watch that is called several times per second and may stop
    /// the search. If no search is needed, it is not called.
    ///
    /// # Errors
    /// As for [`Player::think`].
    pub fn think_watched(&mut self, watch: Option<Watch<'_>>) -> Result<Choice, GenerateError> {
        self.think_among(None, Instant::now(), watch)
    }

    /// Like [`Player::think_watched`], with the moves restricted to `only`, and time counted from
    /// `start`. The findings of a restricted search are useful only for a report about it: see
    /// [`Player::forget`].
    ///
    /// # Errors
    /// As for [`Player::think`].
    pub(crate) fn think_among(
        &mut self,
        only: Option<&[Move]>,
        start: Instant,
        watch: Option<Watch<'_>>,
    ) -> Result<Choice, GenerateError> {
        let choice = self.choose(only, Some(start), watch);
        self.thought_for = start.elapsed();
        choice
    }

    /// One batch of [`Player::think`], for callers with other work between batches: returns `None`
    /// until the search is complete, then the choice. It never looks at a clock.
    ///
    /// # Errors
    /// As for [`Player::think`].
    pub fn think_a_batch(&mut self) -> Result<Option<Choice>, GenerateError> {
        let choice =
            self.choose(None, None, Some(&mut |_: &SearchState| ControlFlow::Break(())))?;
        Ok(self.search.as_ref().is_none_or(AnySearch::is_finished).then_some(choice))
    }

    /// The best move of the player to move at full strength, whatever the settings. It does not
    /// affect the program's own moves.
    ///
    /// # Errors
    /// The game is over, or the evaluator failed.
    pub fn advise(&mut self) -> Result<Choice, GenerateError> {
        let own = (self.settings, self.search.take());
        self.settings = self.settings.at_full_strength();
        let choice = self.choose(None, None, None);
        (self.settings, self.search) = own;
        choice
    }

    /// The deadline for an estimate of the final ownership that accompanies a move, if the move's
    /// time is limited.
    pub(crate) fn ownership_deadline(&self, start: Instant) -> Option<Instant> {
        let (seconds, _) = self.allowance(self.strength().simulations);
        seconds.and_then(|seconds| moment(start, FOR_OWNERSHIP * seconds))
    }

    /// Chooses among `only`, or all legal moves, with time counted from `start` or from now.
    fn choose(
        &mut self,
        only: Option<&[Move]>,
        start: Option<Instant>,
        watch: Option<Watch<'_>>,
    ) -> Result<Choice, GenerateError> {
        self.check_running()?;
        let is_allowed = |played: Move| only.is_none_or(|only| only.contains(&played));
        if is_allowed(Move::Pass)
            && let Some(choice) = Choice::winning_pass(self.position())
        {
            // It comes from no search: what one has found so far is not what is played.
            self.search = None;
            return Ok(choice);
        }
        let Strength { evaluator, simulations, temperature } = self.strength();
        let (limit, is_open) = self.limit(simulations, start);
        let known = self.search.take();
        let mut search = match only {
            Some(only) => AnySearch::Fixed(self.fresh_search().with_allowed_moves(only.to_vec())),
            None => known
                .filter(|search| self.can_use(search, simulations, is_open))
                .unwrap_or_else(|| AnySearch::Fixed(self.fresh_search())),
        };
        if is_open {
            search = AnySearch::Open(search.open());
        }
        if !search.state().is_decided() {
            let mut no_watch = |_: &SearchState| ControlFlow::Continue(());
            let watch = watch.unwrap_or(&mut no_watch);
            let evaluator = match (evaluator, &mut self.beginner) {
                (EvaluatorChoice::Beginner, Some(beginner)) => &mut beginner.evaluator,
                (EvaluatorChoice::Beginner, None) | (EvaluatorChoice::Model, _) => {
                    &mut self.evaluator
                }
            };
            self.runner.search(&mut search, evaluator, limit, watch)?;
        }
        let state = search.state();
        let result = state.result();
        let chosen = result.choose(state.root(), temperature, uniform_from_seed(self.seed()));
        // A pass by agreement is not chosen by the search.
        let played = if is_allowed(chosen) { chosen } else { result.best };
        let choice = Choice { line: state.line_after(played), ..Choice::of(played, result) };
        self.search = Some(search);
        Ok(choice)
    }

    /// Whether the existing findings about the position are sufficient for a choice with this many
    /// simulations.
    fn can_use(&self, search: &AnySearch, simulations: u32, is_open: bool) -> bool {
        // An open-ended search may already have enough simulations; for a level, it may have too
        // many.
        let is_enough = self.settings.level.is_none() && search.state().started() >= simulations;
        is_open || !search.is_open() || is_enough
    }

    /// The limit for a search with time counted from `start` or from now, and whether it is
    /// open-ended.
    fn limit(&self, simulations: u32, start: Option<Instant>) -> (Limit, bool) {
        let (seconds, simulations) = self.allowance(simulations);
        let deadline =
            seconds.and_then(|seconds| moment(start.unwrap_or_else(Instant::now), seconds));
        let is_open = match simulations {
            Some(simulations) => deadline.is_some() && simulations > LONGEST_PLAN,
            None => true,
        };
        (Limit { simulations, deadline }, is_open || self.settings.ponders())
    }

    /// The maximum time in seconds and number of simulations for the next move, as far as they are
    /// limited.
    fn allowance(&self, simulations: u32) -> (Option<f32>, Option<u32>) {
        let position = self.position();
        let allotted = self.clock.allotment(position.turn(), position);
        let within = |seconds: f32| Some(allotted.map_or(seconds, |most| seconds.min(most)));
        match self.settings.effort {
            Effort::Simulations => (allotted, Some(simulations)),
            Effort::SimulationsWithin(seconds) => (within(seconds), Some(simulations)),
            Effort::Seconds(seconds) => (within(seconds), None),
            Effort::Clock if allotted.is_some() => (allotted, None),
            Effort::Clock => (None, Some(simulations)),
        }
    }
}

/// The moment this many seconds after another; `None` if that is later than anybody would wait.
fn moment(start: Instant, seconds: f32) -> Option<Instant> {
    match Duration::try_from_secs_f32(seconds) {
        Ok(time) => start.checked_add(time),
        Err(_) if seconds > 0.0 => None,
        Err(_) => Some(start),
    }
}

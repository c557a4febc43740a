//! Running a search under limits: simulations, a time, an interruption.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, Search, run_batched, run_while};

/// Simulations before the speed is known.
const FIRST_SLICE: u32 = 16;
/// A search is looked at about so often.
const SLICE: Duration = Duration::from_millis(50);
/// Fewer simulations between two looks would cost more than they tell; more would take memory by surprise.
const SLICES: (f32, f32) = (1.0, 8_192.0);

/// What ends a search that nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Limit {
    /// Simulations, those brought along from the position before included. Ignored by a search with a fixed number.
    pub simulations: Option<u32>,
    /// A moment.
    pub deadline: Option<Instant>,
}

impl Limit {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Runs searches, those without a fixed number of simulations in slices, and learns how long simulations take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// Simulations a second; `None` before the first slice.
    speed: Option<f32>,
    /// Nodes that a tree may have.
    pub most_nodes: usize,
}

/// Who looks at a search between its batches or slices, several times a second.
pub type Watch<'a> = &'a mut dyn FnMut(&Search) -> ControlFlow<()>;

impl Pace {
    pub fn new(most_nodes: usize) -> Pace {
        Pace { speed: None, most_nodes }
    }

    /// Searches until a limit is met, the watch breaks off, or nothing is left to be found. A little is searched in any
    /// case, so that there is a move.
    pub fn search(
        &mut self,
        search: &mut Search,
        evaluator: &mut (impl Evaluator + ?Sized),
        limit: Limit,
        watch: Watch<'_>,
    ) -> Result<(), EvaluatorError> {
        if search.is_open() {
            return self.search_in_slices(search, evaluator, limit, watch);
        }
        let mut goes_on = |search: &Search| !limit.is_late() && watch(search).is_continue();
        run_while(search, evaluator, LEAVES_AT_ONCE, &mut goes_on)
    }

    fn search_in_slices(
        &mut self,
        search: &mut Search,
        evaluator: &mut (impl Evaluator + ?Sized),
        limit: Limit,
        watch: Watch<'_>,
    ) -> Result<(), EvaluatorError> {
        if limit.deadline.is_none() {
            // Where time does not matter, searches do not depend on those before them.
            self.speed = None;
        }
        loop {
            let before = search.started();
            let Some(slice) = self.slice(search, limit) else { return Ok(()) };
            search.extend(slice);
            let begun = Instant::now();
            run_batched(std::slice::from_mut(search), evaluator, LEAVES_AT_ONCE)?;
            let made = search.started() - before;
            self.learn(made, begun.elapsed());
            // A slice is made whole unless nothing is left to visit. An empty one was for the root's own evaluation.
            let is_last = made < slice || slice == 0;
            if watch(search).is_break() || is_last || limit.is_late() {
                return Ok(());
            }
        }
    }

    /// The simulations until the search is looked at again; `None` if it may make none.
    fn slice(&self, search: &Search, limit: Limit) -> Option<u32> {
        let room =
            u32::try_from(self.most_nodes.saturating_sub(search.nodes())).unwrap_or(u32::MAX);
        let allowed = match limit.simulations {
            Some(simulations) => simulations.saturating_sub(search.started()),
            None => u32::MAX,
        };
        let time = match limit.deadline {
            Some(deadline) => SLICE.min(deadline.saturating_duration_since(Instant::now()) / 2),
            None => SLICE,
        };
        let pace = match self.speed {
            Some(speed) => (speed * time.as_secs_f32()).clamp(SLICES.0, SLICES.1) as u32,
            None if time < SLICE => 1,
            None => FIRST_SLICE,
        };
        let slice = pace.min(allowed).min(room);
        if slice > 0 || search.nodes() <= 1 { Some(slice) } else { None }
    }

    fn learn(&mut self, simulations: u32, time: Duration) {
        if simulations > 0 {
            let found = simulations as f32 / time.as_secs_f32().max(1e-6);
            // A slice can be lucky with what is remembered; an average is not fooled for long.
            self.speed = Some(self.speed.map_or(found, |speed| 0.5 * (speed + found)));
        }
    }
}

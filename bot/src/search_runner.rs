//! Runs searches under limits: simulations, time, or an interruption.

use std::ops::ControlFlow;
use std::slice;
use std::time::{Duration, Instant};

use engine::{IllegalMove, Move};
use search::{
    Evaluator, EvaluatorError, LEAVES_AT_ONCE, Open, Search, SearchState, Settings, run_while,
};

/// Number of simulations before the speed is known.
const FIRST_SLICE: u32 = 16;
/// Interval between two calls of the watch.
const SLICE: Duration = Duration::from_millis(50);
/// Bounds on the number of simulations in a slice: fewer would be inefficient, more could exceed
/// the memory limit.
const SLICES: (f32, f32) = (1.0, 8_192.0);

/// A search with or without a fixed number of simulations.
pub enum AnySearch {
    /// With a fixed number.
    Fixed(Search),
    /// Open-ended.
    Open(Search<Open>),
}

impl AnySearch {
    /// What it has found so far.
    pub fn state(&self) -> &SearchState {
        match self {
            AnySearch::Fixed(search) => search.state(),
            AnySearch::Open(search) => search.state(),
        }
    }

    /// Whether it has no fixed number of simulations.
    pub fn is_open(&self) -> bool {
        match self {
            AnySearch::Fixed(_) => false,
            AnySearch::Open(_) => true,
        }
    }

    /// Whether nothing is left to simulate, either for now or permanently.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            AnySearch::Fixed(search) => search.is_finished(),
            AnySearch::Open(search) => search.is_finished(),
        }
    }

    /// The same search without a fixed number of simulations.
    pub(crate) fn open(self) -> Search<Open> {
        match self {
            AnySearch::Fixed(search) => search.open(),
            AnySearch::Open(search) => search,
        }
    }

    /// The search of the position after `played`; an open-ended one keeps its findings.
    pub(crate) fn after(
        self,
        played: Move,
        settings: Settings,
        seed: u64,
    ) -> Result<AnySearch, IllegalMove> {
        match self {
            AnySearch::Fixed(search) => {
                search.advance(played, settings, seed).map(AnySearch::Fixed)
            }
            AnySearch::Open(search) => search.follow(played).map(AnySearch::Open),
        }
    }
}

/// The limit of a search.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Limit {
    /// Maximum number of simulations, including inherited ones. Ignored by a search with a fixed
    /// number.
    pub simulations: Option<u32>,
    /// The time at which it must stop.
    pub deadline: Option<Instant>,
}

impl Limit {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Runs searches, open-ended ones in slices, and measures the speed of simulations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SearchRunner {
    /// Simulations per second; `None` before the first slice.
    speed: Option<f32>,
    /// Maximum number of nodes.
    pub max_nodes: usize,
}

/// Called between a search's batches or slices, several times a second.
pub type Watch<'a> = &'a mut dyn FnMut(&SearchState) -> ControlFlow<()>;

impl SearchRunner {
    pub fn new(max_nodes: usize) -> SearchRunner {
        SearchRunner { speed: None, max_nodes }
    }

    /// Searches until a limit is reached, the watch stops it, or the search is complete. Always
    /// makes at least a few simulations, so that there is a move.
    pub fn search(
        &mut self,
        search: &mut AnySearch,
        evaluator: &mut (impl Evaluator + ?Sized),
        limit: Limit,
        watch: Watch<'_>,
    ) -> Result<(), EvaluatorError> {
        match search {
            AnySearch::Fixed(search) => {
                run_while(slice::from_mut(search), evaluator, LEAVES_AT_ONCE, &mut |searches| {
                    !limit.is_late() && watch(searches[0].state()).is_continue()
                })
            }
            AnySearch::Open(search) => self.search_in_slices(search, evaluator, limit, watch),
        }
    }

    fn search_in_slices(
        &mut self,
        search: &mut Search<Open>,
        evaluator: &mut (impl Evaluator + ?Sized),
        limit: Limit,
        watch: Watch<'_>,
    ) -> Result<(), EvaluatorError> {
        if limit.deadline.is_none() {
            // Where time does not matter, searches must not depend on earlier ones.
            self.speed = None;
        }
        loop {
            let before = search.state().started();
            let Some(slice) = self.slice(search.state(), limit) else { return Ok(()) };
            search.extend(slice);
            let start = Instant::now();
            let mut is_cut = false;
            // The measured speed may be that of cached evaluations, so a slice ends on time in any
            // case.
            run_while(slice::from_mut(search), evaluator, LEAVES_AT_ONCE, &mut |_| {
                is_cut = limit.is_late() || start.elapsed() >= SLICE;
                !is_cut
            })?;
            let made = search.state().started() - before;
            self.learn(made, start.elapsed());
            // A slice that was not cut short is complete unless there was nothing left to visit. An
            // empty slice was for evaluating the root.
            let is_last = (made < slice && !is_cut) || slice == 0;
            if watch(search.state()).is_break() || is_last || limit.is_late() {
                return Ok(());
            }
        }
    }

    /// The number of simulations in the next slice; `None` if no more are allowed.
    fn slice(&self, state: &SearchState, limit: Limit) -> Option<u32> {
        let room = u32::try_from(self.max_nodes.saturating_sub(state.nodes())).unwrap_or(u32::MAX);
        let allowed = match limit.simulations {
            Some(simulations) => simulations.saturating_sub(state.started()),
            None => u32::MAX,
        };
        let time = match limit.deadline {
            Some(deadline) => SLICE.min(deadline.saturating_duration_since(Instant::now()) / 2),
            None => SLICE,
        };
        let affordable = match self.speed {
            Some(speed) => (speed * time.as_secs_f32()).clamp(SLICES.0, SLICES.1) as u32,
            None if time < SLICE => 1,
            None => FIRST_SLICE,
        };
        let slice = affordable.min(allowed).min(room);
        if slice > 0 || state.nodes() <= 1 { Some(slice) } else { None }
    }

    fn learn(&mut self, simulations: u32, time: Duration) {
        if simulations > 0 {
            let found = simulations as f32 / time.as_secs_f32().max(1e-6);
            // A slice can be fast because of cached evaluations, which says little about the next
            // one.
            self.speed = Some(self.speed.map_or(found, |speed| found.min(2.0 * speed)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use engine::{Position, Variant};
    use search::Evaluation;
    use search::evaluators::Uniform;

    use super::*;

    /// Takes longer for a batch than a slice may take.
    struct Slow;

    impl Evaluator for Slow {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            thread::sleep(SLICE + Duration::from_millis(1));
            Uniform.evaluate(batch)
        }
    }

    #[test]
    fn a_slice_ends_in_time_although_earlier_ones_were_fast() {
        // As after positions whose evaluations were known.
        let mut runner = SearchRunner { speed: Some(1e6), max_nodes: 200_000 };
        let root = Position::new(Variant::Go.rules(9).expect("rules"));
        let mut search = AnySearch::Open(Search::new(root, Settings::to_win(10_000), 1).open());
        let deadline = Instant::now().checked_add(Duration::from_secs(3_600));
        let limit = Limit { simulations: None, deadline };
        let mut counts = Vec::new();
        let mut watch = |state: &SearchState| {
            counts.push(state.started());
            if counts.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        runner.search(&mut search, &mut Slow, limit, &mut watch).expect("no failure");
        assert_eq!(counts.len(), 3, "a slice that was cut is not the last");
        assert!(counts[2] <= 3 * LEAVES_AT_ONCE as u32, "{counts:?}");
    }

    #[test]
    fn the_speed_is_that_of_the_slower_slices() {
        let mut runner = SearchRunner::new(1);
        let second = Duration::from_secs(1);
        runner.learn(100, second);
        runner.learn(10_000, second);
        assert_eq!(runner.speed, Some(200.0), "one fast slice proves little");
        runner.learn(50, second);
        assert_eq!(runner.speed, Some(50.0));
    }
}

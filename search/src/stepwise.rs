//! A search with leaves in flight: `select` and `expand`, for callers that drive it without
//! [`run`](crate::run).

use engine::Position;

use crate::schedule::{Fixed, Schedule};
use crate::search::{Leaf, Search};
use crate::{Evaluation, EvaluatorError, SearchState};

/// A search that hands out positions and takes back their evaluations.
///
/// Call [`select`](Self::select) until it returns `None`, and answer each leaf with
/// [`expand`](Self::expand). Before advancing to another position, call
/// [`into_search`](Self::into_search), so that no leaf can come back too late.
///
/// ```
/// use engine::{Position, Rules};
/// use search::evaluators::Uniform;
/// use search::{Evaluator, Search, Settings};
///
/// let root = Position::new(Rules::parse("go", 3)?);
/// let mut search = Search::new(root, Settings::default(), 1).into_stepwise();
/// while let Some(leaf) = search.select() {
///     let evaluation = Uniform.evaluate(&[search.position(&leaf)])?.remove(0);
///     search.expand(leaf, &evaluation)?;
/// }
/// let search = search.into_search();
/// assert!(search.is_finished());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A stepwise search itself cannot advance:
///
/// ```compile_fail,E0599
/// fn go_on(search: search::StepwiseSearch, played: engine::Move) {
///     let _ = search.advance(played, search::Settings::default(), 1);
/// }
/// ```
///
/// Several leaves may be in flight at once: a selected leaf counts as a visit that has not changed
/// any value yet, so the next one goes elsewhere. The first round of sequential halving is the same
/// whether its leaves are evaluated together or one by one; later rounds and deeper nodes decide
/// with less information when leaves are evaluated together. A search is deterministic for a given
/// sequence of calls.
pub struct StepwiseSearch<S = Fixed>(Search<S>);

impl<S: Schedule> Search<S> {
    /// Starts handing out leaves.
    pub fn into_stepwise(self) -> StepwiseSearch<S> {
        StepwiseSearch(self)
    }
}

impl<S: Schedule> StepwiseSearch<S> {
    /// Runs simulations up to the next position that needs an evaluation.
    ///
    /// Simulations that end in a finished game, or in a position that the search
    /// [before](Search::advance) had evaluated, are backed up immediately. `None` means that the
    /// search is [finished](Search::is_finished) or, if leaves are in flight, that it must expand
    /// one of them first.
    pub fn select(&mut self) -> Option<Leaf> {
        self.0.select()
    }

    /// The position to evaluate for a leaf of this search.
    pub fn position(&self, leaf: &Leaf) -> &Position {
        self.0.position(leaf)
    }

    /// Expands a leaf with its evaluation and completes the simulation.
    ///
    /// # Errors
    /// The evaluation does not fit the position. It does not affect the tree: the leaf is
    /// abandoned, and will be selected again if the search continues.
    pub fn expand(&mut self, leaf: Leaf, evaluation: &Evaluation) -> Result<(), EvaluatorError> {
        self.0.expand(leaf, evaluation)
    }

    /// Returns a leaf without an evaluation, as if it had not been selected.
    pub fn abandon(&mut self, leaf: Leaf) {
        self.0.abandon(leaf);
    }

    /// What it has found so far.
    pub fn state(&self) -> &SearchState {
        self.0.state()
    }

    /// Stops handing out leaves. Those still in flight are abandoned.
    pub fn into_search(mut self) -> Search<S> {
        self.0.abandon_all();
        self.0
    }
}

//! A search and its two halves, `select` and `expand`.

use engine::{IllegalMove, Move, Position};

use crate::interior::{self, Candidate, Step};
use crate::root::Root;
use crate::schedule::{Fixed, Open, Schedule};
use crate::tree::{ROOT, Tree};
use crate::{Evaluation, EvaluatorError, SearchResult, SearchState, Settings};

/// Simulations for which a new search allocates memory; longer searches grow on demand.
const MAX_PREALLOCATED: u32 = 128;

/// The search of one position, with a [`Fixed`] number of simulations or [`Open`]-ended.
///
/// [`run`](crate::run) makes its simulations. Callers that evaluate positions themselves turn it
/// into a [`StepwiseSearch`](crate::StepwiseSearch). Otherwise no leaf is in flight, so a search
/// can always advance to another position.
///
/// ```
/// use engine::{Position, Rules};
/// use search::evaluators::Scripted;
/// use search::{Search, Settings, run};
///
/// let root = Position::new(Rules::parse("incursion", 5)?);
/// let mut searches = [Search::new(root, Settings::default(), 1)];
/// run(&mut searches, &mut Scripted::default())?;
/// let [search] = searches;
/// let best = search.result().best;
/// let next = search.advance(best, Settings::default(), 2)?;
/// assert!(!next.is_finished());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search<S = Fixed> {
    state: SearchState,
    schedule: S,
    seed: u64,
    /// Working memory for selection.
    candidates: Vec<Candidate>,
}

/// A position waiting for its evaluation: a place in the tree of the search that selected it.
#[derive(Debug)]
#[must_use = "the search waits for its evaluation"]
pub struct Leaf {
    node: u32,
}

/// A search with a fixed number of simulations.
impl Search<Fixed> {
    /// Begins the search of a position. The first leaf is the root itself.
    ///
    /// `seed` determines the Gumbel noise; nothing else is random.
    pub fn new(root: Position, settings: Settings, seed: u64) -> Self {
        let mut tree = Tree::with_capacity_for(settings.simulations.min(MAX_PREALLOCATED));
        tree.reset(root);
        let state = SearchState { settings, tree, root: Root::default(), started: 0 };
        Search { state, schedule: Fixed::default(), seed, candidates: Vec::new() }
    }

    /// Restricts the search to these moves of its root. Call it before the first simulation.
    #[must_use]
    pub fn with_allowed_moves(mut self, only: Vec<Move>) -> Self {
        self.state.root.allow_only(only);
        self
    }

    /// Advances to a search of the position after `played`, reusing the memory.
    ///
    /// If the move was visited, its evaluation becomes that of the new root. The tree below it is
    /// dropped, because sequential halving needs equal visits, but none of its positions is
    /// evaluated again: the new search makes the same simulations as a fresh one, with fewer
    /// leaves.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn advance(
        mut self,
        played: Move,
        settings: Settings,
        seed: u64,
    ) -> Result<Self, IllegalMove> {
        let position = self.position_after(played)?;
        self.state.tree.advance(played, position);
        self.state.root.allow_all();
        self.state.settings = settings;
        self.state.started = 0;
        self.seed = seed;
        if self.state.is_evaluated() {
            self.prepare();
        }
        Ok(self)
    }

    /// The same search without a fixed end, which must be [extended](Search::extend) before it
    /// runs. The `simulations` of its settings, up to [`Open::MAX_FIRST_STAGE`], become the first
    /// of the budgets that it completes, each twice the previous one. A fresh search that is opened
    /// and extended by exactly that many makes the same simulations as one with that fixed budget.
    #[must_use]
    pub fn open(self) -> Search<Open> {
        let Search { mut state, seed, candidates, .. } = self;
        state.root.half_is_enough = Open::STOPS_ANYWHERE;
        let schedule = Open::new(&state.settings, state.started);
        Search { state, schedule, seed, candidates }
    }
}

/// An open-ended search.
impl Search<Open> {
    /// Allows `simulations` more simulations. Can be called repeatedly.
    pub fn extend(&mut self, simulations: u32) {
        self.schedule.allowed = self.state.started.saturating_add(simulations);
    }

    /// Advances to the position after `played`, keeping its subtree. The search must then be
    /// [extended](Search::extend) to continue.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn follow(mut self, played: Move) -> Result<Self, IllegalMove> {
        let position = self.position_after(played)?;
        self.state.root.allow_all();
        let is_known = self.state.tree.advance_with_subtree(played);
        if is_known {
            self.state.started = self.state.tree.node(ROOT).visits - 1;
        } else {
            self.state.tree.reset(position);
            self.state.started = 0;
        }
        self.schedule = Open::new(&self.state.settings, self.state.started);
        if is_known {
            self.prepare();
        }
        Ok(self)
    }
}

impl<S> Search<S> {
    /// What it has found so far.
    pub fn state(&self) -> &SearchState {
        &self.state
    }

    /// The move to play and the policy target so far.
    pub fn result(&self) -> SearchResult {
        self.state.result()
    }

    /// The position that is searched.
    pub fn root(&self) -> &Position {
        self.state.root()
    }

    /// The position to evaluate for a leaf of this search.
    pub(crate) fn position(&self, leaf: &Leaf) -> &Position {
        &self.state.tree.positions[leaf.node as usize]
    }

    fn position_after(&self, played: Move) -> Result<Position, IllegalMove> {
        let mut position = self.root().clone();
        position.play(played)?;
        Ok(position)
    }
}

impl<S: Schedule> Search<S> {
    /// Whether nothing is left to simulate: the root is decided, or all simulations have started.
    /// An open-ended search can then be [extended](Search::extend).
    pub fn is_finished(&self) -> bool {
        let SearchState { settings, started, .. } = &self.state;
        let is_complete = *started >= self.schedule.allowed(settings);
        self.state.is_decided() || self.state.is_evaluated() && is_complete
    }

    /// Total number of simulations as far as known: for an open-ended search, at least the first
    /// budget.
    pub(crate) fn simulations(&self) -> u32 {
        let settings = &self.state.settings;
        settings.simulations.max(self.schedule.allowed(settings))
    }

    /// Runs simulations up to the next position that needs an evaluation.
    ///
    /// Simulations that end in a finished game, or in a position that the previous search had
    /// evaluated, are backed up immediately. `None` means that the search is finished or, if leaves
    /// are in flight, that it must expand one of them first.
    pub(crate) fn select(&mut self) -> Option<Leaf> {
        while !self.is_finished() {
            let node = self.descend()?;
            let SearchState { tree, started, .. } = &mut self.state;
            if node != ROOT {
                *started += 1;
            }
            if tree.node(node).proven.is_some() || tree.restore_evaluation(node) {
                tree.back_up(node);
            } else {
                tree.count_in_flight(node, true);
                return Some(Leaf { node });
            }
        }
        None
    }

    /// The node where the next simulation ends: a new one, or one that was abandoned earlier.
    /// `None` if it ends at a leaf in flight.
    fn descend(&mut self) -> Option<u32> {
        let mut node = ROOT;
        loop {
            let current = self.state.tree.node(node);
            if !current.evaluated {
                return (current.in_flight == 0).then_some(node);
            }
            let step = if node == ROOT {
                let level = self.schedule.level(&self.state)?;
                let SearchState { tree, root, settings, .. } = &mut self.state;
                root.choose(tree, settings, level)?
            } else {
                let SearchState { tree, settings, .. } = &self.state;
                interior::choose(tree, node, settings, &mut self.candidates)?
            };
            match step {
                Step::Child(child) => node = child,
                Step::Edge(edge) => {
                    let child = self.state.tree.visit(node, edge);
                    if node == ROOT {
                        self.state.root.add_child(edge, child);
                    }
                    return Some(child);
                }
            }
        }
    }

    /// Expands a leaf with its evaluation and completes the simulation.
    ///
    /// # Errors
    /// The evaluation does not fit the position. It does not affect the tree: the leaf is
    /// abandoned, and will be selected again if the search continues.
    pub(crate) fn expand(
        &mut self,
        leaf: Leaf,
        evaluation: &Evaluation,
    ) -> Result<(), EvaluatorError> {
        if let Err(error) = evaluation.check(self.position(&leaf)) {
            self.abandon(leaf);
            return Err(error);
        }
        let tree = &mut self.state.tree;
        tree.count_in_flight(leaf.node, false);
        tree.evaluate(leaf.node, evaluation);
        tree.back_up(leaf.node);
        if leaf.node == ROOT {
            self.prepare();
        }
        Ok(())
    }

    /// Returns a leaf without an evaluation, as if it had not been selected.
    pub(crate) fn abandon(&mut self, leaf: Leaf) {
        self.state.tree.count_in_flight(leaf.node, false);
        if leaf.node != ROOT {
            self.state.started -= 1;
            self.schedule.restart();
        }
    }

    /// Abandons all leaves in flight.
    pub(crate) fn abandon_all(&mut self) {
        while let Some(node) = self.state.tree.in_flight() {
            self.abandon(Leaf { node });
        }
    }

    /// Prepares the root and the schedule. Call it once the root has been evaluated.
    fn prepare(&mut self) {
        let SearchState { tree, root, settings, .. } = &mut self.state;
        root.prepare(tree, settings, self.seed);
        self.schedule.prepare(settings, root.allowed());
    }
}

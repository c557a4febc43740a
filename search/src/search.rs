//! A search and its two halves.

use engine::{IllegalMove, Move, Position};

use crate::interior::{self, Candidate, Step};
use crate::root::Root;
use crate::tree::{ROOT, Tree};
use crate::{Evaluation, EvaluatorError, SearchResult, Settings};

/// Simulations that a new search makes room for at once; a longer one grows when it gets there, if it does.
const MOST_ROOM: u32 = 128;

/// The search of one position.
///
/// Call [`select`](Self::select) until it returns `None`, and answer each leaf with
/// [`expand`](Self::expand); at any time [`result`](Self::result) says what is known so far.
///
/// Several leaves may be in flight at once: a selected leaf counts as a visit that has not changed
/// any value yet, so the next one goes elsewhere. The first round of sequential halving is the same
/// whether its leaves are asked for together or one by one; later rounds and deeper nodes decide on
/// less when leaves are asked for together. A search is deterministic in the sequence of its calls.
pub struct Search {
    settings: Settings,
    seed: u64,
    tree: Tree,
    root: Root,
    /// Simulations that have begun. The root's own evaluation is none.
    started: u32,
    /// Working memory of selection.
    candidates: Vec<Candidate>,
}

/// A position that waits for its evaluation: a place in the tree of the search that selected it.
///
/// It goes back to that search by [`Search::expand`] or [`Search::abandon`]; one that is dropped
/// keeps its search waiting for ever.
#[derive(Debug)]
#[must_use = "the search waits for its evaluation"]
pub struct Leaf {
    node: u32,
}

/// Why a search cannot go on to another position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AdvanceError {
    /// The move is not possible.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// Leaves that mean nothing to the search of another position: expand or abandon them first.
    #[error("{leaves} leaves of the search are in flight, and none may be")]
    InFlight {
        /// How many.
        leaves: u32,
    },
}

impl Search {
    /// Begins the search of a position. The first leaf is the root itself.
    ///
    /// `seed` decides the Gumbel noise, and nothing else is random.
    pub fn new(root: Position, settings: Settings, seed: u64) -> Self {
        let mut tree = Tree::with_room_for(settings.simulations.min(MOST_ROOM));
        tree.plant(root);
        Search { settings, seed, tree, root: Root::default(), started: 0, candidates: Vec::new() }
    }

    /// Lets the search visit and choose these moves of its root only. To be called before its first leaf.
    #[must_use]
    pub fn permitting(mut self, only: Vec<Move>) -> Self {
        self.root.permit(only);
        self
    }

    /// Lets so many more simulations begin, and makes this a search without a fixed end: it can be extended as often as
    /// there is time for it. `simulations` of its settings is then the first of the budgets that it completes, each
    /// twice the one before. A fresh search that is extended by just that many makes the same simulations as one with
    /// that fixed budget.
    pub fn extend(&mut self, simulations: u32) {
        self.root.open(&self.settings, self.started.saturating_add(simulations));
    }

    /// Whether it has no fixed end.
    pub fn is_open(&self) -> bool {
        self.root.is_open()
    }

    /// Whether the result of the root is proven, so that nothing can be found out any more.
    pub fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven.is_some()
    }

    /// Whether nothing is left to simulate: the root is decided, or all simulations have begun. One without a fixed end
    /// can then be [extended](Self::extend).
    pub fn is_finished(&self) -> bool {
        let evaluated = self.tree.node(ROOT).evaluated;
        self.is_decided() || evaluated && self.started >= self.root.allowed(&self.settings)
    }

    /// Goes on to the position after `played` with all that was found out about it, in a search without a fixed end
    /// that waits to be [extended](Self::extend).
    ///
    /// # Errors
    /// The move is illegal, or leaves are in flight.
    pub fn follow(mut self, played: Move) -> Result<Self, AdvanceError> {
        let position = self.position_after(played)?;
        self.root.clear();
        let is_known = self.tree.descend(played);
        if is_known {
            self.started = self.tree.node(ROOT).visits - 1;
        } else {
            self.tree.plant(position);
            self.started = 0;
        }
        self.root.open(&self.settings, self.started);
        if is_known {
            self.root.prepare(&self.tree, &self.settings, self.seed);
        }
        Ok(self)
    }

    /// Goes on to the search of the position after `played`, in the same memory.
    ///
    /// If the move was visited, its evaluation becomes that of the new root. The tree below it is
    /// dropped, because sequential halving wants its visits equal, but no position in it is asked for
    /// again: the new search makes the simulations that a fresh one would make, with fewer leaves.
    ///
    /// # Errors
    /// The move is illegal, or leaves are in flight.
    pub fn advance(
        mut self,
        played: Move,
        settings: Settings,
        seed: u64,
    ) -> Result<Self, AdvanceError> {
        let position = self.position_after(played)?;
        self.tree.advance(played, position);
        self.root.clear();
        self.settings = settings;
        self.seed = seed;
        self.started = 0;
        if self.tree.node(ROOT).evaluated {
            self.root.prepare(&self.tree, &self.settings, seed);
        }
        Ok(self)
    }

    fn position_after(&self, played: Move) -> Result<Position, AdvanceError> {
        match self.tree.node(ROOT).in_flight {
            0 => {}
            leaves => return Err(AdvanceError::InFlight { leaves }),
        }
        let mut position = self.root().clone();
        position.play(played)?;
        Ok(position)
    }

    /// Simulations that it makes in all, as far as that is known: without a fixed end at least its first budget.
    pub fn simulations(&self) -> u32 {
        self.settings.simulations.max(self.root.allowed(&self.settings))
    }

    /// Simulations that have begun, those that were brought along from the position before included.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Nodes in its tree: what its memory is proportional to.
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// The position that is searched.
    pub fn root(&self) -> &Position {
        &self.tree.positions[ROOT as usize]
    }

    /// The position to evaluate for a leaf of this search.
    pub fn position(&self, leaf: &Leaf) -> &Position {
        &self.tree.positions[leaf.node as usize]
    }

    /// Runs simulations up to the next position that needs an evaluation.
    ///
    /// Simulations that end in a finished game, or in a position that the search
    /// [before](Self::advance) had evaluated, are backed up on the way. None means that the search is
    /// [finished](Self::is_finished), or, with other leaves in flight, that it cannot go on without one
    /// of them.
    pub fn select(&mut self) -> Option<Leaf> {
        while !self.is_finished() {
            let node = self.descend()?;
            if node != ROOT {
                self.started += 1;
            }
            if self.tree.node(node).proven.is_some() || self.tree.recall(node) {
                self.tree.back_up(node);
            } else {
                self.tree.mark(node, true);
                return Some(Leaf { node });
            }
        }
        None
    }

    /// The node at which the next simulation ends: one that was made for it, or one that was
    /// abandoned before. None if it ends at a leaf in flight.
    fn descend(&mut self) -> Option<u32> {
        let mut node = ROOT;
        loop {
            let here = self.tree.node(node);
            if !here.evaluated {
                return (here.in_flight == 0).then_some(node);
            }
            let step = if node == ROOT {
                self.root.choose(&self.tree, &self.settings, self.started)?
            } else {
                interior::choose(&self.tree, node, &self.settings, &mut self.candidates)?
            };
            match step {
                Step::Child(child) => node = child,
                Step::Edge(edge) => {
                    let child = self.tree.visit(node, edge);
                    if node == ROOT {
                        self.root.add_child(edge, child);
                    }
                    return Some(child);
                }
            }
        }
    }

    /// Takes in the evaluation of a leaf and ends its simulation.
    ///
    /// # Errors
    /// If the evaluation cannot be one of that position. Nothing of it enters the tree: the leaf is
    /// abandoned, and will be selected again if the search goes on.
    pub fn expand(&mut self, leaf: Leaf, evaluation: &Evaluation) -> Result<(), EvaluatorError> {
        let legal = self.position(&leaf).legal_moves();
        if let Err(error) = evaluation.check(legal.len()) {
            self.abandon(leaf);
            return Err(error);
        }
        self.tree.mark(leaf.node, false);
        self.tree.evaluate(leaf.node, &legal, evaluation);
        self.tree.back_up(leaf.node);
        if leaf.node == ROOT {
            self.root.prepare(&self.tree, &self.settings, self.seed);
        }
        Ok(())
    }

    /// Gives a leaf back without an evaluation, as if it had not been selected.
    pub fn abandon(&mut self, leaf: Leaf) {
        self.tree.mark(leaf.node, false);
        if leaf.node != ROOT {
            self.started -= 1;
            self.root.restart_stages();
        }
    }

    /// What the search has found so far.
    pub fn result(&self) -> SearchResult {
        let root = self.root();
        if self.tree.node(ROOT).evaluated {
            SearchResult::of(&self.root, &self.tree, &self.settings)
        } else {
            let outcome = root.outcome().map(|outcome| outcome.result);
            SearchResult::uninformed(&root.legal_moves(), outcome)
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn moves(&self) -> &Root {
        &self.root
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }
}

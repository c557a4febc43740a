//! The state of a search: what it has found so far, whether its budget is fixed or open.

use engine::Position;

use crate::root::Root;
use crate::tree::{ROOT, Tree};
use crate::{SearchResult, Settings};

/// What a search has found about its position at any time.
pub struct SearchState {
    pub(crate) settings: Settings,
    pub(crate) tree: Tree,
    pub(crate) root: Root,
    /// Simulations started so far, not counting the root's own evaluation.
    pub(crate) started: u32,
}

impl SearchState {
    /// The position being searched.
    pub fn root(&self) -> &Position {
        &self.tree.positions[ROOT as usize]
    }

    /// Simulations started so far, including those inherited from the search of the previous
    /// position.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Nodes in the tree; memory use is proportional to it.
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Whether the root's result is proven, which ends the search.
    pub fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven.is_some()
    }

    /// The move to play and the policy target.
    pub fn result(&self) -> SearchResult {
        if self.is_evaluated() {
            SearchResult::of(&self.root, &self.tree, &self.settings)
        } else {
            let outcome = self.root().outcome().map(|outcome| outcome.result);
            SearchResult::uninformed(&self.root().legal_moves(), outcome)
        }
    }

    /// Whether the root has been evaluated, which precedes all simulations.
    pub fn is_evaluated(&self) -> bool {
        self.tree.node(ROOT).evaluated
    }
}

//! What a search has found so far, whether or not it has a fixed end.

use engine::Position;

use crate::root::Root;
use crate::tree::{ROOT, Tree};
use crate::{SearchResult, Settings};

/// What is known of a position by its search: to look at, at any time.
pub struct Findings {
    pub(crate) settings: Settings,
    pub(crate) tree: Tree,
    pub(crate) root: Root,
    /// Simulations that have begun. The root's own evaluation is none.
    pub(crate) started: u32,
}

impl Findings {
    /// The position that is searched.
    pub fn root(&self) -> &Position {
        &self.tree.positions[ROOT as usize]
    }

    /// Simulations that have begun, those that were brought along from the position before included.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Nodes in the tree: what its memory is proportional to.
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Whether the result of the root is proven, so that nothing can be found out any more.
    pub fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven.is_some()
    }

    /// The move to play and the targets to learn from.
    pub fn result(&self) -> SearchResult {
        if self.is_evaluated() {
            SearchResult::of(&self.root, &self.tree, &self.settings)
        } else {
            let outcome = self.root().outcome().map(|outcome| outcome.result);
            SearchResult::uninformed(&self.root().legal_moves(), outcome)
        }
    }

    pub(crate) fn is_evaluated(&self) -> bool {
        self.tree.node(ROOT).evaluated
    }
}

//! What a search has found, move by move, for people and programs.

use engine::Move;

use crate::result::proof_rank;
use crate::subtree_stats::{Lead, SubtreeStats};
use crate::tree::{Node, ROOT};
use crate::{MoveStats, SearchState};

/// A search's statistics of one root move, including those that need the whole tree.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveAnalysis {
    /// The move's statistics in the search result.
    pub stats: MoveStats,
    /// Standard deviation of the evaluations that make up the value; 1, the maximum, if there are
    /// fewer than two.
    pub deviation: f32,
    /// Black's expected lead in points after the move, if known.
    pub lead: Option<Lead>,
    /// The principal variation, beginning with the move, and the visits of each step. If the move
    /// was not visited, it contains only the move itself.
    pub line: Vec<(Move, u32)>,
}

impl SearchState {
    /// Every move that may be played, best first: the move to play, then the others in the order
    /// of [`MoveStats::display_order`]. Empty until the root has been evaluated.
    pub fn analysis(&self) -> Vec<MoveAnalysis> {
        if !self.is_evaluated() {
            return Vec::new();
        }
        let tree = &self.tree;
        let moves = self.result().moves;
        let subtrees = self.subtree_stats();
        let best = self.root.best(tree, &self.settings);
        let mover = tree.node(ROOT).mover;
        let mut edges: Vec<usize> =
            (0..moves.len()).filter(|&edge| !self.root.is_excluded(edge)).collect();
        edges.sort_by(|&one, &other| {
            let best_first = (one != best).cmp(&(other != best));
            best_first.then(moves[one].display_order(&moves[other], mover))
        });
        let analysis = |edge: usize| MoveAnalysis {
            stats: moves[edge],
            deviation: subtrees[edge].variance().sqrt(),
            lead: subtrees[edge].lead(),
            line: self.line(edge),
        };
        edges.into_iter().map(analysis).collect()
    }

    /// Black's expected lead in points; `None` if the evaluator does not predict it, or has not been
    /// asked, as in a finished game. Like the expected result it follows the improved policy, and
    /// unvisited moves get the position's own lead.
    pub fn lead(&self) -> Option<Lead> {
        let all = SubtreeStats::lead_at_root(&self.tree)?;
        let raw = self.tree.node(ROOT).raw_lead;
        let subtrees = raw.is_finite().then(|| self.subtree_stats())?;
        let moves = self.result().moves;
        let after = |edge: usize| subtrees[edge].lead().map_or(raw, |lead| lead.mean);
        let mean = (0..moves.len()).map(|edge| moves[edge].policy * after(edge)).sum();
        Some(Lead { mean, ..all })
    }

    /// Statistics of the subtree below each root move. The scores of finished games alone would be
    /// no estimate, so they count only if the evaluator estimates the lead of other positions.
    fn subtree_stats(&self) -> Vec<SubtreeStats> {
        let tree = &self.tree;
        let mut subtrees = SubtreeStats::of_root_edges(tree);
        if !tree.node(ROOT).raw_lead.is_finite() {
            subtrees.iter_mut().for_each(SubtreeStats::discard_leads);
        }
        subtrees
    }

    /// The principal variation, beginning with the best move.
    pub fn principal_variation(&self) -> Vec<Move> {
        if !self.is_evaluated() {
            return Vec::new();
        }
        let best = self.root.best(&self.tree, &self.settings);
        self.line(best).into_iter().map(|(played, _)| played).collect()
    }

    /// The principal variation that begins with `played`, one of the legal moves.
    pub fn line_after(&self, played: Move) -> Vec<Move> {
        let edge = self.tree.edges(ROOT).iter().position(|edge| edge.played == played);
        match edge {
            Some(edge) => self.line(edge).into_iter().map(|(played, _)| played).collect(),
            None => vec![played],
        }
    }

    /// The principal variation that begins with an edge of the root, with the visits of each step.
    fn line(&self, edge: usize) -> Vec<(Move, u32)> {
        let tree = &self.tree;
        let mut node = self.root.children[edge];
        let visits = tree.nodes.get(node as usize).map_or(0, |node| node.visits);
        let mut line = vec![(tree.edges(ROOT)[edge].played, visits)];
        while let Some((index, child)) = self.expected(node) {
            line.push((tree.edges(node)[usize::from(child.edge)].played, child.visits));
            node = index;
        }
        line
    }

    /// The step after a node in a principal variation: the most visited move, except that a proven
    /// win comes first and proven losses come last.
    fn expected(&self, node: u32) -> Option<(u32, &Node)> {
        let mover = self.tree.nodes.get(node as usize)?.mover;
        let visited = self.tree.children(node).filter(|(_, child)| child.visits > 0);
        visited.max_by_key(|(_, child)| (proof_rank(child.proven, mover), child.visits))
    }
}

//! What a search has found, move by move, as people and programs look at it.

use engine::{Color, Move};

use crate::Search;
use crate::spread::{Below, Lead};
use crate::tree::{NONE, ROOT};

/// What a search thinks of one move of its root.
#[derive(Clone, Debug, PartialEq)]
pub struct Prospect {
    /// The move.
    pub played: Move,
    /// What the evaluator gave it, from 0 to 1.
    pub prior: f32,
    /// Its share in the policy after search; the shares of all moves sum to 1.
    pub share: f32,
    /// Simulations spent on it.
    pub visits: u32,
    /// Expected result for Black after it, from −1 to 1; `None` where it was not visited.
    pub value: Option<f32>,
    /// Standard deviation of the evaluations that make up the value; 1, the most there can be, for fewer than two.
    pub deviation: f32,
    /// By how many points Black is expected to win after it, if anything says so.
    pub lead: Option<Lead>,
    /// The result, if it is proven: a winner, or `Some(None)` for a draw.
    pub proven: Option<Option<Color>>,
    /// The line of play that was searched most, beginning with the move, and the visits of each step. Only the move
    /// itself where it was not visited.
    pub line: Vec<(Move, u32)>,
}

impl Search {
    /// What is thought of each move that may be played, the best first: the move to play, then the others by their
    /// visits and shares, what is proven to lose last. Empty while the root waits for its evaluation.
    pub fn prospects(&self) -> Vec<Prospect> {
        let tree = self.tree();
        if !tree.node(ROOT).evaluated {
            return Vec::new();
        }
        let policy = self.result().policy;
        let below = Below::each_edge(tree);
        let best = self.moves().best(tree, self.settings());
        let lost = Some(Some(tree.node(ROOT).mover.opponent()));
        let mut prospects: Vec<((bool, bool), Prospect)> = (0..policy.len())
            .filter(|&edge| !self.moves().is_barred(edge))
            .map(|edge| {
                let prospect = self.prospect(edge, policy[edge].1, &below[edge]);
                ((edge != best, prospect.proven == lost), prospect)
            })
            .collect();
        prospects.sort_by(|(one_rank, one), (other_rank, other)| {
            one_rank
                .cmp(other_rank)
                .then(other.visits.cmp(&one.visits))
                .then(other.share.total_cmp(&one.share))
        });
        prospects.into_iter().map(|(_, prospect)| prospect).collect()
    }

    fn prospect(&self, edge: usize, share: f32, below: &Below) -> Prospect {
        let tree = self.tree();
        let child = tree.nodes.get(self.moves().children[edge] as usize);
        let child = child.filter(|child| child.visits > 0);
        Prospect {
            played: tree.edges(ROOT)[edge].played,
            prior: tree.edges(ROOT)[edge].prior,
            share,
            visits: child.map_or(0, |child| child.visits),
            value: child.map(|child| child.value),
            deviation: below.variance().sqrt(),
            lead: below.lead(),
            proven: child.and_then(|child| child.proven),
            line: self.line(edge),
        }
    }

    /// By how many points Black is expected to win; `None` where nothing says it.
    pub fn lead(&self) -> Option<Lead> {
        Below::lead_at_root(self.tree())
    }

    /// The line of play that was searched most, beginning with the best move.
    pub fn principal_variation(&self) -> Vec<Move> {
        if !self.tree().node(ROOT).evaluated {
            return Vec::new();
        }
        let best = self.moves().best(self.tree(), self.settings());
        self.line(best).into_iter().map(|(played, _)| played).collect()
    }

    /// The line of play that was searched most after one of the legal moves, beginning with it.
    pub fn line_after(&self, played: Move) -> Vec<Move> {
        let edge = self.tree().edges(ROOT).iter().position(|edge| edge.played == played);
        match edge {
            Some(edge) => self.line(edge).into_iter().map(|(played, _)| played).collect(),
            None => vec![played],
        }
    }

    /// The line of play that begins with an edge of the root, and the visits of its steps.
    fn line(&self, edge: usize) -> Vec<(Move, u32)> {
        let tree = self.tree();
        let mut node = self.moves().children[edge];
        let visits = tree.nodes.get(node as usize).map_or(0, |node| node.visits);
        let mut line = vec![(tree.edges(ROOT)[edge].played, visits)];
        while node != NONE {
            let most_visited = tree.children(node).max_by_key(|(_, child)| child.visits);
            let Some((index, child)) = most_visited.filter(|(_, child)| child.visits > 0) else {
                break;
            };
            line.push((tree.edges(node)[usize::from(child.edge)].played, child.visits));
            node = index;
        }
        line
    }
}

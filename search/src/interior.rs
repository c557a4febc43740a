//! Selection below the root.

use crate::Settings;
use crate::arithmetic::exp;
use crate::evaluation::winrate;
use crate::improvement::Visited;
use crate::tree::{NO_EDGE, Tree};

/// One step down the tree.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// To an existing node.
    Child(u32),
    /// Along an edge that has no node yet.
    Edge(u16),
}

/// A move that a node can choose.
pub(crate) struct Candidate {
    step: Step,
    edge: u16,
    score: f32,
    started: u32,
}

/// Chooses argmax π'(a) − N(a) / (1 + Σ N): the move whose share of the visits lags furthest behind
/// its share of the improved policy (Danihelka et al. 2022, §5). The choice is deterministic.
///
/// Moves with a proven result are left out of both the sums and the choice, since visiting them
/// teaches nothing. `None` means that all are proven.
///
/// Unvisited moves share one completed Q, so they keep the order of their priors and only the first
/// of them can be chosen; the others matter only through the sum of their priors. So the cost is
/// one step per *visited* move, however many moves are legal.
pub(crate) fn choose(
    tree: &Tree,
    node: u32,
    settings: &Settings,
    candidates: &mut Vec<Candidate>,
) -> Option<Step> {
    let parent = tree.node(node);
    let mut visited = Visited::default();
    let mut most_visits = 0;
    let mut prior_unvisited = 1.0;
    for (_, child) in tree.children(node) {
        if child.visits > 0 {
            visited.add(child.visits, child.prior, winrate(child.value, parent.mover));
        }
        most_visits = most_visits.max(child.started());
        prior_unvisited -= child.prior;
    }
    let scale = settings.scale(most_visits);
    let mixed = visited.mixed_value(winrate(parent.raw_value, parent.mover));

    candidates.clear();
    let mut best_score = f32::NEG_INFINITY;
    let mut visits = 0;
    for (index, child) in tree.children(node).filter(|(_, child)| child.proven.is_none()) {
        let completed = if child.visits > 0 { winrate(child.value, parent.mover) } else { mixed };
        let score = child.logit + scale * completed;
        let started = child.started();
        candidates.push(Candidate { step: Step::Child(index), edge: child.edge, score, started });
        best_score = best_score.max(score);
        visits += started;
    }
    let mut rest = None;
    if parent.next_edge != NO_EDGE {
        let edge = parent.next_edge;
        let unvisited = &tree.edges(node)[usize::from(edge)];
        let score = unvisited.logit() + scale * mixed;
        candidates.push(Candidate { step: Step::Edge(edge), edge, score, started: 0 });
        best_score = best_score.max(score);
        rest = Some(prior_unvisited / unvisited.prior);
    }
    let mut sum = 0.0;
    for candidate in candidates.iter_mut() {
        candidate.score = exp(candidate.score - best_score);
        sum += candidate.score;
    }
    // The last candidate stands for all unvisited moves, so add the mass of those behind it.
    if let (Some(moves), Some(first)) = (rest, candidates.last()) {
        sum += first.score * (moves - 1.0).max(0.0);
    }
    best(candidates, sum, 1.0 + visits as f32)
}

fn best(candidates: &[Candidate], sum: f32, visits: f32) -> Option<Step> {
    let lag = |candidate: &Candidate| candidate.score / sum - candidate.started as f32 / visits;
    let best = candidates.iter().max_by(|a, b| {
        // Break ties by the earlier legal move, so that the order of the list does not matter.
        lag(a).total_cmp(&lag(b)).then(b.edge.cmp(&a.edge))
    })?;
    Some(best.step)
}

//! Statistics of the subtree below each root move: the spread of its evaluations, and the lead.

use crate::tree::{NO_EDGE, ROOT, Tree};

/// Sums over a child of the root and the nodes below it.
#[derive(Clone, Copy, Default)]
pub(crate) struct SubtreeStats {
    count: f64,
    values: f64,
    squares: f64,
    /// Count, sum and sum of squares of the known leads.
    lead_count: f64,
    leads: f64,
    lead_squares: f64,
}

/// Black's expected lead in points: see [`crate::Evaluation::lead`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The mean over evaluations and finished games.
    pub mean: f32,
    /// The standard deviation over the positions; 0 for a single position.
    pub deviation: f32,
}

impl SubtreeStats {
    /// The sums of each root edge. One sweep computes all of them, because every report of a search
    /// needs all.
    pub fn of_root_edges(tree: &Tree) -> Vec<SubtreeStats> {
        let mut sums = vec![SubtreeStats::default(); tree.edges(ROOT).len()];
        // The root edge above each node. A node comes after its parent in the arena.
        let mut above = vec![NO_EDGE; tree.nodes.len()];
        for (index, node) in tree.nodes.iter().enumerate().skip(1) {
            above[index] =
                if node.parent == ROOT { node.edge } else { above[node.parent as usize] };
            if node.visits > 0 {
                sums[usize::from(above[index])].add(tree, index);
            }
        }
        sums
    }

    fn add(&mut self, tree: &Tree, index: usize) {
        let value = f64::from(tree.nodes[index].raw_value);
        self.count += 1.0;
        self.values += value;
        self.squares += value * value;
        self.add_lead(tree, index);
    }

    fn add_lead(&mut self, tree: &Tree, index: usize) {
        if let Some((lead, times)) = lead_of(tree, index) {
            self.lead_count += times;
            self.leads += times * lead;
            self.lead_squares += times * lead * lead;
        }
    }

    pub fn discard_leads(&mut self) {
        self.lead_count = 0.0;
    }

    /// Variance of the evaluations; 1, the maximum, if there are fewer than two.
    pub fn variance(&self) -> f32 {
        let SubtreeStats { count, values, squares, .. } = *self;
        if count < 2.0 {
            return 1.0;
        }
        ((squares - values * values / count) / (count - 1.0)).max(0.0) as f32
    }

    /// The lead, if any is known.
    pub fn lead(&self) -> Option<Lead> {
        let mean = self.leads / self.lead_count;
        let variance = (self.lead_squares / self.lead_count - mean * mean).max(0.0);
        (self.lead_count > 0.0)
            .then(|| Lead { mean: mean as f32, deviation: variance.sqrt() as f32 })
    }

    /// The lead at the root, including everything below it.
    pub fn lead_at_root(tree: &Tree) -> Option<Lead> {
        let mut all = SubtreeStats::default();
        (0..tree.nodes.len()).for_each(|index| all.add_lead(tree, index));
        all.lead()
    }
}

/// Black's lead at a node, and the number of simulations behind it: a finished game counts once per
/// visit. Nobody leads in a draw, whatever the board is worth where a repetition ends the game.
fn lead_of(tree: &Tree, index: usize) -> Option<(f64, f64)> {
    let (node, position) = (&tree.nodes[index], &tree.positions[index]);
    match position.outcome() {
        Some(outcome) => {
            let is_draw = outcome.result.winner().is_none();
            let lead = |score: f32| if is_draw { 0.0 } else { f64::from(score) };
            position.score().map(|score| (lead(score), f64::from(node.visits)))
        }
        None => node.raw_lead.is_finite().then(|| (f64::from(node.raw_lead), 1.0)),
    }
}

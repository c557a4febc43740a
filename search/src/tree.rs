//! The search tree in three arenas (nodes, positions, edges): expansion, and the backup of values
//! and proofs.

use engine::{Color, GameResult, Move, Position};

use crate::Evaluation;
use crate::arithmetic::ln;

/// A missing node: the end of a list of children, or the root's parent.
pub(crate) const NONE: u32 = u32::MAX;
/// The index of the root.
pub(crate) const ROOT: u32 = 0;
/// A missing edge: every move has a node.
pub(crate) const NO_EDGE: u16 = u16::MAX;

/// Lower bound on priors. A network's softmax may underflow to 0, but logits must be finite.
const MIN_PRIOR: f32 = 1e-30;

/// A legal move of a node. Most are never visited and cost only these eight bytes.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub played: Move,
    pub prior: f32,
}

impl Edge {
    /// Computed on demand: most moves are never visited.
    pub fn logit(&self) -> f32 {
        ln(self.prior)
    }
}

/// A position that has been visited or is waiting for its evaluation.
///
/// The visited moves form its list of children, newest first. At an interior node they are always
/// those with the largest priors, so selection needs only `next_edge` of the others.
pub(crate) struct Node {
    pub parent: u32,
    pub first_child: u32,
    pub next_sibling: u32,
    pub first_edge: u32,
    /// Number of legal moves.
    pub edges: u16,
    /// The index of the parent's edge that leads here.
    pub edge: u16,
    /// The most likely edge without a node.
    pub next_edge: u16,
    pub proven_children: u16,
    /// Completed simulations that passed through or ended here.
    pub visits: u32,
    /// Simulations in flight.
    pub in_flight: u32,
    /// Prior and logit of the edge that leads here.
    pub prior: f32,
    pub logit: f32,
    /// The evaluator's value, Black's.
    pub raw_value: f32,
    /// The value after search, Black's.
    pub value: f32,
    /// The evaluator's lead, Black's; NaN if unknown.
    pub raw_lead: f32,
    pub mover: Color,
    pub evaluated: bool,
    /// The result under best play, if the tree proves one.
    pub proven: Option<GameResult>,
}

impl Node {
    /// Visits including those in flight, which selection counts as made.
    pub fn started(&self) -> u32 {
        self.visits + self.in_flight
    }
}

/// Nodes and, parallel to them, positions; and the edges of all nodes, each node's in the order of
/// its legal moves.
#[derive(Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub positions: Vec<Position>,
    edges: Vec<Edge>,
    /// Evaluations saved from the search of the previous position, sorted by key.
    saved: Vec<SavedEvaluation>,
}

/// The evaluation of a position that may get a node again.
struct SavedEvaluation {
    /// [`Position::hash`], which is enough to distinguish positions of one game.
    key: u64,
    first_edge: u32,
    edges: u16,
    raw_value: f32,
    raw_lead: f32,
}

impl Tree {
    /// An empty tree with room for a root and `simulations` nodes: positions are large, and growing
    /// would copy all of them.
    pub fn with_capacity_for(simulations: u32) -> Tree {
        let nodes = simulations as usize + 1;
        Tree {
            nodes: Vec::with_capacity(nodes),
            positions: Vec::with_capacity(nodes),
            ..Tree::default()
        }
    }

    /// Clears the tree, keeping its memory, and sets a new root.
    pub fn reset(&mut self, root: Position) {
        self.nodes.clear();
        self.positions.clear();
        self.edges.clear();
        self.saved.clear();
        self.push(NONE, NO_EDGE, 1.0, root);
    }

    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub fn edges(&self, node: u32) -> &[Edge] {
        let node = self.node(node);
        &self.edges[node.first_edge as usize..][..usize::from(node.edges)]
    }

    /// The visited moves of a node, newest first.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (u32, &Node)> {
        let mut next = self.node(node).first_child;
        std::iter::from_fn(move || {
            let index = next;
            let child = self.nodes.get(index as usize)?;
            next = child.next_sibling;
            Some((index, child))
        })
    }

    /// Adds a node. A finished game is proven, and its value is exact.
    fn push(&mut self, parent: u32, edge: u16, prior: f32, position: Position) -> u32 {
        let index = self.nodes.len() as u32;
        let proven = position.outcome().map(|outcome| outcome.result);
        let value = proven.map_or(0.0, GameResult::black_value);
        self.nodes.push(Node {
            parent,
            first_child: NONE,
            next_sibling: NONE,
            first_edge: 0,
            edges: 0,
            edge,
            next_edge: NO_EDGE,
            proven_children: 0,
            visits: 0,
            in_flight: 0,
            prior,
            logit: ln(prior),
            raw_value: value,
            value,
            raw_lead: f32::NAN,
            mover: position.turn(),
            evaluated: false,
            proven,
        });
        self.positions.push(position);
        index
    }

    /// Plays an edge that has no node yet and returns the new node.
    pub fn visit(&mut self, parent: u32, edge: u16) -> u32 {
        let Edge { played, prior } = self.edges(parent)[usize::from(edge)];
        let mut position = self.positions[parent as usize].clone();
        position.play_unchecked(played);
        let child = self.push(parent, edge, prior, position);
        self.nodes[child as usize].next_sibling = self.node(parent).first_child;
        self.nodes[parent as usize].first_child = child;
        if self.node(parent).next_edge == edge {
            self.nodes[parent as usize].next_edge = self.likeliest_after(parent, edge);
        }
        child
    }

    /// The edge that follows `last` in order of decreasing prior, with ties in the order of moves.
    fn likeliest_after(&self, node: u32, last: u16) -> u16 {
        let edges = self.edges(node);
        let limit = edges[usize::from(last)].prior;
        let mut best = NO_EDGE;
        let mut best_prior = 0.0;
        for (index, edge) in edges.iter().enumerate() {
            let follows = edge.prior < limit || (edge.prior == limit && index > usize::from(last));
            if follows && edge.prior > best_prior {
                best = index as u16;
                best_prior = edge.prior;
            }
        }
        best
    }

    /// Stores the evaluation of a node, which must have been checked.
    pub fn evaluate(&mut self, node: u32, evaluation: &Evaluation) {
        let policy = &evaluation.policy;
        let sum: f32 = policy.iter().map(|(_, prior)| prior).sum();
        let first_edge = self.edges.len() as u32;
        self.edges.extend(
            policy
                .iter()
                .map(|&(played, prior)| Edge { played, prior: (prior / sum).max(MIN_PRIOR) }),
        );
        let value = evaluation.value.clamp(-1.0, 1.0);
        let lead = evaluation.lead.unwrap_or(f32::NAN);
        self.set_evaluation(node, first_edge, policy.len() as u16, value, lead);
    }

    /// Sets the edges, value and lead of a node.
    fn set_evaluation(
        &mut self,
        node: u32,
        first_edge: u32,
        edges: u16,
        raw_value: f32,
        raw_lead: f32,
    ) {
        let node = &mut self.nodes[node as usize];
        node.first_edge = first_edge;
        node.edges = edges;
        node.raw_value = raw_value;
        node.value = raw_value;
        node.raw_lead = raw_lead;
        node.evaluated = true;
        let mut best_prior = 0.0;
        let edges = &self.edges[first_edge as usize..][..usize::from(edges)];
        for (index, edge) in edges.iter().enumerate() {
            if edge.prior > best_prior {
                node.next_edge = index as u16;
                best_prior = edge.prior;
            }
        }
    }
}

/// What is kept when the root advances.
impl Tree {
    /// Makes the child of the root reached by `played` the new root, without the nodes below it.
    /// All their evaluations are saved, because the next search is likely to need them.
    pub fn advance(&mut self, played: Move, position: Position) {
        let Some(chosen) = self.evaluated_child(played) else {
            self.reset(position);
            return;
        };
        let chosen = chosen as usize;
        let Node { raw_value, raw_lead, .. } = self.nodes[chosen];
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut below = vec![false; self.nodes.len()];
        self.saved.clear();
        // A node comes after its parent, so the new root's edges come first.
        for (index, node) in self.nodes.iter().enumerate().skip(chosen) {
            below[index] = index == chosen || below[node.parent as usize];
            if !below[index] || !node.evaluated {
                continue;
            }
            let first_edge = edges.len() as u32;
            edges.extend_from_slice(self.edges(index as u32));
            if index > chosen {
                let key = self.positions[index].hash();
                let Node { edges, raw_value, raw_lead, .. } = *node;
                self.saved.push(SavedEvaluation { key, first_edge, edges, raw_value, raw_lead });
            }
        }
        self.saved.sort_unstable_by_key(|saved| saved.key);
        let moves = self.nodes[chosen].edges;
        self.edges = edges;
        self.nodes.clear();
        self.positions.clear();
        let root = self.push(NONE, NO_EDGE, 1.0, position);
        self.set_evaluation(root, 0, moves, raw_value, raw_lead);
        self.nodes[root as usize].visits = 1;
    }

    /// Evaluates a node from a saved evaluation; `false` if there is none.
    pub fn restore_evaluation(&mut self, node: u32) -> bool {
        if self.saved.is_empty() {
            return false;
        }
        let key = self.positions[node as usize].hash();
        let Ok(found) = self.saved.binary_search_by_key(&key, |saved| saved.key) else {
            return false;
        };
        let SavedEvaluation { first_edge, edges, raw_value, raw_lead, .. } = self.saved[found];
        self.set_evaluation(node, first_edge, edges, raw_value, raw_lead);
        true
    }

    /// The child of the root reached by `played`, if it has been evaluated.
    fn evaluated_child(&self, played: Move) -> Option<u32> {
        let moves = self.edges(ROOT);
        self.children(ROOT)
            .find(|(_, child)| child.evaluated && moves[usize::from(child.edge)].played == played)
            .map(|(index, _)| index)
    }

    /// Makes the child of the root reached by `played` the new root, with everything below it.
    /// Returns `false` and leaves the tree unchanged if there is no evaluated child. No leaf may be
    /// in flight.
    pub fn advance_with_subtree(&mut self, played: Move) -> bool {
        let Some(chosen) = self.evaluated_child(played) else { return false };
        // A node comes after its parent, so one sweep finds everything below the new root.
        let mut places = vec![NONE; self.nodes.len()];
        let place = |places: &[u32], node: u32| places.get(node as usize).copied().unwrap_or(NONE);
        let mut kept = Tree::default();
        let nodes = std::mem::take(&mut self.nodes);
        let positions = std::mem::take(&mut self.positions);
        for (index, (node, position)) in nodes.into_iter().zip(positions).enumerate() {
            let parent = if index == chosen as usize { NONE } else { place(&places, node.parent) };
            if index != chosen as usize && parent == NONE {
                continue;
            }
            places[index] = kept.nodes.len() as u32;
            let first_edge = kept.edges.len() as u32;
            let edges =
                node.first_edge as usize..node.first_edge as usize + usize::from(node.edges);
            kept.edges.extend_from_slice(&self.edges[edges]);
            kept.nodes.push(Node { parent, first_edge, ..node });
            kept.positions.push(position);
        }
        for node in &mut kept.nodes {
            node.first_child = place(&places, node.first_child);
            node.next_sibling = place(&places, node.next_sibling);
        }
        let root = &mut kept.nodes[ROOT as usize];
        root.next_sibling = NONE;
        root.edge = NO_EDGE;
        *self = kept;
        true
    }
}

/// Backup of visits, values and proofs.
impl Tree {
    /// Updates the number of simulations in flight on the path to a node: one more if `started`,
    /// otherwise one fewer.
    pub fn count_in_flight(&mut self, node: u32, started: bool) {
        let mut index = node;
        while index != NONE {
            let node = &mut self.nodes[index as usize];
            node.in_flight = if started { node.in_flight + 1 } else { node.in_flight - 1 };
            index = node.parent;
        }
    }

    /// A node waiting for its evaluation, if there is one.
    pub fn in_flight(&self) -> Option<u32> {
        let waits = |node: &Node| !node.evaluated && node.in_flight > 0;
        let is_any = self.node(ROOT).in_flight > 0;
        let place = is_any.then(|| self.nodes.iter().position(waits)).flatten();
        place.map(|place| place as u32)
    }

    /// Completes a simulation at `leaf`, whose value has just been set, by backing it up to the
    /// root.
    pub fn back_up(&mut self, leaf: u32) {
        let mut child = leaf;
        self.nodes[leaf as usize].visits += 1;
        let mut newly_proven = self.node(leaf).proven.is_some();
        while self.node(child).parent != NONE {
            let parent = self.node(child).parent;
            let node = &mut self.nodes[parent as usize];
            node.visits += 1;
            if newly_proven {
                node.proven_children += 1;
                newly_proven = self.prove(parent, child);
            }
            self.nodes[parent as usize].value = self.searched_value(parent);
            child = parent;
        }
    }

    /// Whether `child`, newly proven, decides `parent` too: it wins for the player to move there,
    /// or it was the last legal move that might still have been better than the others.
    fn prove(&mut self, parent: u32, child: u32) -> bool {
        let node = self.node(parent);
        if node.proven.is_some() {
            return false;
        }
        let won = Some(GameResult::Won(node.mover));
        let proven = if self.node(child).proven == won {
            won
        } else if node.proven_children == node.edges {
            let draw =
                self.children(parent).any(|(_, child)| child.proven == Some(GameResult::Draw));
            let lost = GameResult::Won(node.mover.opponent());
            Some(if draw { GameResult::Draw } else { lost })
        } else {
            return false;
        };
        self.nodes[parent as usize].proven = proven;
        true
    }

    /// The value of a node computed from its children: (v̂ + Σ N(a) v(a)) / (1 + Σ N(a)), which
    /// without proofs is the mean of all evaluations below.
    ///
    /// It is recomputed rather than accumulated, so that proofs take effect immediately: moves
    /// proven to lose drop out, since they will not be played, and a proven draw is a lower bound.
    fn searched_value(&self, node: u32) -> f32 {
        let parent = self.node(node);
        if let Some(result) = parent.proven {
            return result.black_value();
        }
        let lost = Some(GameResult::Won(parent.mover.opponent()));
        let mut sum = parent.raw_value;
        let mut visits = 1;
        let mut draw_in_hand = false;
        for (_, child) in self.children(node) {
            if child.proven != lost {
                sum += child.visits as f32 * child.value;
                visits += child.visits;
                draw_in_hand |= child.proven == Some(GameResult::Draw);
            }
        }
        let mean = sum / visits as f32;
        match (draw_in_hand, parent.mover) {
            (false, _) => mean,
            (true, Color::Black) => mean.max(0.0),
            (true, Color::White) => mean.min(0.0),
        }
    }
}

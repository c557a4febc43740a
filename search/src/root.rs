//! Selection at the root: Gumbel noise and sequential halving.

use crate::Settings;
use crate::gumbel::SplitMix;
use crate::halving::schedule;
use crate::improvement::{Visited, quality};
use crate::interior::Step;
use crate::tree::{NONE, Node, ROOT, Tree};

/// What the root knows beyond its node.
#[derive(Default)]
pub(crate) struct Root {
    /// g(a) + logit(a) of each legal move.
    noisy_logits: Vec<f32>,
    /// The node of each legal move, or NONE.
    pub children: Vec<u32>,
    /// For each simulation, how often the move it goes to was visited before.
    levels: Vec<u32>,
}

impl Root {
    /// Draws the noise, one number for each legal move in order, and fixes the schedule.
    /// To be called when the root has its evaluation.
    pub fn prepare(&mut self, tree: &Tree, settings: &Settings, seed: u64) {
        let mut random = SplitMix::new(seed);
        let edges = tree.edges(ROOT);
        self.noisy_logits.clear();
        self.noisy_logits
            .extend(edges.iter().map(|edge| settings.gumbel_scale * random.gumbel() + edge.logit));
        self.children.clear();
        self.children.resize(edges.len(), NONE);
        let considered = settings.considered.min(settings.simulations).min(edges.len() as u32);
        schedule(considered, settings.simulations, &mut self.levels);
    }

    /// The move that the simulation with this number goes to.
    ///
    /// Among the moves with the scheduled number of visits it is the one with the largest
    /// g + logit + σ(completed Q). Moves with a proven result get no more visits; should that leave
    /// no move with the scheduled number, its visits go to those nearest below it, or else above.
    pub fn choose(&self, tree: &Tree, settings: &Settings, simulation: u32) -> Option<Step> {
        let level = *self.levels.get(simulation as usize)?;
        let scores = Scores::of(self, tree, settings);
        let mut best: Option<(u16, (bool, u32), f32)> = None;
        for (edge, &child) in self.children.iter().enumerate() {
            let child = tree.nodes.get(child as usize);
            if child.is_some_and(|child| child.proven.is_some()) {
                continue;
            }
            let started = child.map_or(0, Node::started);
            let nearness =
                if started <= level { (true, started) } else { (false, u32::MAX - started) };
            let score = self.noisy_logits[edge] + scores.sigma(child);
            if best.is_none_or(|(_, near, high)| (nearness, score) > (near, high)) {
                best = Some((edge as u16, nearness, score));
            }
        }
        let (edge, ..) = best?;
        Some(match self.children[usize::from(edge)] {
            NONE => Step::Edge(edge),
            child => Step::Child(child),
        })
    }

    /// The move to play: proven wins first; else, among the most visited moves and the proven
    /// draws, the one with the largest g + logit + σ(completed Q). In a lost position it is the move
    /// whose refutation took the most visits.
    pub fn best(&self, tree: &Tree, settings: &Settings) -> usize {
        let mover = tree.node(ROOT).mover;
        let scores = Scores::of(self, tree, settings);
        let visits_unless_proven = |&child: &u32| match tree.nodes.get(child as usize) {
            Some(child) if child.proven.is_some() => None,
            Some(child) => Some(child.visits),
            None => Some(0),
        };
        let most_visits = self.children.iter().filter_map(visits_unless_proven).max();
        let rank = |edge: usize| {
            let child = tree.nodes.get(self.children[edge] as usize);
            let visits = child.map_or(0, |child| child.visits);
            match child.and_then(|child| child.proven) {
                Some(Some(winner)) if winner == mover => (3, 0),
                Some(None) => (2, 0),
                None if Some(visits) == most_visits => (2, 0),
                None => (1, 0),
                Some(Some(_)) => (0, visits),
            }
        };
        let mut best = 0;
        let mut best_key = None;
        for edge in 0..self.children.len() {
            let child = tree.nodes.get(self.children[edge] as usize);
            let key = (rank(edge), self.noisy_logits[edge] + scores.sigma(child));
            if best_key.is_none_or(|other| key > other) {
                best = edge;
                best_key = Some(key);
            }
        }
        best
    }
}

/// The completed Q of the root's moves, as σ turns it into logits.
pub(crate) struct Scores {
    mover: engine::Color,
    scale: f32,
    mixed: f32,
}

impl Scores {
    pub fn of(root: &Root, tree: &Tree, settings: &Settings) -> Self {
        let node = tree.node(ROOT);
        let mover = node.mover;
        let mut visited = Visited::default();
        let mut most_visits = 0;
        // In the order of moves, not of visits, so that sums are the same however leaves arrive.
        for &child in &root.children {
            if let Some(child) = tree.nodes.get(child as usize).filter(|child| child.visits > 0) {
                visited.add(child.visits, child.prior, quality(child.value, mover));
                most_visits = most_visits.max(child.visits);
            }
        }
        let mixed = visited.mixed_value(quality(node.raw_value, mover));
        Scores { mover, scale: settings.scale(most_visits), mixed }
    }

    /// Completed Q from the mover's point of view.
    pub fn completed(&self, child: Option<&Node>) -> f32 {
        match child {
            Some(child) if child.visits > 0 => quality(child.value, self.mover),
            _ => self.mixed,
        }
    }

    /// σ(completed Q).
    pub fn sigma(&self, child: Option<&Node>) -> f32 {
        self.scale * self.completed(child)
    }
}

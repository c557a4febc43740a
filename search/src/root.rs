//! Selection at the root: Gumbel noise and sequential halving.

use std::cmp::Reverse;

use engine::{GameResult, Move};

use crate::Settings;
use crate::evaluation::winrate;
use crate::improvement::Visited;
use crate::interior::Step;
use crate::split_mix::SplitMix;
use crate::tree::{NONE, Node, ROOT, Tree};

/// The state that selection at the root needs beyond the root's node.
#[derive(Default)]
pub(crate) struct Root {
    /// g(a) + logit(a) of each legal move.
    noisy_logits: Vec<f32>,
    /// All moves by decreasing g + logit, and how many of them are known to have a node. Unvisited
    /// moves share one completed Q, so only the first of them can be chosen.
    ranking: Vec<u16>,
    passed: usize,
    /// The node of each legal move, or NONE.
    pub children: Vec<u32>,
    /// The moves that have a node, in the order of moves.
    visited: Vec<u16>,
    /// The moves that may be visited or played, if restricted.
    allowed_moves: Option<Vec<Move>>,
    /// Whether each legal move is excluded.
    excluded: Vec<bool>,
    /// Whether a move may always be played although another has more visits, if it has at least
    /// half as many.
    pub half_is_enough: bool,
}

impl Root {
    /// Draws one noise sample per legal move, in order. Call it once the root has been evaluated.
    pub fn prepare(&mut self, tree: &Tree, settings: &Settings, seed: u64) {
        let mut random = SplitMix::new(seed);
        let edges = tree.edges(ROOT);
        self.noisy_logits.clear();
        self.noisy_logits.extend(
            edges.iter().map(|edge| settings.gumbel_scale * random.gumbel() + edge.logit()),
        );
        self.children.clear();
        self.children.resize(edges.len(), NONE);
        self.visited.clear();
        for (index, child) in tree.children(ROOT) {
            self.add_child(child.edge, index);
        }
        self.ranking.clear();
        self.ranking.extend(0..edges.len() as u16);
        let noisy = |edge: &u16| self.noisy_logits[usize::from(*edge)];
        self.ranking.sort_by(|a, b| noisy(b).total_cmp(&noisy(a)));
        self.passed = 0;
        let is_excluded =
            |played| self.allowed_moves.as_ref().is_some_and(|only| !only.contains(played));
        self.excluded.clear();
        self.excluded.extend(edges.iter().map(|edge| is_excluded(&edge.played)));
    }

    /// Records a move's node.
    pub fn add_child(&mut self, edge: u16, child: u32) {
        self.children[usize::from(edge)] = child;
        let place = self.visited.partition_point(|&other| other < edge);
        self.visited.insert(place, edge);
    }

    /// The first move in the ranking that may be visited and has no node.
    fn best_unvisited(&mut self) -> Option<u16> {
        let unfit = |&&edge: &&u16| {
            self.children[usize::from(edge)] != NONE || self.excluded[usize::from(edge)]
        };
        self.passed += self.ranking[self.passed..].iter().take_while(unfit).count();
        self.ranking.get(self.passed).copied()
    }

    /// Restricts the root to these moves. Call it before the root is evaluated.
    pub fn allow_only(&mut self, only: Vec<Move>) {
        self.allowed_moves = Some(only);
    }

    /// Lifts the restriction for the next root.
    pub fn allow_all(&mut self) {
        self.allowed_moves = None;
    }

    /// The number of moves that may be visited.
    pub fn allowed(&self) -> usize {
        self.excluded.iter().filter(|&&excluded| !excluded).count()
    }

    /// Whether a move may not be visited or played.
    pub fn is_excluded(&self, edge: usize) -> bool {
        self.excluded.get(edge).is_some_and(|&excluded| excluded)
    }

    /// The visits of the allowed moves, including those in flight.
    pub fn open_visits(&self, tree: &Tree) -> Vec<u32> {
        let mut visits = Vec::with_capacity(self.children.len());
        for (edge, &child) in self.children.iter().enumerate() {
            let child = tree.nodes.get(child as usize);
            if !self.excluded[edge] && child.is_none_or(|child| child.proven.is_none()) {
                visits.push(child.map_or(0, Node::started));
            }
        }
        visits
    }

    /// The move of the next simulation, given that the schedule asks for a move with `level`
    /// visits.
    ///
    /// Of the moves with that many visits, it is the one with the largest g + logit + σ(completed
    /// Q). Moves with a proven result get no more visits. If that leaves no move with the scheduled
    /// number, the visit goes to a move with the nearest smaller number, or else the nearest larger
    /// one.
    pub fn choose(&mut self, tree: &Tree, settings: &Settings, level: u32) -> Option<Step> {
        let scores = Scores::of(self, tree, settings);
        let unvisited = self.best_unvisited();
        let mut best: Option<(u16, (bool, u32), f32)> = None;
        for &edge in self.visited.iter().chain(&unvisited) {
            let child = tree.nodes.get(self.children[usize::from(edge)] as usize);
            if self.is_excluded(edge.into()) || child.is_some_and(|child| child.proven.is_some()) {
                continue;
            }
            let started = child.map_or(0, Node::started);
            let nearness =
                if started <= level { (true, started) } else { (false, u32::MAX - started) };
            let score = self.noisy_logits[usize::from(edge)] + scores.sigma(child);
            // Break ties by the earlier legal move.
            let better = |(other, near, high)| {
                (nearness, score, Reverse(edge)) > (near, high, Reverse(other))
            };
            if best.is_none_or(better) {
                best = Some((edge, nearness, score));
            }
        }
        let (edge, ..) = best?;
        Some(match self.children[usize::from(edge)] {
            NONE => Step::Edge(edge),
            child => Step::Child(child),
        })
    }

    /// The move to play: a proven win if there is one; otherwise, among the most visited moves and
    /// the proven draws, the one with the largest g + logit + σ(completed Q). In a lost position it
    /// is the move whose refutation took the most visits.
    ///
    /// An open-ended search may stop in the middle of a round, and may have inherited visits from
    /// the search of the previous position. Any search may be stopped before its budget is spent.
    /// There, a move counts as most visited if it has at least half as many visits as the most
    /// visited one.
    pub fn best(&self, tree: &Tree, settings: &Settings) -> usize {
        let mover = tree.node(ROOT).mover;
        let scores = Scores::of(self, tree, settings);
        let visits_unless_proven = |&child: &u32| match tree.nodes.get(child as usize) {
            Some(child) if child.proven.is_some() => None,
            Some(child) => Some(child.visits),
            None => Some(0),
        };
        let allowed = || self.children.iter().enumerate().filter(|&(edge, _)| !self.excluded[edge]);
        let most_visits =
            allowed().filter_map(|(_, child)| visits_unless_proven(child)).max().unwrap_or(0);
        // The root's own evaluation is a visit, too.
        let is_stopped = tree.node(ROOT).visits <= settings.simulations;
        let is_half_enough = self.half_is_enough || is_stopped;
        let enough = if is_half_enough { most_visits.div_ceil(2) } else { most_visits };
        let rank = |edge: usize| {
            let child = tree.nodes.get(self.children[edge] as usize);
            let visits = child.map_or(0, |child| child.visits);
            match child.and_then(|child| child.proven) {
                Some(GameResult::Won(winner)) if winner == mover => (3, 0),
                Some(GameResult::Draw) => (2, 0),
                None if visits >= enough => (2, 0),
                None => (1, 0),
                Some(GameResult::Won(_)) => (0, visits),
            }
        };
        let mut best = 0;
        let mut best_key = None;
        for (edge, _) in allowed() {
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

/// Computes the completed Q of the root's moves, and σ of it in logits.
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
        // Summed in the order of moves, not of visits, so that sums do not depend on the order in
        // which leaves arrive.
        for &edge in &root.visited {
            let child = tree.node(root.children[usize::from(edge)]);
            if child.visits > 0 {
                visited.add(child.visits, child.prior, winrate(child.value, mover));
                most_visits = most_visits.max(child.visits);
            }
        }
        let mixed = visited.mixed_value(winrate(node.raw_value, mover));
        Scores { mover, scale: settings.scale(most_visits), mixed }
    }

    /// Completed Q from the mover's point of view.
    pub fn completed(&self, child: Option<&Node>) -> f32 {
        match child {
            Some(child) if child.visits > 0 => winrate(child.value, self.mover),
            _ => self.mixed,
        }
    }

    /// σ(completed Q).
    pub fn sigma(&self, child: Option<&Node>) -> f32 {
        self.scale * self.completed(child)
    }
}

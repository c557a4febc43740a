//! The search for proofs that Black's value is at least a target, or is not.

use engine::{Color, Move, Reason};

use crate::evidence::{Evidence, Path};
use crate::goal::Goal;
use crate::life::safe_points;
use crate::reach::Forcing;
use crate::state::{Key, Limits, Node, Stones};
use crate::transposition::{Answer, Question, TranspositionTable};

/// The work limit has been reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkLimitReached;

/// Depth added in each round of deepening.
const DEPTH_INCREMENT: u16 = 2;

/// An answer with its evidence.
type Proof = (Answer, Evidence);

/// A search from one position.
pub(super) struct Prover<'a> {
    pub(super) limits: Limits,
    pub(super) goal: Goal,
    /// The range of values that are distinguished: smaller and larger ones count as its ends.
    value_range: (i32, i32),
    pub(super) path: Path,
    pub(super) nodes: u64,
    allowed: u64,
    table: &'a mut TranspositionTable,
    forcing: Option<&'a mut Forcing>,
    /// Part of every key, because what can be forced depends on the positions before the search.
    scope: u128,
    /// History heuristic: how often a move of each player has decided a node.
    successes: [Vec<u32>; 2],
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        limits: Limits,
        goal: Goal,
        value_range: (i32, i32),
        table: &'a mut TranspositionTable,
        forcing: Option<&'a mut Forcing>,
        allowed: u64,
    ) -> Prover<'a> {
        let actions = 2 * crate::value::MAX_AREA + 1;
        let path = Path::new(&limits);
        let successes = [vec![0; actions], vec![0; actions]];
        let nodes = 0;
        Prover {
            limits,
            goal,
            value_range,
            path,
            nodes,
            allowed,
            table,
            forcing,
            scope: 0,
            successes,
        }
    }

    /// Prepares for questions about the last of these positions, which led to it.
    pub(super) fn begin(&mut self, earlier: Vec<Stones>) {
        if let Some(forcing) = &mut self.forcing {
            forcing.exclude(earlier);
            let mut key = Key::new(0);
            forcing.excluded().iter().for_each(|&stones| key.add(stones));
            self.scope = key.finish();
        }
    }

    /// The value, by bisection of the distinguished range.
    pub(super) fn value(&mut self, node: &Node) -> Result<i32, WorkLimitReached> {
        let (mut low, mut high) = self.value_range;
        while low < high {
            let target = low + (high - low + 1) / 2;
            if self.at_least(node, target)? { low = target } else { high = target - 1 }
        }
        Ok(low)
    }

    /// The value after a move.
    pub(super) fn value_after(
        &mut self,
        node: &Node,
        played: Move,
    ) -> Result<i32, WorkLimitReached> {
        let next = node.after(played);
        self.path.enter(&next, played);
        let value = self.value(&next);
        self.path.leave();
        value
    }

    /// Whether a move keeps the value of the position.
    pub(super) fn keeps_value(
        &mut self,
        node: &Node,
        played: Move,
        value: i32,
    ) -> Result<bool, WorkLimitReached> {
        let next = node.after(played);
        self.path.enter(&next, played);
        let kept = match node.position.turn() {
            Color::Black => self.at_least(&next, value),
            Color::White => self.at_least(&next, value + 1).map(|more| !more),
        };
        self.path.leave();
        kept
    }

    /// Whether the value is at least the target: deepens iteratively until that is decided, at the
    /// latest when every line has reached the move limit.
    fn at_least(&mut self, node: &Node, target: i32) -> Result<bool, WorkLimitReached> {
        let (low, high) = self.value_range;
        // Targets reached by every value, or by none, need no search.
        if target <= low || target > high {
            return Ok(target <= low);
        }
        let target = self.attainable(target);
        let longest = (self.limits.max_moves as u16).saturating_sub(node.position.turns());
        let area = self.area(target);
        if let Some(forcing) = &mut self.forcing {
            forcing.prepare(area);
        }
        let mut depth = 0;
        loop {
            match self.prove(node, target, depth)?.0 {
                Answer::Yes => return Ok(true),
                Answer::No => return Ok(false),
                Answer::Open => depth = longest.min(depth + DEPTH_INCREMENT),
            }
        }
    }

    fn prove(&mut self, node: &Node, target: i32, depth: u16) -> Result<Proof, WorkLimitReached> {
        self.nodes += 1;
        if self.nodes > self.allowed {
            return Err(WorkLimitReached);
        }
        if let Some(proof) = self.known_without_search(node, target) {
            return Ok(proof);
        }
        if depth == 0 {
            return Ok((Answer::Open, Evidence::default()));
        }
        let turns = node.position.turns();
        let question = Question { key: node.key(&self.limits) ^ self.scope, target, turns, depth };
        let stored = self.table.look_up(&question, &self.path, &self.limits);
        if let Some(answer) = stored.answer {
            return Ok(answer);
        }
        let (answer, evidence, best) = self.try_moves(node, &question, stored.best)?;
        self.table.store(&question, answer, &evidence, &self.path, best);
        Ok((answer, evidence))
    }

    /// The answer for finished games, and for nodes where bounds hold for every continuation.
    fn known_without_search(&self, node: &Node, target: i32) -> Option<Proof> {
        let answer = |yes| if yes { Answer::Yes } else { Answer::No };
        if let Some(result) = self.goal.value(node, &self.limits) {
            let ended = node.position.outcome().map(|outcome| outcome.reason);
            let limit = ended == Some(Reason::MoveLimit);
            let mut evidence = Evidence { limit, ..Evidence::default() };
            self.compare_end(node, &mut evidence);
            return Some((answer(result >= target), evidence));
        }
        if let Some(proof) = self.forced(node, target) {
            return Some(proof);
        }
        let (low, high) = self.bounds(node);
        let known = (low >= target || high < target).then(|| answer(low >= target));
        known.map(|answer| (answer, Evidence::default()))
    }

    /// The answer if it can be forced whatever the history.
    fn forced(&self, node: &Node, target: i32) -> Option<Proof> {
        let turns = self.limits.max_moves.saturating_sub(node.position.turns().into());
        let (winner, height) = self.forcing.as_ref()?.winner(node, self.area(target), turns)?;
        let answer = match winner {
            Color::Black => Answer::Yes,
            Color::White => Answer::No,
        };
        Some((answer, Evidence { height, ..Evidence::default() }))
    }

    /// The least possible value that is at least the target, so that equivalent questions are
    /// equal.
    fn attainable(&self, target: i32) -> i32 {
        let Limits { scores_only, komi, .. } = self.limits;
        if scores_only { 2 * self.area(target) - komi } else { target }
    }

    /// The score without komi that Black needs for a value of at least the target.
    fn area(&self, target: i32) -> i32 {
        (target + self.limits.komi + 1).div_euclid(2)
    }

    /// Bounds of the value that depend only on the stones.
    fn bounds(&self, node: &Node) -> (i32, i32) {
        let Limits { lowest, highest, life_counts, .. } = self.limits;
        if !life_counts {
            return (lowest, highest);
        }
        // A safe point counts for its owner instead of, at worst, against: two points, or four half
        // points.
        let gain = |color| 4 * safe_points(&node.position, color) as i32;
        (lowest + gain(Color::Black), highest - gain(Color::White))
    }

    /// Black looks for a move that proves the target, White for one that refutes it, unless both
    /// want the same.
    fn try_moves(
        &mut self,
        node: &Node,
        question: &Question,
        first: Option<Move>,
    ) -> Result<(Answer, Evidence, Option<Move>), WorkLimitReached> {
        let (wanted, unwanted) = match self.goal.wants_more(node.position.turn()) {
            true => (Answer::Yes, Answer::No),
            false => (Answer::No, Answer::Yes),
        };
        let mut all = Evidence::default();
        let mut open = None;
        for played in self.ordered_moves(node, first) {
            let next = node.after(played);
            self.path.enter(&next, played);
            let proof = self.prove(&next, question.target, question.depth - 1);
            self.path.leave();
            let (answer, evidence) = proof?;
            let mut evidence = evidence.after_a_turn();
            self.path.compare(&next, played, &mut evidence);
            self.compare_early_end(node, &next, &mut evidence);
            if answer == wanted {
                self.compare_plays(node, played, &mut evidence);
                let action = played.action(node.position.size());
                self.successes[node.position.turn().index()][action] += 1;
                return Ok((wanted, evidence, Some(played)));
            }
            all.join(&evidence);
            if answer == Answer::Open {
                open = open.or(Some(played));
            }
        }
        if open.is_some() {
            return Ok((Answer::Open, Evidence::default(), open));
        }
        self.compare_banned(node, &mut all);
        Ok((unwanted, all, None))
    }

    /// Move ordering: the stored move first, then a pass that ends the game, then the most
    /// successful moves.
    fn ordered_moves(&self, node: &Node, first: Option<Move>) -> Vec<Move> {
        let position = &node.position;
        let ends = position.pass_would_end();
        let successes = &self.successes[position.turn().index()];
        let mut moves = position.legal_moves().to_vec();
        moves.sort_by_key(|&played| {
            let rank = match played {
                _ if first == Some(played) => 0,
                Move::Pass if ends => 1,
                Move::Pass | Move::Place(_) | Move::PlaceStarred(_) => 2,
            };
            (rank, std::cmp::Reverse(successes[played.action(position.size())]))
        });
        moves
    }
}

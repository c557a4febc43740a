//! The result of a search: the move to play and the targets to learn from.

use std::cmp::Ordering;

use engine::{Color, GameResult, Move, Position};

use crate::Settings;
use crate::arithmetic::{exp, ln};
use crate::draw::draw;
use crate::evaluation::winrate;
use crate::improvement::{softmax, value_of};
use crate::root::{Root, Scores};
use crate::tree::{Edge, Node, ROOT, Tree};

/// Weights below e to this power, relative to the likeliest move, are treated as zero.
const NEGLIGIBLE: f32 = -20.0;

/// A player whose winning probability is below this has lost a match game or a game against a
/// person.
const LOST: f32 = 0.03;

/// The result of a search. Values are Black's.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play: the winner of sequential halving, or a proven win.
    /// [`Move::Pass`] if the game is over.
    pub best: Move,
    /// Expected result under the improved policy, Σ π'(a) · completed Q(a); exact if proven.
    pub root_value: f32,
    /// The evaluator's value of the root, before any search.
    pub raw_value: f32,
    /// The statistics of each legal move, in the order of legal moves.
    pub moves: Vec<MoveStats>,
    /// How far the search moved the policy: the divergence KL(π' ‖ π) in nats.
    pub surprise: f32,
    /// The result of the root, if it is proven.
    pub proven: Option<GameResult>,
}

/// A search's statistics of one root move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStats {
    /// The move.
    pub played: Move,
    /// The evaluator's probability, from 0 to 1.
    pub prior: f32,
    /// Its probability after the search, π'(a) ∝ π(a) · exp(σ(completed Q(a))): the policy target.
    /// Sums to 1 over all moves.
    ///
    /// With proven results, losing moves get no weight as long as another move may not lose, and in
    /// a won or drawn position all weight is on moves that keep the result.
    pub policy: f32,
    /// Simulations that went through the move.
    pub visits: u32,
    /// Expected result for Black after it, from −1 to 1; `None` if it was not visited.
    pub value: Option<f32>,
    /// The result, if it is proven.
    pub proven: Option<GameResult>,
}

impl MoveStats {
    /// Statistics of a move about which nothing is known, one of `moves` such moves.
    fn unknown(played: Move, moves: usize) -> MoveStats {
        let share = 1.0 / moves as f32;
        MoveStats { played, prior: share, policy: share, visits: 0, value: None, proven: None }
    }

    /// The display order of `mover`'s moves: proven wins first and proven losses last, however
    /// often they were visited before; between them the most visited first, then the most probable.
    pub fn display_order(&self, other: &MoveStats, mover: Color) -> Ordering {
        let by_proof = proof_rank(other.proven, mover).cmp(&proof_rank(self.proven, mover));
        let by_visits = other.visits.cmp(&self.visits);
        by_proof.then(by_visits).then(other.policy.total_cmp(&self.policy))
    }

    /// Statistics of the only move that matters, because it ends the game with this result.
    pub fn deciding(played: Move, result: GameResult) -> MoveStats {
        let value = Some(result.black_value());
        MoveStats { value, proven: Some(result), ..MoveStats::unknown(played, 1) }
    }
}

impl SearchResult {
    /// The result before the root is evaluated: all legal moves are treated alike.
    pub(crate) fn uninformed(legal: &[Move], proven: Option<GameResult>) -> Self {
        let value = proven.map_or(0.0, GameResult::black_value);
        SearchResult {
            best: legal.first().copied().unwrap_or(Move::Pass),
            root_value: value,
            raw_value: value,
            moves: legal.iter().map(|&played| MoveStats::unknown(played, legal.len())).collect(),
            surprise: 0.0,
            proven,
        }
    }

    /// Whether the player to move in `root`, the searched position, should answer a pass with a
    /// pass: the current score is a loss, and the probability of winning by playing on is below
    /// `lost`.
    ///
    /// A search alone would never do so, because a pass that loses at once is its worst move.
    pub fn agrees_to_end(&self, root: &Position, lost: f32) -> bool {
        let mover = root.turn();
        let is_offered = root.rules().is_scored_by_area() && root.passes() > 0 && root.can_pass();
        is_offered
            && root.score().is_some_and(|score| mover.sign() * score < 0.0)
            && winrate(self.root_value, mover) < lost
    }

    /// The move to play in `root`, the searched position: a pass that ends a lost game by
    /// agreement, or a move drawn from the policy as in [`SearchResult::draw`]. Never passes by
    /// chance: if a pass is drawn that is not the best move, the best move is played.
    pub fn choose(&self, root: &Position, temperature: f32, chance: f32) -> Move {
        if self.agrees_to_end(root, LOST) {
            return Move::Pass;
        }
        match self.draw(temperature, chance) {
            Move::Pass => self.best,
            played @ (Move::Place(_) | Move::PlaceStarred(_)) => played,
        }
    }

    /// A move drawn from the policy with weights π'(a)^(1/`temperature`): at 0 the best move, at 1
    /// a sample from the policy itself, and far above 1 any move that is not ruled out. `chance`,
    /// from 0 to 1, selects the move.
    pub fn draw(&self, temperature: f32, chance: f32) -> Move {
        let most = self.moves.iter().map(|stats| stats.policy).fold(0.0, f32::max);
        if temperature <= 0.0 || most <= 0.0 {
            return self.best;
        }
        let weight = |stats: &MoveStats| {
            let exponent = (ln(stats.policy.max(f32::MIN_POSITIVE)) - ln(most)) / temperature;
            if stats.policy > 0.0 && exponent > NEGLIGIBLE { exp(exponent) } else { 0.0 }
        };
        let weights: Vec<f32> = self.moves.iter().map(weight).collect();
        let drawn = draw(&weights, chance.clamp(0.0, 1.0));
        drawn.map_or(self.best, |index| self.moves[index].played)
    }

    pub(crate) fn of(root: &Root, tree: &Tree, settings: &Settings) -> Self {
        let node = tree.node(ROOT);
        let edges = tree.edges(ROOT);
        let scores = Scores::of(root, tree, settings);
        let child = |edge: usize| tree.nodes.get(root.children[edge] as usize);

        // If every allowed move is a proven loss, the policy is spread over losses: the other moves
        // are not available.
        let allowed = || (0..edges.len()).filter(|&edge| !root.is_excluded(edge));
        let only_losses = allowed().all(|edge| is_ruled_out(child(edge), node));
        let mut policy = vec![f32::NEG_INFINITY; edges.len()];
        for edge in allowed().filter(|&edge| only_losses || !is_ruled_out(child(edge), node)) {
            policy[edge] = edges[edge].logit() + scores.sigma(child(edge));
        }
        softmax(&mut policy);
        let surprise = edges.iter().zip(&policy).map(|(edge, &weight)| {
            if weight > 0.0 { weight * (ln(weight) - edge.logit()) } else { 0.0 }
        });
        let surprise = surprise.sum::<f32>().max(0.0);
        let root_value = match node.proven {
            Some(result) => result.black_value(),
            None => {
                let value: f32 =
                    (0..edges.len()).map(|edge| policy[edge] * scores.completed(child(edge))).sum();
                value_of(value, node.mover)
            }
        };
        let stats = |edge: usize| {
            let Edge { played, prior } = edges[edge];
            let child = child(edge).filter(|child| child.visits > 0);
            MoveStats {
                played,
                prior,
                policy: policy[edge],
                visits: child.map_or(0, |child| child.visits),
                value: child.map(|child| child.value),
                proven: child.and_then(|child| child.proven),
            }
        };
        SearchResult {
            best: edges[root.best(tree, settings)].played,
            root_value,
            raw_value: node.raw_value,
            moves: (0..edges.len()).map(stats).collect(),
            surprise,
            proven: node.proven,
        }
    }
}

/// The rank that a proof gives to one of `mover`'s moves, before visits count: 2 for a win, 0 for a
/// loss, and 1 for all others. What decides may have been visited only once, since a proof ends the
/// visits.
pub(crate) fn proof_rank(proven: Option<GameResult>, mover: Color) -> u8 {
    match proven {
        Some(GameResult::Won(winner)) if winner == mover => 2,
        Some(GameResult::Draw) | None => 1,
        Some(GameResult::Won(_)) => 0,
    }
}

/// Whether a proof removes the move from the policy target.
fn is_ruled_out(child: Option<&Node>, root: &Node) -> bool {
    let proven = child.and_then(|child| child.proven);
    match root.proven {
        // In a lost position every move keeps the result, so none is ruled out.
        Some(_) => proven != root.proven,
        None => proven == Some(GameResult::Won(root.mover.opponent())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix;

    fn result(shares: &[f32]) -> SearchResult {
        let moves: Vec<Move> = ["A1", "B1", "C1", "pass"]
            .into_iter()
            .map(|text| text.parse().expect("a move"))
            .collect();
        let mut result = SearchResult::uninformed(&moves[..shares.len()], None);
        for (stats, &share) in result.moves.iter_mut().zip(shares) {
            stats.policy = share;
        }
        result
    }

    #[test]
    fn moves_are_drawn_by_the_policy_and_its_temperature() {
        let result = result(&[0.5, 0.0, 0.3, 0.2]);
        for (temperature, expected) in
            [(1.0, [0.5, 0.0, 0.3, 0.2]), (0.5, [0.657_9, 0.0, 0.236_8, 0.105_3])]
        {
            let mut random = SplitMix::new(1);
            let mut counts = [0; 4];
            for _ in 0..100_000 {
                let chosen = result.draw(temperature, random.open_uniform());
                let place = result.moves.iter().position(|stats| stats.played == chosen);
                counts[place.expect("a legal move")] += 1;
            }
            for (count, share) in counts.into_iter().zip(expected) {
                let found = f64::from(count) / 100_000.0;
                assert!((found - share).abs() < 0.01, "{counts:?} at {temperature}");
            }
        }
        assert_eq!(result.draw(0.0, 0.99), result.best);
    }

    #[test]
    fn a_lost_count_is_agreed_to_after_a_pass_and_not_before() {
        let agrees = |rules: &str, moves: &str, black: f32| {
            let mut root = Position::new(engine::Rules::parse(rules, 3).expect("rules"));
            for played in moves.split(' ') {
                root.play(played.parse().expect("a move")).expect("a legal move");
            }
            let moves = root.legal_moves();
            SearchResult { root_value: black, ..SearchResult::uninformed(&moves, None) }
                .agrees_to_end(&root, LOST)
        };
        assert!(agrees("go,komi=-5", "B2 A1 pass", 0.99));
        assert!(!agrees("go,komi=-5", "B2 A1 pass", 0.9), "there is hope");
        assert!(!agrees("go,komi=-5", "B2 A1 pass", -0.99), "it is White's");
        assert!(!agrees("go,komi=5", "B2 A1 pass", 0.99), "the count as it stands is White's");
        assert!(!agrees("go,komi=0", "B2 A1 pass", 0.99), "the count as it stands is a draw");
        assert!(!agrees("go,komi=-5", "B2 A1 A2", 0.99), "nobody has passed");
        assert!(agrees("hot-stone,komi=-5", "B2 A1 pass", 0.99), "the first of two more passes");
    }

    #[test]
    fn nobody_passes_by_mistake() {
        let root = Position::new(engine::Rules::parse("go", 2).expect("rules"));
        let moves = root.legal_moves();
        let mut result = SearchResult::uninformed(&moves, None);
        let chances = || (0..100).map(|chance| chance as f32 / 100.0);
        assert!(chances().any(|chance| result.draw(5.0, chance) == Move::Pass));
        assert!(chances().all(|chance| result.choose(&root, 5.0, chance) != Move::Pass));
        result.best = Move::Pass;
        assert_eq!(result.choose(&root, 0.0, 0.5), Move::Pass);
    }

    #[test]
    fn proven_wins_are_shown_first_and_proven_losses_last() {
        // A1 was refuted late, and the pass was found to win at its first visit.
        let mut moves = result(&[0.0, 0.0, 0.0, 1.0]).moves;
        for (stats, visits) in moves.iter_mut().zip([30, 2, 0, 1]) {
            stats.visits = visits;
        }
        moves[0].proven = Some(GameResult::Won(Color::White));
        moves[3].proven = Some(GameResult::Won(Color::Black));
        let order = |moves: &mut Vec<MoveStats>| {
            moves.sort_by(|one, other| one.display_order(other, Color::Black));
            moves.iter().map(|stats| stats.played.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(order(&mut moves), "pass B1 C1 A1");
        moves.iter_mut().for_each(|stats| stats.proven = None);
        assert_eq!(order(&mut moves), "A1 B1 pass C1", "a policy of 0 is no proof");
        moves[0].proven = Some(GameResult::Draw);
        assert_eq!(order(&mut moves), "A1 B1 pass C1", "nor does it make a draw a loss");
    }

    #[test]
    fn ends_of_the_range_choose_what_may_be_played() {
        let result = result(&[0.0, 1e-38, 1.0, 0.0]);
        for temperature in [1e-6, 0.1, 1.0, 1e6] {
            for chance in [0.0, 0.5, 1.0] {
                let chosen = result.draw(temperature, chance).to_string();
                assert!(chosen == "C1" || chosen == "B1" && temperature > 1.0, "{chosen}");
            }
        }
    }
}

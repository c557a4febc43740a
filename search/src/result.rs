//! What a search has found: the move to play and the targets to learn from.

use engine::{Color, Move, Position};

use crate::Settings;
use crate::arithmetic::{exp, ln};
use crate::improvement::{softmax, value_of};
use crate::root::{Root, Scores};
use crate::tree::{Node, ROOT, Tree, exact_value};

/// A weight of e to the power of this, against 1 of the likeliest move, is none.
const NEGLIGIBLE: f32 = -20.0;

/// Whose chance to win is below this has lost a match or a game against a person.
const LOST: f32 = 0.03;

/// The answer of a search. Lists are in the order of the legal moves; values are Black's.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play: the winner of sequential halving, or a proven win.
    /// [`Move::Pass`] if the game is over.
    pub best: Move,
    /// Expected result under the improved policy: Σ π'(a) · completed Q(a); exact if proven.
    pub root_value: f32,
    /// What the evaluator said of the root before any search.
    pub raw_value: f32,
    /// The policy target over all legal moves, π'(a) ∝ π(a) · exp(σ(completed Q(a))).
    ///
    /// Where results are proven, no weight is on moves that lose while another may not, and in a
    /// won or drawn position all of it is on moves that keep the result.
    pub policy: Vec<(Move, f32)>,
    /// How far the search moved the policy: the divergence KL(π' ‖ π) in nats.
    pub surprise: f32,
    /// How many simulations went to each legal move.
    pub visits: Vec<(Move, u32)>,
    /// Value of each move that was visited.
    pub values: Vec<(Move, f32)>,
    /// The result of the root, if it is proven: a winner, or `Some(None)` for a draw.
    pub proven: Option<Option<Color>>,
}

impl SearchResult {
    /// The answer where the evaluator has not been heard: all legal moves are alike.
    pub(crate) fn uninformed(legal: &[Move], outcome: Option<Option<Color>>) -> Self {
        let value = outcome.map_or(0.0, exact_value);
        SearchResult {
            best: legal.first().copied().unwrap_or(Move::Pass),
            root_value: value,
            raw_value: value,
            policy: legal.iter().map(|&played| (played, 1.0 / legal.len() as f32)).collect(),
            surprise: 0.0,
            visits: legal.iter().map(|&played| (played, 0)).collect(),
            values: Vec::new(),
            proven: outcome,
        }
    }

    /// Whether the player to move in `root`, the position that was searched, should answer a pass with a pass: the count
    /// as it stands is lost, and the chance to win by playing on is below `lost`.
    ///
    /// A search alone would never do so, because a pass that loses at once is the worst of its moves.
    pub fn agrees_to_end(&self, root: &Position, lost: f32) -> bool {
        let mover = root.turn();
        let is_offered = root.rules().is_scored_by_area() && root.passes() > 0 && root.can_pass();
        is_offered
            && root.score().is_some_and(|score| mover.sign() * score < 0.0)
            && 0.5 + 0.5 * mover.sign() * self.root_value < lost
    }

    /// The move to play in `root`, the position that was searched: a pass that ends a lost game by agreement, or a move
    /// drawn from the policy as in [`SearchResult::draw`].
    pub fn choose(&self, root: &Position, temperature: f32, chance: f32) -> Move {
        if self.agrees_to_end(root, LOST) { Move::Pass } else { self.draw(temperature, chance) }
    }

    /// A move drawn from the policy with weights π'(a)^(1/`temperature`): at 0 the best move, at 1 one from the policy
    /// itself, far above 1 any that is not ruled out. `chance` is a number from 0 to 1 that decides which.
    pub fn draw(&self, temperature: f32, chance: f32) -> Move {
        let most = self.policy.iter().map(|&(_, share)| share).fold(0.0, f32::max);
        if temperature <= 0.0 || most <= 0.0 {
            return self.best;
        }
        let weight = |share: f32| {
            let exponent = (ln(share.max(f32::MIN_POSITIVE)) - ln(most)) / temperature;
            if share > 0.0 && exponent > NEGLIGIBLE { exp(exponent) } else { 0.0 }
        };
        let sum: f32 = self.policy.iter().map(|&(_, share)| weight(share)).sum();
        let mut left = chance.clamp(0.0, 1.0) * sum;
        let mut last = self.best;
        for &(played, share) in self.policy.iter().filter(|(_, share)| weight(*share) > 0.0) {
            last = played;
            left -= weight(share);
            if left < 0.0 {
                break;
            }
        }
        last
    }

    pub(crate) fn of(root: &Root, tree: &Tree, settings: &Settings) -> Self {
        let node = tree.node(ROOT);
        let edges = tree.edges(ROOT);
        let scores = Scores::of(root, tree, settings);
        let child = |edge: usize| tree.nodes.get(root.children[edge] as usize);
        let moves = || (0..edges.len()).map(|edge| (edges[edge].played, child(edge)));

        let mut policy: Vec<f32> = (0..edges.len())
            .map(|edge| match child(edge) {
                child if root.is_barred(edge) || is_ruled_out(child, node) => f32::NEG_INFINITY,
                child => edges[edge].logit() + scores.sigma(child),
            })
            .collect();
        softmax(&mut policy);
        let surprise = edges.iter().zip(&policy).map(|(edge, &weight)| {
            if weight > 0.0 { weight * (ln(weight) - edge.logit()) } else { 0.0 }
        });
        let surprise = surprise.sum::<f32>().max(0.0);
        let root_value = match node.proven {
            Some(winner) => exact_value(winner),
            None => {
                let worth: f32 =
                    (0..edges.len()).map(|edge| policy[edge] * scores.completed(child(edge))).sum();
                value_of(worth, node.mover)
            }
        };
        SearchResult {
            best: edges[root.best(tree, settings)].played,
            root_value,
            raw_value: node.raw_value,
            policy: edges.iter().map(|edge| edge.played).zip(policy).collect(),
            surprise,
            visits: moves()
                .map(|(played, child)| (played, child.map_or(0, |c| c.visits)))
                .collect(),
            values: moves()
                .filter_map(|(played, child)| Some((played, child.filter(|c| c.visits > 0)?.value)))
                .collect(),
            proven: node.proven,
        }
    }
}

/// Whether proofs take a move out of the policy target.
fn is_ruled_out(child: Option<&Node>, root: &Node) -> bool {
    let proven = child.and_then(|child| child.proven);
    match root.proven {
        // In a lost position every move keeps the result, and none is ruled out.
        Some(_) => proven != root.proven,
        None => proven == Some(Some(root.mover.opponent())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gumbel::SplitMix;

    fn result(shares: &[f32]) -> SearchResult {
        let moves: Vec<Move> = ["A1", "B1", "C1", "pass"]
            .into_iter()
            .map(|text| text.parse().expect("a move"))
            .collect();
        let mut result = SearchResult::uninformed(&moves[..shares.len()], None);
        for ((_, share), &given) in result.policy.iter_mut().zip(shares) {
            *share = given;
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
                let chosen = result.draw(temperature, random.open_unit());
                let place = result.policy.iter().position(|(played, _)| *played == chosen);
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

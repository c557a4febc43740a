//! Monte Carlo players: bandits over random playouts, with and without a tree.

use engine::{Bitboard, Color, Move, Position};
use game::{Game, Turn};
use rayon::prelude::*;
use search::{Random, winrate};

use crate::playout::{own_eyes, playout};

/// C of UCB1, mean + C · √(ln N / n), for results in \[0, 1\].
///
/// Auer, Cesa-Bianchi and Fischer (2002) prove their bound for √2; strong programs use less.
const EXPLORATION: f32 = 0.7;

/// Number of rounds of playouts between checks whether the rest could still change the choice.
const CHECK_EVERY: u32 = 32;

/// Number of playouts in a search per parallel playout: the more there are, the less it matters
/// that some of them do not know each other's results. Searches with fewer than twice this number
/// use one core.
const PLAYOUTS_PER_LEAF: u32 = 10_000;

/// Maximum number of parallel playouts.
const MAX_LEAVES: u32 = 16;

/// How much of the game tree a Monte Carlo player keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// Only the moves of the root: UCB1 chooses among them, and every playout starts right after
    /// one ("flat UCT"). It passes only where the playouts do: they would not notice that a pass
    /// may be answered by another.
    Root,
    /// A node for every position that two playouts have reached: UCT (Kocsis and Szepesvári,
    /// *Bandit based Monte-Carlo planning*, 2006).
    Tree,
}

/// The most visited move after `playouts` playouts; `None` in a finished game.
///
/// Playouts that can no longer change the answer are skipped.
pub(crate) fn choose(
    position: &Position,
    playouts: u32,
    growth: Growth,
    random: &mut Random,
) -> Option<Move> {
    Tree::new(position, growth, random).choose(position, playouts, growth, random)
}

/// A player's tree in a game, kept between its turns.
#[derive(Debug, Default)]
pub(crate) struct KeptTree {
    tree: Option<Tree>,
    /// Number of turns of the game before the root.
    turns: usize,
}

impl KeptTree {
    /// Like [`choose`] with a growing tree, but playouts of earlier turns that went through the
    /// position count too.
    pub fn choose(&mut self, game: &Game, playouts: u32, random: &mut Random) -> Option<Move> {
        let (position, played) = (game.position(), game.turns());
        let since = played.get(self.turns..).unwrap_or_default();
        let known = self.tree.take().and_then(|tree| tree.after(since));
        let mut tree = known.unwrap_or_else(|| Tree::new(position, Growth::Tree, random));
        let chosen = tree.choose(position, playouts, Growth::Tree, random);
        *self = KeptTree { tree: Some(tree), turns: played.len() };
        chosen
    }
}

/// A reached position, or an untried move.
#[derive(Debug, Clone)]
struct Node {
    played: Move,
    visits: u32,
    /// Sum of results, 0 to 1 each, for the player who made the move. In single precision it would
    /// stop growing at 2²⁴.
    wins: f64,
    first_child: u32,
    child_count: u32,
}

impl Node {
    fn new(played: Move) -> Node {
        Node { played, visits: 0, wins: 0.0, first_child: 0, child_count: 0 }
    }

    fn children(&self) -> std::ops::Range<usize> {
        self.first_child as usize..(self.first_child + self.child_count) as usize
    }
}

/// The end of a simulation's path down the tree, where its playout begins.
#[derive(Debug)]
struct Leaf {
    /// The nodes below the root on the path, with the player who moved there.
    path: Vec<(usize, Color)>,
    position: Position,
    /// The playout's own random numbers: it is the same whichever core runs it.
    random: Random,
}

impl Leaf {
    fn playout(&mut self) -> f32 {
        playout(&mut self.position, &mut self.random)
    }
}

#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn new(root: &Position, growth: Growth, random: &mut Random) -> Tree {
        let mut tree = Tree { nodes: vec![Node::new(Move::Pass)] };
        let mut moves = sensible_moves(root);
        if growth == Growth::Root && moves.len() > 1 {
            moves.retain(|&played| played != Move::Pass);
        }
        tree.expand(0, moves, random);
        tree
    }

    /// The subtree after the played moves, if it exists.
    fn after(&self, turns: &[Turn]) -> Option<Tree> {
        let child = |node: usize, turn: &Turn| {
            self.nodes[node].children().find(|&child| self.nodes[child].played == turn.played)
        };
        let root = turns.iter().try_fold(0, child)?;
        if self.nodes[root].child_count == 0 {
            return None;
        }
        let mut nodes = vec![self.nodes[root].clone()];
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            // These are still the children's indices in the old tree.
            let children = node.children();
            nodes[next].first_child = nodes.len() as u32;
            nodes.extend_from_slice(&self.nodes[children]);
            next += 1;
        }
        Some(Tree { nodes })
    }

    /// Makes playouts until the root has the required number, and returns the most visited move.
    fn choose(
        &mut self,
        position: &Position,
        playouts: u32,
        growth: Growth,
        random: &mut Random,
    ) -> Option<Move> {
        let moves = self.nodes[0].children();
        let leaves = (playouts / PLAYOUTS_PER_LEAF).clamp(1, MAX_LEAVES);
        if moves.len() > 1 {
            for round in 0_u32.. {
                let left = playouts.saturating_sub(self.nodes[0].visits);
                let check = round.is_multiple_of(CHECK_EVERY);
                if left == 0 || check && self.is_decided(left) {
                    break;
                }
                self.simulate(position, left.min(leaves), growth, random);
            }
        }
        self.nodes[moves].iter().max_by_key(|node| node.visits).map(|node| node.played)
    }

    /// Gives a node its moves, in random order so that untried ones are tried one after another.
    fn expand(&mut self, node: usize, mut moves: Vec<Move>, random: &mut Random) {
        let first = self.nodes.len();
        for last in (1..moves.len()).rev() {
            moves.swap(last, random.below(last + 1));
        }
        self.nodes.extend(moves.into_iter().map(Node::new));
        self.nodes[node].first_child = first as u32;
        self.nodes[node].child_count = (self.nodes.len() - first) as u32;
    }

    /// One round: descend the tree several times, play out from each leaf, and back up the results.
    fn simulate(&mut self, root: &Position, leaves: u32, growth: Growth, random: &mut Random) {
        let mut reached: Vec<Leaf> = Vec::new();
        for _ in 0..leaves {
            reached.push(self.descend(root, growth, random));
        }
        let results: Vec<f32> = match reached.as_mut_slice() {
            [alone] => vec![alone.playout()],
            many => many.par_iter_mut().map(Leaf::playout).collect(),
        };
        for (leaf, black) in reached.iter().zip(results) {
            for &(node, mover) in &leaf.path {
                self.nodes[node].wins += f64::from(winrate(black, mover));
            }
        }
    }

    /// Descends the tree to a leaf. Its visit counts at once, and as a loss until the playout is
    /// over (a virtual loss), so that the others of the same round go elsewhere.
    fn descend(&mut self, root: &Position, growth: Growth, random: &mut Random) -> Leaf {
        let mut position = root.clone();
        let mut path = Vec::new();
        let mut node = 0;
        while self.nodes[node].child_count > 0 {
            node = self.best_child(node);
            path.push((node, position.turn()));
            position.play_unchecked(self.nodes[node].played);
            let second_visit = self.nodes[node].visits == 1;
            if growth == Growth::Tree && second_visit && position.outcome().is_none() {
                self.expand(node, sensible_moves(&position), random);
            }
        }
        self.nodes[0].visits += 1;
        for &(node, _) in &path {
            self.nodes[node].visits += 1;
        }
        Leaf { path, position, random: Random::new(random.bits()) }
    }

    /// The child with the highest upper confidence bound; untried ones come first.
    fn best_child(&self, node: usize) -> usize {
        let log = (self.nodes[node].visits.max(1) as f32).ln();
        let (mut best, mut highest) = (self.nodes[node].first_child as usize, f32::NEG_INFINITY);
        for child in self.nodes[node].children() {
            let Node { visits, wins, .. } = self.nodes[child];
            if visits == 0 {
                return child;
            }
            let visits = visits as f32;
            let bound = wins as f32 / visits + EXPLORATION * (log / visits).sqrt();
            if bound > highest {
                (best, highest) = (child, bound);
            }
        }
        best
    }

    /// Whether the root's most visited move remains so whatever the remaining playouts do.
    fn is_decided(&self, left: u32) -> bool {
        let (mut first, mut second) = (0, 0);
        for child in self.nodes[0].children() {
            let visits = self.nodes[child].visits;
            if visits > first {
                (first, second) = (visits, first);
            } else {
                second = second.max(visits);
            }
        }
        first > second + left
    }
}

/// All legal moves except those that fill an own single-point eye, unless there are no others.
fn sensible_moves(position: &Position) -> Vec<Move> {
    let eyes: Bitboard = own_eyes(position, &position.empty());
    let legal = position.legal_moves();
    let spared = |played: &Move| played.point().is_some_and(|point| eyes.contains(point));
    if legal.iter().all(spared) {
        return legal.to_vec();
    }
    legal.iter().filter(|played| !spared(played)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Rules;

    #[test]
    fn both_kinds_take_the_only_winning_move() {
        // C3 is the last liberty of all stones: the first to play there takes the board.
        let rules = Rules::parse("incursion,komi=0", 5).expect("rules");
        let points = |text: &str| {
            text.split(' ').map(|point| point.parse().expect("a point")).collect::<Bitboard>()
        };
        let black = points("D3 E3 A4 B4 C4 D4 E4 A5 B5 C5 D5 E5");
        let white = points("A1 B1 C1 D1 E1 A2 B2 C2 D2 E2 A3 B3");
        for growth in [Growth::Root, Growth::Tree] {
            for turn in Color::BOTH {
                let position = Position::with_stones(rules, black, white, turn).expect("position");
                let chosen = choose(&position, 2_000, growth, &mut Random::new(4));
                let point = "C3".parse().expect("a point");
                assert_eq!(chosen, Some(Move::Place(point)), "{growth:?} {turn}");
            }
        }
    }

    #[test]
    fn a_kept_tree_is_the_part_that_the_game_went_into() {
        let rules = Rules::parse("incursion", 5).expect("rules");
        let mut game = Game::new(rules);
        let random = &mut Random::new(7);
        let mut kept = KeptTree::default();
        for turn in 0..6 {
            let before =
                kept.tree.as_ref().and_then(|tree| tree.after(&game.turns()[kept.turns..]));
            let chosen = kept.choose(&game, 2_000, random).expect("a move");
            let tree = kept.tree.as_ref().expect("a tree");
            let below: u32 = tree.nodes[0].children().map(|child| tree.nodes[child].visits).sum();
            assert!(below <= tree.nodes[0].visits && tree.nodes[0].visits <= 2_000, "{turn}");
            if turn > 0 {
                let known = before.expect("both replies have been tried").nodes[0].visits;
                assert!(known > 2 && known <= tree.nodes[0].visits, "{turn}: {known}");
            }
            let legal = game.position().legal_moves();
            assert!(
                tree.nodes[0].children().all(|child| legal.contains(&tree.nodes[child].played))
            );
            // The opponent answers with the tree's most visited move.
            let root = tree.nodes[0].children();
            let best = root.max_by_key(|&child| tree.nodes[child].visits).expect("a child");
            let replies = tree.nodes[best].children();
            let reply = replies.max_by_key(|&child| tree.nodes[child].visits).expect("a reply");
            let reply = tree.nodes[reply].played;
            for next in [chosen, reply] {
                game.play(next).expect("legal");
            }
        }
    }

    #[test]
    fn the_number_of_cores_changes_nothing() {
        let position = Position::new(Rules::parse("go", 5).expect("rules"));
        let visits = |threads| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let random = &mut Random::new(2);
                let mut tree = Tree::new(&position, Growth::Tree, random);
                tree.choose(&position, 4 * PLAYOUTS_PER_LEAF, Growth::Tree, random);
                tree.nodes.iter().map(|node| (node.visits, node.wins)).collect::<Vec<_>>()
            })
        };
        let alone = visits(1);
        assert!(alone.len() > 1_000, "{}", alone.len());
        assert_eq!(alone, visits(3));
    }

    #[test]
    fn a_finished_game_has_no_move() {
        let mut position = Position::new(Rules::parse("go", 5).expect("rules"));
        position.play(Move::Pass).expect("a pass");
        position.play(Move::Pass).expect("a pass");
        assert_eq!(choose(&position, 10, Growth::Tree, &mut Random::new(4)), None);
    }
}

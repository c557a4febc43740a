//! What a player can force without ever relying on the repetition rule.
//!
//! In the *plain game*, no placement is forbidden by repetition, and the player who has to reach a
//! score fails if the game never ends. Its winner depends only on the stones, the player to move
//! and the passes, so it can be found for all positions of a small board at once by retrograde
//! analysis (a reachability game: an attractor).
//!
//! A position that is won in the plain game, with rank r, is also won in the real game, provided
//! that no earlier position of the game is won for the same target:
//!
//! - The opponent has every move of the real game, and more.
//! - The winner moves to ever lower ranks, so no position occurs twice in the winner's lines.
//!   Neither do the same stones with the other player to move: if stones are won with the opponent
//!   to move, they are won with no higher rank with the winner to move (by the same placements, or
//!   by a pass).
//! - For the same reason, the winner never needs to recreate an earlier position of the game: it
//!   would be won.
//!
//! A search that treats every position won here as a leaf meets the condition automatically;
//! positions from before the search are excluded by making them unreachable for the winner
//! ([`Graph::reach`], `excluded`).

use std::collections::HashMap;

use engine::{Bitboard, Color, Move, Point, Position, Rules, Size, Symmetry};
use rayon::prelude::*;

use crate::state::{Node, Stones};

/// Area of the largest board whose positions are all enumerated: 3 million on 4×4 after symmetry.
const MAX_ENUMERATED_AREA: usize = 16;

/// Stones from the perspective of the player to move, two bits per point: 1 is an own stone, 2 the
/// opponent's.
type Code = u32;

/// All positions of a board up to symmetry, and where placements lead.
#[derive(Debug)]
pub(super) struct Graph {
    symmetries: Vec<[[Code; 256]; 4]>,
    states: HashMap<Code, u32>,
    /// For each state, the score of the player to move if the game ended there, without komi.
    scores: Vec<i8>,
    /// The state with the same stones and the other player to move.
    swapped: Vec<u32>,
    /// The index of each state's first child, with one more entry at the end.
    first: Vec<u32>,
    children: Vec<u32>,
}

/// The states from which one player, the *winner*, forces a score.
#[derive(Debug)]
pub(super) struct Reach {
    /// Ranks with the winner to move and no pass before; 0 where nothing can be forced.
    to_move: Vec<u8>,
    /// Ranks with the opponent to move and no pass before.
    to_wait: Vec<u8>,
    /// Ranks of the states where the winner, to move, has a placement that leads to a won state.
    place: Vec<u8>,
    /// Ranks of the states where all placements of the opponent, to move, lead to won states.
    hold: Vec<u8>,
    target: i32,
}

impl Graph {
    /// Whether the argument above holds for these rules: in plain Go, only the repetition rule
    /// depends on the past.
    pub(super) fn applies_to(rules: &Rules) -> bool {
        rules.as_plain_go().is_some() && rules.size.area() <= MAX_ENUMERATED_AREA
    }

    /// Every reachable position.
    pub(super) fn new(rules: &Rules) -> Graph {
        let rules = rules.without_repetition_rule();
        let mut graph = Graph {
            symmetries: Symmetry::of(rules.size)
                .iter()
                .map(|&each| table(each, rules.size))
                .collect(),
            states: HashMap::new(),
            scores: Vec::new(),
            swapped: Vec::new(),
            first: vec![0],
            children: Vec::new(),
        };
        let mut codes = vec![0];
        graph.states.insert(0, 0);
        let mut next = 0;
        while next < codes.len() {
            let position = position(rules, codes[next]);
            let mut add = |code: Code| {
                let code = graph.canonical(code);
                *graph.states.entry(code).or_insert_with(|| {
                    codes.push(code);
                    codes.len() as u32 - 1
                })
            };
            let other = add(swap(codes_of(&position)));
            let mut children: Vec<u32> = position
                .legal_points()
                .iter()
                .map(|point| {
                    let mut after = position.clone();
                    after.play_unchecked(Move::Place(point));
                    add(swap(codes_of(&after)))
                })
                .collect();
            children.sort_unstable();
            children.dedup();
            graph.swapped.push(other);
            graph.children.append(&mut children);
            graph.first.push(graph.children.len() as u32);
            let score = position.score().unwrap_or_default() + rules.komi.value();
            graph.scores.push(score as i8);
            next += 1;
        }
        graph
    }
}

impl Graph {
    /// The state of these stones with this player to move.
    fn state(&self, stones: Stones, mover: Color) -> Option<usize> {
        let code = stones as Code;
        let code = match mover {
            Color::Black => code,
            Color::White => swap(code),
        };
        self.states.get(&self.canonical(code)).map(|&state| state as usize)
    }

    fn canonical(&self, code: Code) -> Code {
        let moved = |bytes: &[[Code; 256]; 4]| {
            let parts = code.to_le_bytes();
            (0..4).fold(0, |sum, place| sum | bytes[place][usize::from(parts[place])])
        };
        self.symmetries.iter().map(moved).min().unwrap_or(code)
    }

    fn children(&self, state: usize) -> &[u32] {
        &self.children[self.first[state] as usize..self.first[state + 1] as usize]
    }

    /// The states from which `winner` forces at least `target`, a score for that player without
    /// komi, in at most `longest` turns, without ever leaving the stones as they are in `excluded`.
    pub(super) fn reach(
        &self,
        winner: Color,
        target: i32,
        longest: usize,
        excluded: &[Stones],
    ) -> Reach {
        let states = self.scores.len();
        let none = || vec![0_u8; states];
        let mut reach =
            Reach { to_move: none(), to_wait: none(), place: none(), hold: none(), target };
        let mut open = vec![true; states];
        for &stones in excluded {
            if let Some(state) = self.state(stones, winner.opponent()) {
                open[state] = false;
            }
        }
        for rank in 1..=(longest / TURNS_PER_RANK).min(u8::MAX.into()) as u8 {
            let Reach { to_move, to_wait, place, hold, .. } = &mut reach;
            let won = |list: &[u8], state: u32| list[state as usize] != 0;
            place.par_iter_mut().enumerate().filter(|(_, known)| **known == 0).for_each(
                |(state, known)| {
                    if self.children(state).iter().any(|&child| won(to_wait, child)) {
                        *known = rank;
                    }
                },
            );
            hold.par_iter_mut().enumerate().filter(|(_, known)| **known == 0).for_each(
                |(state, known)| {
                    if self.children(state).iter().all(|&child| won(to_move, child)) {
                        *known = rank;
                    }
                },
            );
            let new_to_move = mark(to_move, rank, |state| {
                let enough = i32::from(self.scores[state]) >= target;
                place[state] != 0 || enough && won(hold, self.swapped[state])
            });
            let new_to_wait = mark(to_wait, rank, |state| {
                let enough = -i32::from(self.scores[state]) >= target;
                open[state] && hold[state] != 0 && (enough || won(place, self.swapped[state]))
            });
            if !new_to_move && !new_to_wait {
                break;
            }
        }
        reach
    }

    /// The number of turns within which `winner` forces the target of `reach` from here; `None` if
    /// it cannot.
    pub(super) fn turns(&self, reach: &Reach, node: &Node, winner: Color) -> Option<u16> {
        let mover = node.position.turn();
        let state = self.state(node.stones, mover)?;
        let own_score = i32::from(self.scores[state]);
        let after_pass = node.position.passes() > 0;
        let rank = match (mover == winner, after_pass) {
            (true, false) => reach.to_move[state],
            (false, false) => reach.to_wait[state],
            (true, true) if own_score >= reach.target => 1,
            (true, true) => reach.place[state],
            (false, true) if -own_score >= reach.target => reach.hold[state],
            (false, true) => 0,
        };
        (rank > 0).then_some(TURNS_PER_RANK as u16 * u16::from(rank))
    }
}

/// A placement goes to a lower rank, and between two placements there is at most one pass, which
/// does not.
const TURNS_PER_RANK: usize = 2;

/// Gives the rank to states without one for which the condition holds, and returns whether there
/// were any.
fn mark(ranks: &mut [u8], rank: u8, holds: impl Fn(usize) -> bool + Sync) -> bool {
    let marked = |(state, known): (usize, &mut u8)| {
        let new = *known == 0 && holds(state);
        if new {
            *known = rank;
        }
        new
    };
    ranks.par_iter_mut().enumerate().map(marked).reduce(|| false, |one, other| one | other)
}

/// Where a symmetry maps the four points of each byte of a code.
fn table(symmetry: Symmetry, size: Size) -> [[Code; 256]; 4] {
    std::array::from_fn(|byte| {
        std::array::from_fn(|value| {
            let points = (4 * byte..4 * byte + 4).filter(|&point| point < size.area());
            points.fold(0, |code, point| {
                let there = symmetry.map_point(Point::from_index(point, size), size).index(size);
                code | (value as Code >> (2 * (point % 4)) & 3) << (2 * there)
            })
        })
    })
}

const OWN: Code = 0x5555_5555;

fn swap(code: Code) -> Code {
    (code & OWN) << 1 | code >> 1 & OWN
}

/// A position with these stones, own ones black, and Black to move.
fn position(rules: Rules, code: Code) -> Position {
    let stones = |value: Code| -> Bitboard {
        rules.size.points().filter(|p| code >> (2 * p.index(rules.size)) & 3 == value).collect()
    };
    // Reachable stones are a valid position.
    Position::with_stones(rules, stones(1), stones(2), Color::Black)
        .unwrap_or_else(|error| unreachable!("{error}"))
}

fn codes_of(position: &Position) -> Code {
    crate::state::stones(position) as Code
}

/// The graph of a rule set and the results derived from it.
#[derive(Debug)]
pub(super) struct Forcing {
    graph: Graph,
    excluded: Vec<Stones>,
    longest: usize,
    /// By the score that Black wants.
    known: HashMap<i32, [Reach; 2]>,
}

impl Forcing {
    pub(super) fn new(rules: &Rules) -> Option<Forcing> {
        Graph::applies_to(rules).then(|| Forcing {
            graph: Graph::new(rules),
            excluded: Vec::new(),
            longest: rules.max_moves.into(),
            known: HashMap::new(),
        })
    }

    /// Sets the positions from before the search, including its first position.
    pub(super) fn exclude(&mut self, mut stones: Vec<Stones>) {
        stones.sort_unstable();
        stones.dedup();
        if stones != self.excluded {
            self.known.clear();
            self.excluded = stones;
        }
    }

    /// The excluded positions, for which results that depend on forced play hold.
    pub(super) fn excluded(&self) -> &[Stones] {
        &self.excluded
    }

    /// Computes what can be forced about whether Black scores at least `target`.
    pub(super) fn prepare(&mut self, target: i32) {
        let Forcing { graph, excluded, longest, known } = self;
        known.entry(target).or_insert_with(|| {
            [(Color::Black, target), (Color::White, 1 - target)]
                .map(|(winner, target)| graph.reach(winner, target, *longest, excluded))
        });
    }

    /// The player who can force a favourable answer to whether Black scores at least `target`, and
    /// the maximum number of turns that it takes; `None` if neither can within `turns`.
    pub(super) fn winner(&self, node: &Node, target: i32, turns: usize) -> Option<(Color, u16)> {
        let reaches = self.known.get(&target)?;
        Color::BOTH.into_iter().find_map(|color| {
            let needed = self.graph.turns(&reaches[color.index()], node, color)?;
            (usize::from(needed) <= turns).then_some((color, needed))
        })
    }
}

//! Whether any player needs a game that never ends.

use std::collections::{HashMap, VecDeque};

use engine::{Color, Position, Rules};

use crate::cycles;
use crate::solve::SolveError;
use crate::state::{Limits, result};
use crate::value::Value;

/// Whether endless games matter on a board without any move limit.
///
/// Where prisoners are returned, a player can hold any number of them. Only small numbers are
/// distinguished, and each question is asked twice: whether a player who held more than that has
/// more left after returning one is decided first by Black, then by White.
///
/// ```
/// use engine::Rules;
/// use solver::Endless;
///
/// let find = |rules: &str| Endless::find(&Rules::parse(rules, 2).expect("rules"), 3, 100_000);
/// assert_eq!(find("tile,end=area")?.matters(), Some(false));
/// let simple_ko = find("go,suicide=false,repetition=simple")?;
/// assert_eq!((simple_ko.matters(), simple_ko.forced_by), (Some(true), [Some(false); 2]));
/// # Ok::<(), solver::SolveError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endless {
    /// Whether Black, and White, can play forever whatever the opponent does; `None` if undecided.
    pub forced_by: [Option<bool>; 2],
    /// The lowest and the highest value that the empty board can have if an endless game is the
    /// worst that Black, and that White, can get.
    pub lost_by: [[Value; 2]; 2],
}

impl Endless {
    /// Analyses all reachable positions, at most `positions` of them, distinguishing up to
    /// `prisoners` prisoners per player, at least one.
    ///
    /// # Errors
    /// The board is too large, the rules look back further than one turn, or there are too many
    /// positions.
    pub fn find(rules: &Rules, prisoners: u16, positions: usize) -> Result<Endless, SolveError> {
        cycles::check_history_is_irrelevant(rules)?;
        let values = |favoured| {
            let graph =
                Graph::new(rules, Prisoners { most: prisoners.max(1), favoured }, positions)?;
            Ok(Color::BOTH.map(|loser| graph.value_of_start(loser)))
        };
        let best_for_black = values(Color::Black)?;
        let best_for_white =
            if rules.returns_prisoners() { values(Color::White)? } else { best_for_black };
        let limits = Limits::of(rules);
        let value = |found: Option<i32>, worst| Value::new(found.unwrap_or(worst), rules, false);
        let forced_by = |color: Color| {
            // A player can play forever if the opponent cannot force any end.
            let [black, white] =
                [best_for_black, best_for_white].map(|values| values[color.opponent().index()]);
            (black.is_none() == white.is_none()).then_some(black.is_none())
        };
        Ok(Endless {
            forced_by: Color::BOTH.map(forced_by),
            lost_by: [(0, limits.lowest), (1, limits.highest)].map(|(loser, worst)| {
                [best_for_white[loser], best_for_black[loser]].map(|found| value(found, worst))
            }),
        })
    }

    /// Whether some player needs an endless game; `None` if undecided.
    pub fn matters(&self) -> Option<bool> {
        let [black, white] = self.lost_by;
        if black[0] == white[1] { Some(false) } else { (black[1] < white[0]).then_some(true) }
    }
}

/// How many prisoners are distinguished, and who decides what larger numbers are.
#[derive(Debug, Clone, Copy)]
struct Prisoners {
    most: u16,
    favoured: Color,
}

impl Prisoners {
    /// The position with the number of prisoners limited to what is distinguished.
    fn bounded(self, position: Position) -> Position {
        let held = Color::BOTH.map(|color| position.prisoners(color).min(self.most));
        position.with_prisoners(held)
    }

    /// The position in which a player who has returned one of the largest distinguished number
    /// still has that many.
    fn with_prisoners_at_cap(self, before: &Position, after: &Position) -> Option<Position> {
        let mover = before.turn();
        let was_most = before.prisoners(mover) == self.most && after.prisoners(mover) < self.most;
        let mut held = Color::BOTH.map(|color| after.prisoners(color));
        held[mover.index()] = self.most;
        was_most.then(|| after.clone().with_prisoners(held))
    }
}

/// All reachable positions and where their moves lead. The first is the empty board.
#[derive(Debug)]
struct Graph {
    movers: Vec<Color>,
    /// The moves as sorted pairs of target and source.
    moves: Vec<(u32, u32)>,
    /// One position for all games that end with this value, in half points.
    results: HashMap<i32, u32>,
}

/// A graph under construction.
struct Builder {
    graph: Graph,
    most: usize,
    known: HashMap<u128, u32>,
    /// In order of their turns, which a position counts.
    open: VecDeque<(u32, Position)>,
}

impl Builder {
    /// The index of a position, whether new or known.
    fn number(&mut self, position: Position) -> Result<u32, SolveError> {
        let new = self.graph.movers.len();
        let number = new as u32;
        let entry = match result(&position) {
            Some(result) => *self.graph.results.entry(result).or_insert(number),
            None => *self.known.entry(key(&position)).or_insert(number),
        };
        if entry == number {
            self.add(position.turn())?;
            if position.outcome().is_none() {
                self.open.push_back((number, position));
            }
        }
        Ok(entry)
    }

    fn add(&mut self, mover: Color) -> Result<u32, SolveError> {
        let new = self.graph.movers.len();
        if new >= self.most.min(u32::MAX as usize) {
            return Err(SolveError::GaveUp(self.most as u64));
        }
        self.graph.movers.push(mover);
        Ok(new as u32)
    }
}

impl Graph {
    fn new(rules: &Rules, prisoners: Prisoners, most: usize) -> Result<Graph, SolveError> {
        let start = Position::new(Rules { max_moves: u16::MAX, ..*rules });
        let graph = Graph { movers: Vec::new(), moves: Vec::new(), results: HashMap::new() };
        let mut build = Builder { graph, most, known: HashMap::new(), open: VecDeque::new() };
        build.number(prisoners.bounded(start))?;
        while let Some((from, position)) = build.open.pop_front() {
            for chosen in position.legal_moves() {
                let mut next = position.clone();
                next.play_unchecked(chosen);
                let next = prisoners.bounded(next);
                let other = prisoners.with_prisoners_at_cap(&position, &next);
                let mut to = build.number(next)?;
                if let Some(other) = other {
                    let choice = build.add(prisoners.favoured)?;
                    let other = build.number(other)?;
                    build.graph.moves.extend([(to, choice), (other, choice)]);
                    to = choice;
                }
                build.graph.moves.push((to, from));
            }
        }
        let mut graph = build.graph;
        graph.moves.sort_unstable();
        graph.moves.dedup();
        Ok(graph)
    }

    /// The best value of the empty board, for Black in half points, that `forcer` can force within
    /// a finite number of moves; `None` if the opponent can play forever.
    fn value_of_start(&self, forcer: Color) -> Option<i32> {
        let mut escapes = vec![0_u32; self.movers.len()];
        for &(_, from) in &self.moves {
            escapes[from as usize] += 1;
        }
        let mut forced = vec![false; self.movers.len()];
        let mut results: Vec<(i32, u32)> =
            self.results.iter().map(|(&value, &position)| (value, position)).collect();
        results.sort_unstable();
        if forcer == Color::Black {
            results.reverse();
        }
        for (value, result) in results {
            let mut open = vec![result];
            while let Some(to) = open.pop() {
                if std::mem::replace(&mut forced[to as usize], true) {
                    continue;
                }
                for &(_, from) in self.moves_to(to) {
                    let position = from as usize;
                    escapes[position] -= 1;
                    if self.movers[position] == forcer || escapes[position] == 0 {
                        open.push(from);
                    }
                }
            }
            if forced[0] {
                return Some(value);
            }
        }
        None
    }

    fn moves_to(&self, position: u32) -> &[(u32, u32)] {
        let begin = self.moves.partition_point(|&(to, _)| to < position);
        let end = begin + self.moves[begin..].partition_point(|&(to, _)| to == position);
        &self.moves[begin..end]
    }
}

/// A key of everything that decides how the game can continue.
fn key(position: &Position) -> u128 {
    let rules = position.rules();
    let mut key = cycles::recurrence_key(position);
    for color in Color::BOTH {
        if rules.returns_prisoners() {
            key.add(position.prisoners(color).into());
        }
        if rules.has_capture_goal() {
            key.add(position.taken(color).into());
        }
    }
    key.add_owners(position);
    key.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same stones, the same free points and the same player to move.
    #[test]
    fn owners_and_fixed_quadrants_are_part_of_a_position() {
        let keys = [
            "X . .\nb X .\n. . .\nwhite to move\nturns 3\nfixed none",
            "X . .\nw X .\n. . .\nwhite to move\nturns 3\nfixed none",
            ". . .\n. . .\n. X .\nwhite to move\nturns 3\nfixed B1=A1",
            ". . .\n. . .\n. X .\nwhite to move\nturns 3\nfixed B1=C1",
        ]
        .map(|text| {
            let text = format!("rules conquest\nsize 3\n{text}\n");
            key(&Position::parse(&text).expect("a position"))
        });
        for (one, other) in [(0, 1), (2, 3)] {
            assert_ne!(keys[one], keys[other]);
        }
    }
}

//! The solver of a rule set on a small board.

use engine::{IllegalMove, Move, Position, Rules, Size, Symmetry};
use search::Random;

use crate::goal::Goal;
use crate::proof::{Prover, WorkLimitReached};
use crate::reach::Forcing;
use crate::state::{Limits, Node};
use crate::transposition::TranspositionTable;
use crate::value::{MAX_AREA, MAX_ROWS, Solution, Value};

/// Work limits of the solver for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Maximum number of positions to search.
    pub nodes: u64,
    /// Maximum number of results to store, at about 150 bytes each.
    pub results: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { nodes: 2_000_000_000, results: 1 << 21 }
    }
}

/// Why a position is not solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The board is too large.
    #[error(
        "the board {0:#} is too large for the solver: expected at most {MAX_AREA} points and {MAX_ROWS} rows"
    )]
    TooLarge(Size),
    /// The moves that lead to the position are illegal.
    #[error("turn {number}, {played}: {reason}")]
    Illegal {
        /// The number of the turn, from 1.
        number: usize,
        /// The move.
        played: Move,
        /// The rule.
        reason: IllegalMove,
    },
    /// The question can be asked only of rules that look back no further than one turn, and these
    /// look back further.
    #[error(
        "{0} compares positions with those of the whole game, which keeps it from going round in circles: expected \
         rules with repetition=none or repetition=simple"
    )]
    DependsOnHistory(String),
    /// The work limit was reached.
    #[error("not solved within {0} positions: allow more of them (--nodes)")]
    GaveUp(u64),
}

/// Solves positions of one rule set, and stores its results.
///
/// ```
/// use engine::Rules;
/// use solver::Solver;
///
/// let mut solver = Solver::new(Rules::parse("go,komi=0", 2)?);
/// let solution = solver.solve(&[])?;
/// assert_eq!(solution.value.score(), Some(1.0), "Black wins by a point");
/// assert_eq!(solver.solve(&["A1".parse()?])?.value, solution.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    rules: Rules,
    winners_only: bool,
    goal: Goal,
    effort: Effort,
    table: TranspositionTable,
    /// Created by the first question; the inner `None` means that the rules do not allow it.
    forcing: Option<Option<Forcing>>,
}

impl Solver {
    /// A new solver. It allocates nothing until it is used.
    pub fn new(rules: Rules) -> Solver {
        Solver::with_effort(rules, Effort::default())
    }

    /// A solver with these limits for each question.
    pub fn with_effort(rules: Rules, effort: Effort) -> Solver {
        let table = TranspositionTable::new(effort.results);
        Solver { rules, winners_only: false, goal: Goal::Result, effort, table, forcing: None }
    }

    /// Whether to find only who wins, not by how much, which is much less work: all wins then have
    /// the same value, as in rules without a score. By default both are found.
    #[must_use]
    pub fn winners_only(self, winners_only: bool) -> Solver {
        Solver { winners_only, ..self }
    }

    /// The rules.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// A solver for this question instead of the result. What can be forced about scores does not
    /// answer it.
    pub(crate) fn with_goal(self, goal: Goal) -> Solver {
        Solver { goal, forcing: Some(None), ..self }
    }

    /// The value of the empty board.
    pub(crate) fn value_of_start(&mut self) -> Result<Value, SolveError> {
        self.value(&[])
    }

    /// A solver that proves everything by search.
    #[cfg(test)]
    pub(crate) fn without_forcing(self) -> Solver {
        Solver { forcing: Some(None), ..self }
    }

    fn to_value(&self, half_points: i32) -> Value {
        Value::new(half_points, &self.rules, self.winners_only)
    }

    /// The value of the position after these moves, and all moves that keep it (none if the game is
    /// over).
    ///
    /// # Errors
    /// The board is too large, the moves are illegal, or the work limit is reached.
    pub fn solve(&mut self, moves: &[Move]) -> Result<Solution, SolveError> {
        self.ask(moves, |prover, node| {
            let value = prover.value(node)?;
            let symmetries = symmetries(node, moves);
            let mut best: Vec<Move> = Vec::new();
            let mut refuted: Vec<Move> = Vec::new();
            for candidate in node.position.legal_moves() {
                let size = node.position.size();
                let copy_of = |known: &[Move]| {
                    symmetries
                        .iter()
                        .any(|symmetry| known.contains(&symmetry.map_move(candidate, size)))
                };
                let keeps = copy_of(&best)
                    || !copy_of(&refuted) && prover.keeps_value(node, candidate, value)?;
                if keeps { best.push(candidate) } else { refuted.push(candidate) }
            }
            Ok((value, best))
        })
        .map(|((value, best), nodes)| Solution {
            value: self.to_value(value),
            best,
            nodes,
        })
    }

    /// The value of the position after these moves, with less work than [`Solver::solve`].
    ///
    /// # Errors
    /// Those of [`Solver::solve`].
    pub fn value(&mut self, moves: &[Move]) -> Result<Value, SolveError> {
        let (value, _) = self.ask(moves, |prover, node| prover.value(node))?;
        Ok(self.to_value(value))
    }

    /// The value after each legal move in the position after these moves.
    ///
    /// # Errors
    /// Those of [`Solver::solve`].
    pub fn values(&mut self, moves: &[Move]) -> Result<Vec<(Move, Value)>, SolveError> {
        let (values, _) = self.ask(moves, |prover, node| {
            let symmetries = symmetries(node, moves);
            let size = node.position.size();
            let mut values: Vec<(Move, i32)> = Vec::new();
            for played in node.position.legal_moves() {
                let same = |known: Move| {
                    symmetries.iter().any(|symmetry| symmetry.map_move(played, size) == known)
                };
                let value = match values.iter().find(|(known, _)| same(*known)) {
                    Some(&(_, value)) => value,
                    None => prover.value_after(node, played)?,
                };
                values.push((played, value));
            }
            Ok(values)
        })?;
        Ok(values.into_iter().map(|(played, value)| (played, self.to_value(value))).collect())
    }

    /// A random best move; `None` if the game is over.
    ///
    /// # Errors
    /// Those of [`Solver::solve`].
    pub fn choose(
        &mut self,
        moves: &[Move],
        random: &mut Random,
    ) -> Result<Option<Move>, SolveError> {
        self.solve(moves).map(|solution| random.choose(&solution.best))
    }

    fn ask<T>(
        &mut self,
        moves: &[Move],
        question: impl FnOnce(&mut Prover, &Node) -> Result<T, WorkLimitReached>,
    ) -> Result<(T, u64), SolveError> {
        let size = self.rules.size;
        if size.area() > MAX_AREA || size.height() > MAX_ROWS {
            return Err(SolveError::TooLarge(size));
        }
        let limits = self.goal.limits(Limits::of(&self.rules));
        let value_range = if self.winners_only { (-1, 1) } else { (limits.lowest, limits.highest) };
        let forcing = self.forcing.get_or_insert_with(|| Forcing::new(&self.rules)).as_mut();
        let mut prover = Prover::new(
            limits,
            self.goal,
            value_range,
            &mut self.table,
            forcing,
            self.effort.nodes,
        );
        let mut node = Node::start(Position::new(self.rules));
        prover.path.enter_start(&node);
        let mut earlier = vec![node.stones];
        for (index, &played) in moves.iter().enumerate() {
            node.position.check_move(played).map_err(|reason| SolveError::Illegal {
                number: index + 1,
                played,
                reason,
            })?;
            let next = node.after(played);
            prover.path.enter(&next, played);
            node = next;
            earlier.push(node.stones);
        }
        prover.begin(earlier);
        let answer = question(&mut prover, &node)
            .map_err(|WorkLimitReached| SolveError::GaveUp(self.effort.nodes))?;
        Ok((answer, prover.nodes))
    }
}

/// The symmetries that map the position with its history onto itself; known only for the start.
/// Conquest settles equal regions in the order of their points, which no symmetry preserves.
fn symmetries(node: &Node, moves: &[Move]) -> Vec<Symmetry> {
    let rules = node.position.rules();
    let symmetric = moves.is_empty() && !rules.has_owners();
    if symmetric { Symmetry::of(rules.size).to_vec() } else { vec![Symmetry::IDENTITY] }
}

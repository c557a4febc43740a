//! Whether a game can go round in a cycle.

use std::collections::HashMap;

use engine::{HistoryDependence, Move, MoveList, Position, Rules};

use crate::solve::SolveError;
use crate::state::{Key, stones};
use crate::value::{MAX_AREA, MAX_ROWS};

/// Whether a game can return to an earlier state, with the same stones and tiles, the same player
/// to move and the same bans in force, so that it can do so forever.
///
/// Prisoners are not compared, and none is returned: a cycle of placements takes as many as it
/// places stones, while returns alone use them up. Ask about the same rules with
/// `end=area,passes_to_end=3` to allow a pass at any turn.
///
/// ```
/// use engine::Rules;
/// use solver::Cycles;
///
/// let found = |rules: &str| Cycles::find(&Rules::parse(rules, 2).expect("rules"), 100_000);
/// assert!(matches!(found("tile")?, Cycles::None { .. }));
/// assert!(matches!(found("tile,tiles=none")?, Cycles::Some { .. }));
/// # Ok::<(), solver::SolveError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cycles {
    /// It cannot: every reachable position was examined.
    None {
        /// Number of positions examined; 0 where the rules end every game in which stones are taken
        /// again and again.
        positions: usize,
    },
    /// It can: these moves from the empty board lead back to the position after the first `begins`
    /// of them.
    Some {
        /// The moves.
        moves: Vec<Move>,
        /// How many of the moves lead to the beginning of the cycle.
        begins: usize,
    },
}

/// A position on the path of the search.
struct Step {
    position: Position,
    key: u128,
    moves: MoveList,
    next: usize,
}

/// What the search knows about a position.
enum Visit {
    /// It is on the path, after this many moves.
    Open(usize),
    /// No cycle can be reached from it.
    Done,
}

impl Cycles {
    /// Searches all positions depth-first, at most `positions` of them.
    ///
    /// # Errors
    /// The board is too large, the rules look back further than one turn, or there are too many
    /// positions.
    pub fn find(rules: &Rules, positions: usize) -> Result<Cycles, SolveError> {
        check_history_is_irrelevant(rules)?;
        // A cycle takes stones each time round, so a capture goal soon ends the game.
        if rules.has_capture_goal() {
            return Ok(Cycles::None { positions: 0 });
        }
        let start = Step::new(Position::new(Rules { max_moves: u16::MAX, ..*rules }));
        let mut known = HashMap::from([(start.key, Visit::Open(0))]);
        let mut path = vec![start];
        while let Some(step) = path.last_mut() {
            let Some(next) = step.advance() else {
                known.insert(step.key, Visit::Done);
                path.pop();
                continue;
            };
            match known.get(&next.key) {
                Some(Visit::Done) => {}
                Some(&Visit::Open(begins)) => {
                    let moves = path.iter().filter_map(Step::played).collect();
                    return Ok(Cycles::Some { moves, begins });
                }
                None if known.len() >= positions => {
                    return Err(SolveError::GaveUp(positions as u64));
                }
                None => {
                    known.insert(next.key, Visit::Open(path.len()));
                    path.push(next);
                }
            }
        }
        Ok(Cycles::None { positions: known.len() })
    }
}

impl Step {
    fn new(position: Position) -> Step {
        let mut moves = position.legal_moves();
        if position.rules().returns_prisoners() {
            moves.retain(|played| *played != Move::Pass);
        }
        Step { key: recurrence_key(&position).finish(), moves, position, next: 0 }
    }

    /// The position after the next move, if there is one.
    fn advance(&mut self) -> Option<Step> {
        let played = *self.moves.get(self.next)?;
        self.next += 1;
        let mut position = self.position.clone();
        position.play_unchecked(played);
        Some(Step::new(position))
    }

    /// The latest move.
    fn played(&self) -> Option<Move> {
        self.moves.get(self.next.checked_sub(1)?).copied()
    }
}

/// Checks that everything that decides how a game can continue is on the board.
pub(super) fn check_history_is_irrelevant(rules: &Rules) -> Result<(), SolveError> {
    if rules.size.area() > MAX_AREA || rules.size.height() > MAX_ROWS {
        return Err(SolveError::TooLarge(rules.size));
    }
    match rules.history_dependence() {
        HistoryDependence::Nothing => Ok(()),
        HistoryDependence::Stones
        | HistoryDependence::StonesAndMover
        | HistoryDependence::Counts
        | HistoryDependence::Plays => Err(SolveError::DependsOnHistory(rules.to_string())),
    }
}

/// A key of what a game can return to: everything that decides how it can continue, except stones
/// taken, whose number only grows, and owners, because free points only become fewer and no cycle
/// goes through such a game.
pub(super) fn recurrence_key(position: &Position) -> Key {
    let mut key = Key::new(stones(position));
    key.add(
        position.turn().index() as u64
            | u64::from(position.passes()) << 1
            | position.last_incursion().map_or(0, |incursion| 1 + u64::from(incursion)) << 4
            | u64::from(position.placements_left()) << 8
            | u64::from(position.is_mid_turn()) << 16,
    );
    key.add_set(&position.legal_points());
    position.size().points().for_each(|point| key.add(position.tiles(point).into()));
    key
}

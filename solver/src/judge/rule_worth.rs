//! What a change of the rules is worth in a position: a player's opinion compared with exact
//! values.

use std::collections::HashSet;

use engine::{Color, Move, Position};
use search::{Evaluator, Random, Search};

use super::error::JudgeError;
use super::plan::JudgePlan;
use crate::{SolveError, Solver};

/// One move in this many is a pass if a stone can be placed, so that games reach positions of all
/// kinds.
const PLACEMENTS_FOR_A_PASS: usize = 12;

/// Number of games without a suitable position after which the rule sets are assumed to differ
/// nowhere.
const MAX_FRUITLESS_GAMES: usize = 1_000;

/// How often a player's searches can tell which of two rule sets is better for Black, in positions
/// whose results differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleWorth {
    /// Positions of random games that end differently under the two rule sets with perfect play by
    /// both sides.
    pub positions: usize,
    /// Those in which the searches' values differ in the same direction.
    pub agreed: usize,
    /// Positions whose results are the same.
    pub same: usize,
    /// Positions on which a solver gave up.
    pub unsolved: usize,
}

/// Plays random games under the rules of the first solver, as far as they are legal under both and
/// lead to the same stones and player to move, until [`JudgePlan::positions`] different positions
/// have a different result under the rules of the second.
///
/// # Errors
/// A board too large for the solvers, or a failing player.
pub fn judge_rule_worth<E: Evaluator>(
    plan: &JudgePlan,
    evaluator: &mut E,
    solvers: &mut [Solver; 2],
    progress: &mut dyn FnMut(usize),
) -> Result<RuleWorth, JudgeError> {
    let rules = solvers.each_ref().map(|solver| *solver.rules());
    let mut random = Random::new(plan.seed);
    let (mut worth, mut known, mut fruitless) = (RuleWorth::default(), HashSet::new(), 0);
    while worth.positions < plan.positions && fruitless < MAX_FRUITLESS_GAMES {
        fruitless += 1;
        let mut positions = rules.map(Position::new);
        let mut moves = Vec::new();
        while worth.positions < plan.positions && are_alike(&positions) {
            if known.insert(positions.each_ref().map(Position::hash)) {
                let before = worth.positions;
                worth.judge(&positions, &moves, plan, evaluator, solvers)?;
                if worth.positions > before {
                    fruitless = 0;
                    progress(worth.positions);
                }
            }
            let played = draw_move(&positions[0], &mut random);
            if positions.iter_mut().any(|position| position.play(played).is_err()) {
                break;
            }
            moves.push(played);
        }
    }
    Ok(worth)
}

impl RuleWorth {
    /// Judges the positions after these moves under both rule sets.
    fn judge<E: Evaluator>(
        &mut self,
        positions: &[Position; 2],
        moves: &[Move],
        plan: &JudgePlan,
        evaluator: &mut E,
        [first, second]: &mut [Solver; 2],
    ) -> Result<(), JudgeError> {
        match (half_points_of_black(first, moves), half_points_of_black(second, moves)) {
            (Ok(one), Ok(other)) if one == other => self.same += 1,
            (Ok(one), Ok(other)) => {
                let [here, there] = search_values(positions, plan, evaluator)?;
                self.positions += 1;
                self.agreed += usize::from(here.total_cmp(&there) == one.cmp(&other));
            }
            (Err(SolveError::GaveUp(_)), _) | (_, Err(SolveError::GaveUp(_))) => self.unsolved += 1,
            (Err(error), _) | (_, Err(error)) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Whether both games go on, from the same stones with the same player to move.
fn are_alike(positions: &[Position; 2]) -> bool {
    let [one, other] = positions;
    positions.iter().all(|position| position.outcome().is_none())
        && one.turn() == other.turn()
        && Color::BOTH.iter().all(|&color| one.stones(color) == other.stones(color))
}

/// Black's half points in the result of perfect play after these moves.
fn half_points_of_black(solver: &mut Solver, moves: &[Move]) -> Result<usize, SolveError> {
    Ok(solver.value(moves)?.result().half_points(Color::Black))
}

/// The values for Black by a search under each rule set, from −1 to 1.
fn search_values<E: Evaluator>(
    positions: &[Position; 2],
    plan: &JudgePlan,
    evaluator: &mut E,
) -> Result<[f32; 2], JudgeError> {
    let mut searches = positions
        .each_ref()
        .map(|position| Search::new(position.clone(), plan.settings, plan.seed));
    search::run(&mut searches, evaluator)?;
    Ok(searches.map(|search| search.result().root_value))
}

/// A random move, rarely a pass.
fn draw_move(position: &Position, random: &mut Random) -> Move {
    let moves = position.legal_moves();
    let placements: Vec<Move> =
        moves.iter().copied().filter(|&played| played != Move::Pass).collect();
    let may_pass = placements.len() < moves.len();
    match random.choose(&placements) {
        Some(placed) if !may_pass || random.below(PLACEMENTS_FOR_A_PASS) > 0 => placed,
        Some(_) | None => Move::Pass,
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;
    use search::Settings;
    use search::evaluators::Uniform;

    use super::*;

    fn worth(names: [&str; 2], simulations: u32, positions: usize) -> RuleWorth {
        let rules = names.map(|name| Rules::parse(name, 2).expect("rules"));
        let settings = Settings { simulations, gumbel_scale: 0.0, ..Settings::default() };
        let plan = JudgePlan { positions, settings, seed: 2 };
        let mut solvers = rules.map(Solver::new);
        judge_rule_worth(&plan, &mut Uniform, &mut solvers, &mut |_| {}).expect("judged")
    }

    #[test]
    fn what_komi_is_worth_is_seen_by_a_search() {
        let [much, none] = ["go,komi=3,max_moves=7", "go,komi=0,max_moves=7"];
        let found = worth([much, none], 400, 40);
        assert_eq!((found.positions, found.unsolved), (40, 0));
        assert!(found.agreed >= 38, "{found:?}");
        let swapped = worth([none, much], 400, 40);
        assert!(swapped.agreed >= 38, "{swapped:?}");
    }

    /// With two stones a turn, the second stone is the same player's.
    #[test]
    fn only_the_same_stones_and_player_are_compared() {
        let two = "go,komi=0,max_moves=7,stones_per_turn=2";
        let found = worth(["go,komi=0,max_moves=7", two], 2, 40);
        // The empty board, five first moves, and a pass after each of four stones.
        assert_eq!((found.positions + found.same, found.unsolved), (10, 0), "{found:?}");
    }

    #[test]
    fn the_same_rules_differ_nowhere() {
        let found = worth(["go,komi=0", "go,komi=0"], 2, 1);
        assert_eq!((found.positions, found.agreed), (0, 0));
        assert!(found.same > 100, "{found:?}");
    }
}

//! Compares an agent with exact values, position by position, and in games against perfect play.

mod error;
mod plan;
mod played_out;
mod rule_worth;

use engine::{Color, Move, Position, Rules};
use search::{Evaluator, Random, Search};

pub use self::error::JudgeError;
pub use self::plan::JudgePlan;
pub use self::played_out::PlayedOut;
use self::played_out::Start;
pub use self::rule_worth::{RuleWorth, judge_rule_worth};
use crate::{SolveError, Solver, Value};

/// Fraction of moves in the judged games that are random; the others are among the best.
const RANDOM_MOVES: f64 = 0.5;

/// Quality of one player's choices.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choices {
    /// Positions in which the chosen move keeps the value.
    pub best: usize,
    /// Sum of what the chosen moves lost, in points, or in half results where there is no score.
    pub loss: f64,
    /// Moves that turned a non-loss into a loss, or a win into a non-win.
    pub blunders: usize,
}

/// The results of judging an agent with the solver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Positions judged.
    pub positions: usize,
    /// Positions on which the solver gave up; they are not judged, and the next game begins.
    pub unsolved: usize,
    /// Positions whose result the network's value predicts: an absolute value above ⅓ means a
    /// winner, otherwise a draw.
    pub winners: usize,
    /// The network's favourite moves.
    pub policy: Choices,
    /// The moves of the search.
    pub search: Choices,
    /// Games of the search against perfect play from the empty board, one with each colour.
    pub from_the_start: PlayedOut,
    /// Such games from each judged position, with the agent playing the colour to move there.
    pub from_positions: PlayedOut,
    /// Where the search lost most: the moves that lead there, its move, and the loss; worst first.
    pub worst: Vec<(Vec<Move>, Move, f64)>,
}

/// Judges an agent in positions of games in which half of the moves are best and half are random.
///
/// # Errors
/// The board is too large for the solver, it gives up on the start, or the agent fails.
pub fn judge<E: Evaluator>(
    rules: Rules,
    plan: &JudgePlan,
    evaluator: &mut E,
    solver: &mut Solver,
    progress: &mut dyn FnMut(usize),
) -> Result<Judgement, JudgeError> {
    let mut random = Random::new(plan.seed);
    let mut judgement = Judgement::default();
    let mut starts = Vec::new();
    while judgement.positions < plan.positions {
        let mut position = Position::new(rules);
        let mut moves = Vec::new();
        while position.outcome().is_none() && judgement.positions < plan.positions {
            let values = match solver.values(&moves) {
                Ok(values) => values,
                // Some positions take far longer than most, and must not hold up the others.
                Err(SolveError::GaveUp(_)) if !moves.is_empty() => {
                    judgement.unsolved += 1;
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            judgement.add(&position, &moves, &values, plan, evaluator)?;
            progress(judgement.positions);
            let best = highest(&values, position.turn());
            starts.push(Start::new(position.clone(), moves.clone(), position.turn(), best));
            let any = (random.below(1_000) as f64) < 1_000.0 * RANDOM_MOVES;
            let candidates: Vec<Move> = values
                .iter()
                .filter(|(_, value)| any || value.half_points_of(position.turn()) == best)
                .map(|&(played, _)| played)
                .collect();
            let Some(played) = random.choose(&candidates) else { break };
            position.play_unchecked(played);
            moves.push(played);
        }
    }
    let value = solver.solve(&[])?.value;
    let empty = Position::new(rules);
    let start = |color| Start::new(empty.clone(), Vec::new(), color, value.half_points_of(color));
    let both = Color::BOTH.map(start);
    let mut play = |starts| PlayedOut::play(starts, plan.settings, evaluator, solver, &mut random);
    judgement.from_the_start = play(Vec::from(both))?;
    judgement.from_positions = play(starts)?;
    judgement.worst.sort_by(|a, b| b.2.total_cmp(&a.2));
    judgement.worst.truncate(10);
    Ok(judgement)
}

fn highest(values: &[(Move, Value)], turn: Color) -> i32 {
    values.iter().map(|(_, value)| value.half_points_of(turn)).max().unwrap_or_default()
}

impl Judgement {
    fn add<E: Evaluator>(
        &mut self,
        position: &Position,
        moves: &[Move],
        values: &[(Move, Value)],
        plan: &JudgePlan,
        evaluator: &mut E,
    ) -> Result<(), JudgeError> {
        let evaluation = search::evaluate_one(evaluator, position)?;
        let seed = plan.seed.wrapping_add(self.positions as u64);
        let mut search = [Search::new(position.clone(), plan.settings, seed)];
        search::run(&mut search, evaluator)?;
        let [search] = search;
        let turn = position.turn();
        let best = highest(values, turn);
        self.positions += 1;
        let predicted = (f64::from(evaluation.value) * 3.0).trunc().clamp(-1.0, 1.0) as i32;
        self.winners += usize::from(predicted == (best * turn.sign() as i32).signum());
        if let Some(played) = evaluation.likeliest() {
            self.policy.add(played, values, turn);
        }
        let played = search.result().best;
        let loss = self.search.add(played, values, turn);
        if loss > 0.0 {
            self.worst.push((moves.to_vec(), played, loss));
        }
        Ok(())
    }
}

impl Choices {
    /// Counts a choice, and returns its loss.
    fn add(&mut self, played: Move, values: &[(Move, Value)], turn: Color) -> f64 {
        let best = highest(values, turn);
        let found = values.iter().find(|(other, _)| *other == played);
        let got = found.map_or(i32::MIN / 2, |(_, value)| value.half_points_of(turn));
        let loss = f64::from(best - got) / 2.0;
        self.best += usize::from(got == best);
        self.blunders += usize::from(got.signum() < best.signum());
        self.loss += loss;
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Settings;
    use search::evaluators::Uniform;

    #[test]
    fn positions_that_take_too_long_are_left_out() {
        let rules = Rules::parse("go,komi=0", 2).expect("rules");
        let settings = Settings { simulations: 2, ..Settings::default() };
        let plan = JudgePlan { positions: 40, settings, seed: 1 };
        let judged = |nodes| {
            let effort = crate::Effort { nodes, ..Default::default() };
            let mut solver = Solver::with_effort(rules, effort);
            judge(rules, &plan, &mut Uniform, &mut solver, &mut |_| {})
        };
        let enough = (7..).map(|power| judged(1 << power)).find_map(Result::ok).expect("judged");
        assert_eq!(enough.positions, 40);
        assert_eq!(judged(u64::MAX).expect("judged").unsolved, 0);
        assert!(matches!(judged(10), Err(JudgeError::Solver(SolveError::GaveUp(10)))));
    }

    #[test]
    fn a_deep_search_knows_two_by_two_better_than_no_search() {
        let rules = Rules::parse("go,komi=0", 2).expect("rules");
        let settings = Settings { simulations: 400, gumbel_scale: 0.0, ..Settings::default() };
        let plan = JudgePlan { positions: 60, settings, seed: 1 };
        let mut solver = Solver::new(rules);
        let judgement =
            judge(rules, &plan, &mut Uniform, &mut solver, &mut |_| {}).expect("judged");
        assert_eq!(judgement.positions, 60);
        assert!(judgement.search.best >= judgement.policy.best, "{judgement:?}");
        assert!(judgement.search.blunders <= judgement.policy.blunders, "{judgement:?}");
        assert_eq!(judgement.search.best == 60, judgement.worst.is_empty(), "{judgement:?}");
        // Black wins by one, so White has nothing to keep on the empty board.
        assert_eq!(judgement.from_the_start, PlayedOut { games: 1, kept: 1, unsolved: 0 });
        let PlayedOut { games, kept, unsolved } = judgement.from_positions;
        assert!(kept > games / 2 && games < 60 && unsolved == 0, "{judgement:?}");
    }
}

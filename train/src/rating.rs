//! How much a run has gained since an earlier checkpoint.

use std::ops::ControlFlow;

use arena::{Match, MatchError, Player, PlayerSetup, elo_of_score};
use engine::Rules;
use search::Evaluator;

use crate::EvaluationSettings;

/// Elo gained by the first of two evaluators over the second, by a match with paired openings.
pub(crate) fn elo_gain<E: Evaluator>(
    rules: &Rules,
    settings: &EvaluationSettings,
    evaluators: &mut [E; 2],
    seed: u64,
) -> Result<f64, MatchError> {
    let player = |name: &str, evaluator| {
        PlayerSetup::new(name, Player::searching(evaluator, settings.simulations))
    };
    let players = [player("now", 0), player("before", 1)];
    let pairs = settings.games.div_ceil(2);
    let game = Match { pairs, seed, ..Match::new(*rules, players) };
    let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
    let total = report.tally.total();
    let games = f64::from(total.games());
    // One drawn pair more, so that a clean sweep is a number that curves can show and sums can hold.
    Ok(elo_of_score((total.share() * games + 1.0) / (games + 2.0)))
}

//! How much a run has gained since an earlier checkpoint.

use std::ops::ControlFlow;

use arena::{Elo, Match, MatchError, Player, PlayerSetup};
use engine::Rules;
use search::Evaluator;

use crate::EvaluationSettings;

/// Elo gained by the first of two evaluators over the second, by a match with paired openings.
pub(crate) fn elo_gain<E: Evaluator>(
    rules: &Rules,
    settings: &EvaluationSettings,
    evaluators: &mut [E; 2],
    seed: u64,
) -> Result<Elo, MatchError> {
    let player = |name: &str, evaluator| {
        PlayerSetup::new(name, Player::searching(evaluator, settings.simulations))
    };
    let players = [player("now", 0), player("before", 1)];
    let pairs = settings.games.div_ceil(2);
    let game = Match { pairs, seed, ..Match::new(*rules, players) };
    let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
    let elo = report.tally.pairs.elo();
    // A clean sweep says that the difference is large, not that it is infinite.
    let most = arena::elo_of_score(1.0 - 0.5 / settings.games as f64);
    Ok(Elo { difference: elo.difference.clamp(-most, most), ..elo })
}

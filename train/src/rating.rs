//! A run's gain since an earlier checkpoint, and its strength against players without a network.

use std::ops::ControlFlow;

use arena::{Estimate, Match, MatchError, Pentanomial, Player, PlayerSetup, ReferencePlayer};
use engine::Rules;
use search::Evaluator;

use crate::EvaluationSettings;

/// The Elo difference between the first and the second evaluator, from matches with paired openings
/// under each of the rules.
pub(crate) fn elo_gain<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    evaluators: &mut [E; 2],
    seed: u64,
) -> Result<Estimate, MatchError> {
    let players = [0, 1].map(|evaluator| Player::searching(evaluator, settings.simulations));
    difference(panel, settings, players, evaluators, seed)
}

/// The Elo difference between an evaluator and a reference player.
pub(crate) fn elo_against<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    evaluator: E,
    reference: ReferencePlayer,
    seed: u64,
) -> Result<Estimate, MatchError> {
    let players = [Player::searching(0, settings.simulations), reference.into()];
    difference(panel, settings, players, &mut [evaluator], seed)
}

fn difference<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    players: [Player; 2],
    evaluators: &mut [E],
    seed: u64,
) -> Result<Estimate, MatchError> {
    let [first, second] = players;
    let players = [PlayerSetup::new("first", first), PlayerSetup::new("second", second)];
    let mut pairs = Pentanomial::default();
    for rules in panel {
        let share = settings.games.div_ceil(2 * panel.len().max(1));
        let game = Match { pairs: share, seed, ..Match::new(*rules, players.clone()) };
        let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
        pairs.0.iter_mut().zip(report.tally.pairs.0).for_each(|(all, here)| *all += here);
    }
    let elo = pairs.elo();
    // A clean sweep means a large difference, not an infinite one.
    let most = arena::elo_of_score(1.0 - 0.5 / settings.games as f64);
    let value = elo.value.clamp(-most, most);
    Ok(Estimate { low: elo.low.min(value), value, high: elo.high.max(value) })
}

//! How strong the agents are, and how much there is to learn: what doubling the simulations is
//! worth.

use std::ops::ControlFlow;

use arena::{Match, MatchError, Openings, Pentanomial, PlayerSetup, ReferencePlayer};
use engine::Rules;
use search::Evaluator;

use crate::agent::{failure, player};

/// Simulations of the weakest agent whose strength is measured; fewer barely cover the moves.
pub const MIN_SIMULATIONS: u32 = 16;

/// A match between a number of simulations and twice as many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubling {
    /// Simulations of the weaker player.
    pub simulations: u32,
    /// The pairs by the stronger player's points.
    pub pairs: Pentanomial,
}

/// Measures what doubling the `simulations` is worth, over pairs of games from openings drawn from
/// the policy. Returns the pairs by the points of the player with more simulations.
///
/// # Errors
/// The errors of a match.
pub fn doubling<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    pairs: usize,
    seed: u64,
    evaluator: &mut E,
) -> Result<Pentanomial, MatchError> {
    let players = [2 * simulations, simulations].map(player);
    contest(rules, players, pairs, seed, evaluator)
}

/// Number of playouts of the reference player.
pub const REFERENCE_PLAYOUTS: u32 = 1000;

/// Plays the agent against a tree search with [`REFERENCE_PLAYOUTS`] random playouts per move.
/// Returns the pairs by the agent's points.
///
/// # Errors
/// The errors of a match.
pub fn strength<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    pairs: usize,
    seed: u64,
    evaluator: &mut E,
) -> Result<Pentanomial, MatchError> {
    let reference = ReferencePlayer::Uct { playouts: REFERENCE_PLAYOUTS };
    let players = [player(simulations), PlayerSetup::new("uct", reference)];
    contest(rules, players, pairs, seed, evaluator)
}

/// Plays pairs of games from openings drawn from the evaluator's policy.
fn contest<E: Evaluator>(
    rules: Rules,
    players: [PlayerSetup; 2],
    pairs: usize,
    seed: u64,
    evaluator: &mut E,
) -> Result<Pentanomial, MatchError> {
    let openings = Openings::from_policy(rules, pairs, seed, evaluator).map_err(failure)?;
    if openings.lines.is_empty() {
        return Err(MatchError::NoOpening { plies: openings.plies });
    }
    let pairs = pairs.min(openings.lines.len());
    let game = Match { pairs, openings: Some(openings), seed, ..Match::new(rules, players) };
    let report = game.play(&mut [evaluator], &mut |_| ControlFlow::Continue(()))?;
    Ok(report.tally.pairs)
}

#[cfg(test)]
mod tests {
    use search::evaluators::Uniform;

    use super::*;

    #[test]
    fn rules_that_end_every_opening_are_named_as_the_problem() {
        let rules = Rules::parse("go,max_moves=2", 3).expect("rules");
        let error = strength(rules, 2, 1, 1, &mut Uniform).expect_err("no game to play");
        assert!(matches!(error, MatchError::NoOpening { plies: 2 }), "{error}");
    }
}

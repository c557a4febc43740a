//! The agent of a study.

use arena::{MatchError, Player, PlayerSetup};
use search::{EvaluatorError, Settings};

/// Its name in errors.
pub(crate) const NAME: &str = "agent";

/// The agent with a number of simulations. It considers at most half as many moves: otherwise sequential halving has
/// nothing to halve, and more simulations gain nothing.
pub fn agent(simulations: u32) -> Settings {
    let usual = Settings::default();
    let max_num_considered_actions = usual.max_num_considered_actions.min(simulations / 2).max(1);
    Settings { simulations, max_num_considered_actions, gumbel_scale: 0.0, ..usual }
}

/// The same for matches.
pub(crate) fn player(simulations: u32) -> PlayerSetup {
    let player = Player::Searching { evaluator: 0, settings: agent(simulations), temperature: 0.0 };
    PlayerSetup::new(format!("{NAME}@{simulations}"), player)
}

/// An error of its evaluator, as an error of a match.
pub(crate) fn failure(source: EvaluatorError) -> MatchError {
    MatchError::Evaluator { player: NAME.to_owned(), source }
}

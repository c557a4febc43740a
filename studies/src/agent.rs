//! The agent of a study.

use std::thread;

use arena::{MatchError, Player, PlayerSetup, SelfPlayer};
use engine::Position;
use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, Search, Settings};

/// The agent's name in errors.
pub(crate) const NAME: &str = "agent";

/// Settings of the agent with a number of simulations. It plays to win, without noise.
pub fn agent_settings(simulations: u32) -> Settings {
    Settings::to_win(simulations).with_simulations(simulations)
}

/// The same agent for games against itself. Settled games are played on with a quarter of the
/// simulations.
pub fn self_player(simulations: u32) -> SelfPlayer<'static> {
    let settled = agent_settings((simulations / 4).max(1));
    SelfPlayer { name: NAME, settings: agent_settings(simulations), settled, seed: 0 }
}

/// The same agent for matches.
pub(crate) fn player(simulations: u32) -> PlayerSetup {
    let player =
        Player::Searching { evaluator: 0, settings: agent_settings(simulations), temperature: 0.0 };
    PlayerSetup::new(format!("{NAME}@{simulations}"), player)
}

/// The agent's searches of these positions, all at once.
pub(crate) fn search_all<E: Evaluator>(
    positions: impl IntoIterator<Item = Position>,
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<Search>, EvaluatorError> {
    let start = |position| Search::new(position, agent_settings(simulations), 0);
    let mut searches: Vec<Search> = positions.into_iter().map(start).collect();
    search::run_batched(&mut searches, evaluator, LEAVES_AT_ONCE)?;
    Ok(searches)
}

/// Converts an error of its evaluator to an error of a match.
pub(crate) fn failure(source: EvaluatorError) -> MatchError {
    MatchError::Evaluator { player: NAME.to_owned(), source }
}

/// Runs something for each network, on its own thread.
pub(crate) fn each_network<E: Evaluator + Send, T: Send>(
    evaluators: &mut [E],
    work: impl Fn(usize, &mut E) -> Result<T, MatchError> + Sync,
) -> Result<Vec<T>, MatchError> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = evaluators
            .iter_mut()
            .enumerate()
            .map(|(network, evaluator)| scope.spawn(move || work(network, evaluator)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

//! Games of an agent against itself, one from each opening.

use engine::{Move, Rules};
use search::{Evaluator, Settings};

use crate::contest::RunningGame;
use crate::matches::search_turns;
use crate::{MatchError, MatchGame, Player, PlayerSetup};

/// Games in progress at the same time.
const GAMES_AT_ONCE: usize = 256;

/// A game of an agent against itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfPlayed {
    /// Its record.
    pub game: MatchGame,
    /// What the agent's searches found for Black, from −1 to 1: one value for each turn after the opening.
    pub values: Vec<f32>,
}

/// One game from each opening, in their order. The agent plays the same move whenever it meets the same position, so a
/// second game from an opening would be a copy.
///
/// # Errors
/// An illegal opening, or an error of the evaluator.
pub fn self_play<E: Evaluator>(
    rules: Rules,
    name: &str,
    settings: Settings,
    openings: &[Vec<Move>],
    evaluator: &mut E,
) -> Result<Vec<SelfPlayed>, MatchError> {
    let searching = Player::Searching { evaluator: 0, settings, temperature: 0.0 };
    let player = PlayerSetup::new(name, searching);
    let mut waiting = openings.iter().enumerate();
    let mut running: Vec<(RunningGame, Vec<f32>)> = Vec::new();
    let mut finished: Vec<(usize, SelfPlayed)> = Vec::new();
    loop {
        let free = GAMES_AT_ONCE - running.len();
        for (index, opening) in waiting.by_ref().take(free) {
            running.push((RunningGame::new(rules, index, 0, opening)?, Vec::new()));
        }
        if running.is_empty() {
            break;
        }
        let mut games: Vec<&mut RunningGame> = running.iter_mut().map(|(game, _)| game).collect();
        let found = search_turns(&player, &mut games, settings, 0.0, evaluator)?;
        for ((_, values), value) in running.iter_mut().zip(found) {
            values.push(value);
        }
        for (game, values) in running.extract_if(.., |(game, _)| game.end().is_some()) {
            let index = game.index;
            let names = [player.name.clone(), player.name.clone()];
            let record = game.into_record(names);
            finished.extend(record.map(|game| (index, SelfPlayed { game, values })));
        }
    }
    finished.sort_by_key(|(index, _)| *index);
    Ok(finished.into_iter().map(|(_, game)| game).collect())
}

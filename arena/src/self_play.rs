//! Games of an agent against itself, one from each opening.

use engine::Rules;
use search::{Evaluator, Settings};

use crate::contest::RunningGame;
use crate::matches::search_turns;
use crate::{MatchError, MatchGame, Openings, Player, PlayerSetup};

/// Games in progress at the same time.
const GAMES_AT_ONCE: usize = 256;

/// One game from each opening, in their order. The agent plays the same move whenever it meets the same position, so a
/// second game from an opening would be a copy.
///
/// # Errors
/// An illegal opening, or an error of the evaluator.
pub fn self_play<E: Evaluator>(
    rules: Rules,
    name: &str,
    settings: Settings,
    openings: &Openings,
    evaluator: &mut E,
) -> Result<Vec<MatchGame>, MatchError> {
    let searching = Player::Searching { evaluator: 0, settings, temperature: 0.0 };
    let player = PlayerSetup::new(name, searching);
    let mut waiting = openings.lines.iter().enumerate();
    let mut running: Vec<RunningGame> = Vec::new();
    let mut finished: Vec<(usize, MatchGame)> = Vec::new();
    loop {
        let free = GAMES_AT_ONCE - running.len();
        for (index, opening) in waiting.by_ref().take(free) {
            running.push(RunningGame::new(rules, index, 0, opening)?);
        }
        if running.is_empty() {
            break;
        }
        let mut games: Vec<&mut RunningGame> = running.iter_mut().collect();
        search_turns(&player, &mut games, settings, 0.0, evaluator)?;
        for game in running.extract_if(.., |game| game.end().is_some()) {
            let index = game.index;
            let names = [player.name.clone(), player.name.clone()];
            finished.extend(game.into_record(names).map(|record| (index, record)));
        }
    }
    finished.sort_by_key(|(index, _)| *index);
    Ok(finished.into_iter().map(|(_, game)| game).collect())
}

//! Games of an agent against itself, one per opening.

use engine::{Move, Rules};
use search::{Evaluator, Settings};

use crate::matches::search_turns;
use crate::running_game::RunningGame;
use crate::{MatchError, MatchGame, Player, PlayerSetup};

/// Maximum number of simultaneous games.
const GAMES_AT_ONCE: usize = 256;

/// A game may be settled if a value exceeds this, which gives the loser a chance of three percent.
const SETTLED: f32 = 0.94;

/// Number of consecutive turns that must all say so.
const SETTLED_TURNS: usize = 5;

/// An agent that plays against itself. As long as its searches have only one leaf evaluated at a
/// time, each game is the same as if it were the only one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfPlayer<'a> {
    /// Its name in records.
    pub name: &'a str,
    /// The settings of its searches.
    pub settings: Settings,
    /// The settings of its searches in a settled game, which still has many turns but is no longer
    /// in doubt.
    pub settled: Settings,
    /// The seed of its noise; without noise, a second game from an opening would be a copy.
    pub seed: u64,
}

/// A game of an agent against itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfPlayedGame {
    /// Its record.
    pub game: MatchGame,
    /// The values for Black, −1 to 1, found by the agent's searches: one per turn after the
    /// opening.
    pub values: Vec<f32>,
}

/// Plays one game from each opening, in order.
///
/// # Errors
/// An illegal opening, or an error of the evaluator.
pub fn self_play<E: Evaluator>(
    rules: Rules,
    player: &SelfPlayer<'_>,
    openings: &[Vec<Move>],
    evaluator: &mut E,
) -> Result<Vec<SelfPlayedGame>, MatchError> {
    let &SelfPlayer { name, settings, settled, seed } = player;
    let searching = Player::Searching { evaluator: 0, settings, temperature: 0.0 };
    let player = PlayerSetup::new(name, searching);
    let mut waiting = openings.iter().enumerate();
    let mut running: Vec<(RunningGame, Vec<f32>)> = Vec::new();
    let mut finished: Vec<(usize, SelfPlayedGame)> = Vec::new();
    loop {
        let free = GAMES_AT_ONCE - running.len();
        for (index, opening) in waiting.by_ref().take(free) {
            running.push((RunningGame::new(rules, index, seed, opening)?, Vec::new()));
        }
        if running.is_empty() {
            break;
        }
        let mut games: Vec<(&mut RunningGame, Settings)> = running
            .iter_mut()
            .map(|(game, values)| (game, if is_settled(values) { settled } else { settings }))
            .collect();
        let found = search_turns(&player, &mut games, 0.0, evaluator)?;
        for ((_, values), value) in running.iter_mut().zip(found) {
            values.push(value);
        }
        for (game, values) in running.extract_if(.., |(game, _)| game.end().is_some()) {
            let index = game.index;
            let names = [player.name.clone(), player.name.clone()];
            let record = game.into_record(names);
            finished.extend(record.map(|game| (index, SelfPlayedGame { game, values })));
        }
    }
    finished.sort_by_key(|(index, _)| *index);
    Ok(finished.into_iter().map(|(_, game)| game).collect())
}

/// Whether the last turns all agree that the same player has won.
fn is_settled(values: &[f32]) -> bool {
    let last = values.last_chunk::<SETTLED_TURNS>();
    last.is_some_and(|last| {
        last.iter().all(|&value| value > SETTLED) || last.iter().all(|&value| value < -SETTLED)
    })
}

#[cfg(test)]
mod tests {
    use engine::Position;
    use search::evaluators::Scripted;
    use search::{Evaluation, EvaluatorError};

    use super::*;

    /// An evaluator that gives every position the same value, and counts positions.
    struct Sure {
        value: f32,
        asked: usize,
    }

    impl Evaluator for Sure {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            self.asked += batch.len();
            let evaluations = Scripted { seed: 1 }.evaluate(batch)?.into_iter();
            Ok(evaluations.map(|other| Evaluation { value: self.value, ..other }).collect())
        }
    }

    #[test]
    fn a_game_is_settled_by_five_turns_that_agree() {
        let settled = [0.95, -0.97, -0.95, -1.0, -0.96, -0.95];
        assert!(is_settled(&settled));
        assert!(!is_settled(&settled[..5]), "one of the five is for the other player");
        assert!(!is_settled(&settled[2..]), "four are too few");
        assert!(!is_settled(&[1.0, 1.0, 0.9, 1.0, 1.0]), "one of the five is in doubt");
        assert!(!is_settled(&[]));
    }

    #[test]
    fn turns_of_a_settled_game_take_fewer_evaluations() {
        let rules = Rules::parse("go,komi=60", 5).expect("rules");
        let settings = Settings::to_win(16);
        let evaluations_a_turn = |value: f32| {
            let mut sure = Sure { value, asked: 0 };
            let settled = settings.with_simulations(4);
            let player = SelfPlayer { name: "sure", settings, settled, seed: 0 };
            let games = self_play(rules, &player, &[Vec::new()], &mut sure);
            let turns = games.expect("it cannot fail")[0].values.len();
            assert!(turns > 2 * SETTLED_TURNS, "{turns} turns");
            sure.asked as f64 / turns as f64
        };
        let (open, settled) = (evaluations_a_turn(0.5), evaluations_a_turn(-0.99));
        assert!(settled < 0.7 * open, "{settled} against {open}");
    }
}

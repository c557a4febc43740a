//! Reviews a game: the winning probabilities after each turn, the turns that cost the most, and
//! what would have been better.

use engine::{Color, Move};
use game::{Game, Turn};
use search::Evaluator;

use crate::choice::{Choice, GenerateError};
use crate::player::Player;
use crate::settings::Settings;

/// A smaller loss may be evaluation noise.
const MIN_SWING: f32 = 0.05;

/// A turn that worsened its player's winning probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swing {
    /// Its number, from 1: the position before it is the one after one turn fewer.
    pub turn: usize,
    /// Whose turn it was.
    pub player: Color,
    /// What was played.
    pub played: Move,
    /// The player's winning probability before and after it.
    pub chances: [f32; 2],
}

/// A game reviewed by searching each of its positions.
#[derive(Debug, Clone)]
pub struct Review {
    /// The probability that Black wins, at the start and after each turn.
    pub chances: Vec<f32>,
    /// What would have been played in each position; `None` where the game is over.
    pub best: Vec<Option<Move>>,
    /// The turns that cost their player something, worst first.
    pub swings: Vec<Swing>,
}

impl Swing {
    /// The turns of a game that cost their player something, worst first, given the probabilities,
    /// where known, that Black wins at the start and after each turn.
    pub fn all(game: &Game, chances: &[Option<f32>]) -> Vec<Swing> {
        let swing = |(index, turn): (usize, &Turn)| {
            // Nobody chose a pass that is only implied.
            if turn.implied {
                return None;
            }
            let black = [*chances.get(index)?, *chances.get(index + 1)?];
            let [before, after] = match turn.player {
                Color::Black => [black[0]?, black[1]?],
                Color::White => [1.0 - black[0]?, 1.0 - black[1]?],
            };
            Some(Swing {
                turn: index + 1,
                player: turn.player,
                played: turn.played,
                chances: [before, after],
            })
        };
        let all = game.turns().iter().enumerate().filter_map(swing);
        let mut swings: Vec<Swing> = all.filter(|swing| swing.lost() >= MIN_SWING).collect();
        swings.sort_by(|one, other| other.lost().total_cmp(&one.lost()));
        swings
    }

    /// By how much the player's winning probability fell.
    pub fn lost(&self) -> f32 {
        self.chances[0] - self.chances[1]
    }
}

impl Review {
    /// Searches each position of a game; `progress` is called before each.
    ///
    /// # Errors
    /// The evaluator fails.
    pub fn of(
        game: &Game,
        evaluator: impl Evaluator,
        settings: Settings,
        mut progress: impl FnMut(),
    ) -> Result<Review, GenerateError> {
        let mut player = Player::of_game(game.clone(), evaluator, settings);
        let (mut chances, mut best) = (Vec::new(), Vec::new());
        for position in game.positions() {
            progress();
            let (chance, played) = match position.outcome() {
                Some(outcome) => {
                    (search::winrate(outcome.result.black_value(), Color::Black), None)
                }
                None => {
                    player.set_game(Game::from_position(position.clone()));
                    let choice: Choice = player.think()?;
                    (choice.winrate(Color::Black), Some(choice.played))
                }
            };
            chances.push(chance);
            best.push(played);
        }
        let known: Vec<Option<f32>> = chances.iter().copied().map(Some).collect();
        Ok(Review { swings: Swing::all(game, &known), chances, best })
    }

    /// The better alternative to a turn; `None` if it was what the search would have played.
    fn better(&self, swing: &Swing) -> Option<Move> {
        self.best[swing.turn - 1].filter(|&best| best != swing.played)
    }

    /// A one-line description of a turn that cost something.
    pub fn line(&self, swing: &Swing) -> String {
        let Swing { turn, player, played, chances } = swing;
        let [before, after] = chances.map(|chance| (100.0 * chance).round());
        let advice = match self.better(swing) {
            Some(best) => format!("better was {best}"),
            None => "nothing better was found".to_owned(),
        };
        let player = player.name();
        format!(
            "{turn}. {player} {played}: {player}'s chance from {before} % to {after} %; {advice}"
        )
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;
    use search::evaluators::Scripted;

    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Rules::parse("go,komi=0", 5).expect("rules"));
        moves
            .split_whitespace()
            .for_each(|text| game.play(text.parse().expect("a move")).expect("a legal move"));
        game
    }

    #[test]
    fn swings_are_losses_of_the_player_who_moved() {
        let chances = [Some(0.5), Some(0.3), Some(0.9), Some(0.87), None, Some(0.2), Some(0.4)];
        let found = Swing::all(&game("C3 C4 D3 D4 B3 pass"), &chances);
        let turns: Vec<usize> = found.iter().map(|swing| swing.turn).collect();
        assert_eq!(turns, [2, 1, 6], "the third lost too little, and the next two are unknown");
        assert!((found[0].lost() - 0.6).abs() < 1e-6 && found[0].player == Color::White);
    }

    #[test]
    fn every_position_is_searched_until_the_game_is_over() {
        let mut settings = Settings::default();
        settings.search.simulations = 8;
        let mut calls = 0;
        let game = game("C3 C4 D3 pass pass");
        let review =
            Review::of(&game, Scripted { seed: 1 }, settings, || calls += 1).expect("a review");
        assert_eq!((calls, review.chances.len(), review.best.len()), (6, 6, 6));
        assert_eq!((review.chances[5], review.best[5]), (1.0, None), "Black has won");
        for swing in &review.swings {
            let line = review.line(swing);
            assert!(
                line.starts_with(&format!("{}. {}", swing.turn, swing.player.name())),
                "{line}"
            );
            assert_ne!(review.better(swing), Some(swing.played));
        }
    }
}

//! One position of a game: what is on the board, and what is said about it.

use engine::{Color, Move, Position};
use game::{Game, State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::{GameDescription, last_effect};
use crate::language::Language;
use crate::refusal::Refusal;
use crate::sides::Sides;

/// A position of a game.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PositionView {
    /// The turns taken until then.
    turn: usize,
    /// The position.
    state: State,
    /// The point of the last turn's stone; null if that was a pass, and before the first turn.
    last: Option<String>,
    /// The point of the last stone, if it was an incursion that the rules still count.
    incursion: Option<String>,
    /// The points of each player's stones that the last turn removed.
    removed: Sides<Vec<String>>,
    /// The points where only a ban forbids a stone now.
    banned: Vec<String>,
    /// The position in words, for onlookers.
    #[serde(flatten)]
    told: GameDescription,
    /// The same for its players, who are called "you".
    told_to: Sides<GameDescription>,
}

/// A step in going through a game.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct StepView {
    #[serde(flatten)]
    position: PositionView,
    /// The turn that led here, in words; at the start who is to move.
    caption: String,
    /// The game until here as SGF: what `import` takes, to play on from here.
    pub(crate) sgf: String,
}

impl PositionView {
    /// The last position of a game.
    pub fn of(game: &Game, language: &Language) -> PositionView {
        let position = game.position();
        let stone = |played: Move| played.point().map(|point| point.to_string());
        let last_stone = game.turns().iter().rev().find_map(|turn| stone(turn.played));
        PositionView {
            turn: game.turns().len(),
            state: State::of(position, game.end()),
            last: game.turns().last().and_then(|turn| stone(turn.played)),
            incursion: last_stone.filter(|_| position.last_incursion() == Some(true)),
            removed: Sides::each(|color| removed(game, color)),
            banned: banned(game, position),
            told: GameDescription::for_onlooker(game, language),
            told_to: Sides::each(|color| GameDescription::for_player(game, color, language)),
        }
    }
}

fn removed(game: &Game, color: Color) -> Vec<String> {
    let (Some(turn), Some(effect)) = (game.turns().last(), last_effect(game)) else {
        return Vec::new();
    };
    let removed = if turn.player == color { effect.lost } else { effect.captured };
    removed.iter().map(|point| point.to_string()).collect()
}

fn banned(game: &Game, position: &Position) -> Vec<String> {
    match game.end() {
        Some(_) => Vec::new(),
        None => position.banned_points().iter().map(|point| point.to_string()).collect(),
    }
}

impl StepView {
    /// The last step of a game.
    pub fn of(game: &Game, language: &Language) -> StepView {
        let sgf = game.chosen_record().to_string();
        let position = PositionView::of(game, language);
        StepView { position, caption: caption(game, language), sgf }
    }

    /// The game after a number of turns, given as in a URL.
    ///
    /// # Errors
    /// It is not a number, or the game has fewer turns.
    pub fn at(game: &Game, turn: &str, language: &Language) -> Result<StepView, Refusal> {
        let turns = game.turns().len();
        let then = turn.parse().ok().and_then(|turn| game.after(turn));
        then.map(|then| StepView::of(&then, language))
            .ok_or_else(|| Refusal::NoSuchTurn { turn: turn.to_owned(), turns })
    }
}

/// The turn that led to the last position, in words; at the start, who is to move.
fn caption(game: &Game, language: &Language) -> String {
    let Some(turn) = game.turns().last() else {
        return match game.position().turn() {
            Color::Black => language.say("Black to move", &[]),
            Color::White => language.say("White to move", &[]),
        };
    };
    let before = game.positions().nth(game.turns().len() - 1);
    let [black, white] = match turn.played {
        Move::Pass if game.rules().returns_prisoners() => {
            ["Black returns a prisoner", "White returns a prisoner"]
        }
        // After a stone of the same turn, this is no pass, and does not count as one.
        Move::Pass if before.is_some_and(Position::is_mid_turn) => {
            ["Black ends the turn", "White ends the turn"]
        }
        Move::Pass => ["Black passes", "White passes"],
        Move::Place(_) | Move::PlaceStarred(_) => ["Black plays {move}", "White plays {move}"],
    };
    let english = match turn.player {
        Color::Black => black,
        Color::White => white,
    };
    language.say(english, &[("move", &turn.played)])
}

#[cfg(test)]
mod tests {
    use engine::{Rules, Variant};

    use super::*;

    #[test]
    fn to_end_a_turn_of_several_stones_is_not_to_pass() {
        let mut game = Game::new(Rules::parse("go,stones_per_turn=2", 5).unwrap());
        let captions = ["C3", "D3", "pass", "pass"].map(|played| {
            game.play(played.parse().unwrap()).unwrap();
            caption(&game, Language::english())
        });
        assert_eq!(
            captions,
            ["Black plays C3", "White plays D3", "White ends the turn", "Black passes"]
        );
        assert_eq!(game.position().passes(), 1);
    }

    /// Stepping through a game shows what its followers saw when the steps were made.
    #[test]
    fn every_step_is_as_it_was() {
        let english = Language::english();
        for variant in Variant::ALL {
            let mut game = Game::new(variant.rules(4).unwrap());
            let mut seen = vec![StepView::of(&game, english)];
            while game.end().is_none() && seen.len() < 60 {
                let legal = game.position().legal_moves();
                game.play(legal[seen.len() * 7 % legal.len()]).unwrap();
                seen.push(StepView::of(&game, english));
            }
            for (turn, step) in seen.iter().enumerate() {
                assert_eq!(step.position.turn, turn);
                assert_eq!(
                    StepView::at(&game, &turn.to_string(), english).unwrap(),
                    *step,
                    "{variant} {turn}"
                );
            }
            for unknown in [seen.len().to_string(), "-1".to_owned(), "last".to_owned()] {
                let refused = StepView::at(&game, &unknown, english).unwrap_err();
                assert_eq!(refused.code(), (404, "no_such_turn"));
            }
        }
    }
}

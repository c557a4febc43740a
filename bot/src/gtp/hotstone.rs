//! Our own commands for what standard GTP cannot express.

use std::fmt::Write;

use engine::{Color, Move, Point, Position, join_with_spaces};
use game::{Game, State};
use search::{Evaluation, Evaluator};

use super::arguments::{arguments, syntax};
use super::command::CommandError;
use super::core::Answer;
use crate::ownership::{PlayoutSettings, final_ownership};
use crate::{GenerateError, Player, report};

/// The state as one line of JSON.
pub(super) fn state(game: &Game) -> String {
    State::of(game.position(), game.end()).to_line()
}

/// All legal moves, including starred ones. Empty when the game is over.
pub(super) fn legal(game: &Game) -> String {
    if game.end().is_some() {
        return String::new();
    }
    join_with_spaces(game.position().legal_moves())
}

/// The rule set in the form used by configurations and the command line, followed by every field
/// that it uses.
pub(super) fn rules(game: &Game) -> String {
    let rules = game.rules();
    let fields = rules.fields().into_iter().map(|(field, value)| format!("{field}={value}"));
    let lines: Vec<String> =
        [rules.to_string(), format!("size={}", rules.size)].into_iter().chain(fields).collect();
    lines.join("\n")
}

/// Why a move is not legal; `legal` if it is.
pub(super) fn why(game: &Game, words: &[String]) -> Answer {
    let [vertex] = arguments(words)?;
    let played: Move = vertex.parse()?;
    if let Some(result) = game.result_text() {
        return Err(GenerateError::GameOver(result).into());
    }
    Ok(match game.position().check_move(played) {
        Ok(()) => "legal".to_owned(),
        Err(rule) => rule.to_string(),
    })
}

/// `kata-raw-nn`: the network's raw output for the position; the same for every requested symmetry
/// and optimism.
pub(super) fn raw_network<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let to_move = words.first().and_then(|word| word.parse().ok());
    let words = if to_move.is_some() { &words[1..] } else { words };
    let [symmetry] = arguments(words)?;
    let is_known = symmetry == "all" || symmetry.parse::<u8>().is_ok_and(|number| number < 8);
    if !is_known {
        return Err(syntax("a symmetry is a number below 8, or all"));
    }
    if words.get(1).is_some_and(|optimism| optimism.parse::<f32>().is_err()) {
        return Err(syntax("an optimism is a number"));
    }
    if let Some(result) = player.game().result_text() {
        return Err(GenerateError::GameOver(result).into());
    }
    let to_move = to_move.unwrap_or(player.position().turn());
    let text = player.as_if_to_move(to_move, |player| {
        let position = player.position().clone();
        let evaluation = search::evaluate_one(player.evaluator(), &position)?;
        evaluation.check(&position)?;
        Ok::<_, GenerateError>(raw_output(&position, &evaluation))
    })?;
    Ok(text)
}

fn raw_output(position: &Position, evaluation: &Evaluation) -> String {
    let prior = |wanted: Move| {
        let found = evaluation.policy.iter().find(|(played, _)| *played == wanted);
        found.map_or_else(|| "NAN".to_owned(), |(_, prior)| format!("{prior:.6}"))
    };
    let white = search::winrate(evaluation.value, Color::White);
    let mut text = format!("symmetry 0\nwhiteWin {white:.6}\nwhiteLoss {:.6}\npolicy", 1.0 - white);
    let size = position.size();
    for row in (0..size.height()).rev() {
        let priors: Vec<String> =
            (0..size.width()).map(|column| prior(Move::Place(Point::new(row, column)))).collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{}", priors.join(" "));
    }
    let _ = write!(text, "\npolicyPass {}", prior(Move::Pass));
    text
}

/// Each point's ownership, from −1 (White) to 1 (Black), in GoGui's `dboard` format.
pub(super) fn ownership<E: Evaluator>(player: &mut Player<E>) -> Result<String, CommandError> {
    let position = player.position().clone();
    let (size, playouts) = (position.size(), PlayoutSettings::of(&position));
    let ownership = final_ownership(&position, player.evaluator(), playouts)?;
    let mut text = String::new();
    for row in report::signed_ownership(&ownership, size).chunks(size.width()) {
        text.push('\n');
        for share in row {
            // Writing to a String cannot fail.
            let _ = write!(text, "{share:.2} ");
        }
        text.truncate(text.trim_end().len());
    }
    Ok(text)
}

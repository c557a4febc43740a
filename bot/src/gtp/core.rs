//! The commands of the GTP standard.

use engine::{Color, Move};
use search::Evaluator;

use super::command::{Command, CommandError};
use crate::repertoire::nearest_komi;
use crate::{Game, Player, diagram};

type Answer = Result<String, CommandError>;

/// What commands that only change something answer.
const DONE: Answer = Ok(String::new());

fn syntax(command: Command, problem: impl Into<String>) -> CommandError {
    CommandError::Syntax { command, problem: problem.into() }
}

/// The first `N` arguments. More are ignored, as clients send extensions that they have not negotiated.
fn arguments<const N: usize>(
    command: Command,
    arguments: &[String],
) -> Result<[&str; N], CommandError> {
    arguments
        .first_chunk::<N>()
        .map(|words| words.each_ref().map(String::as_str))
        .ok_or_else(|| syntax(command, "an argument is missing"))
}

fn color(command: Command, text: &str) -> Result<Color, CommandError> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(syntax(command, format!("'{text}' is no color: write b or w"))),
    }
}

pub(super) fn known_command(command: Command, words: &[String]) -> Answer {
    let [name] = arguments(command, words)?;
    Ok(Command::named(name).is_some().to_string())
}

pub(super) fn list_commands() -> String {
    let names: Vec<&str> = Command::ALL.iter().map(|command| command.name()).collect();
    names.join("\n")
}

pub(super) fn boardsize<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let sides = words
        .iter()
        .take(2)
        .map(|word| word.parse::<usize>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| syntax(command, "the size is no number"))?;
    match sides[..] {
        [] => return Err(syntax(command, "an argument is missing")),
        [width, height] if width != height => {
            return Err(syntax(command, "the board is square"));
        }
        [size, ..] => player.set_size(size)?,
    }
    DONE
}

pub(super) fn clear_board<E: Evaluator>(player: &mut Player<E>) -> Answer {
    player.new_game();
    DONE
}

pub(super) fn komi<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let [text] = arguments(command, words)?;
    let komi = text
        .parse()
        .ok()
        .and_then(nearest_komi)
        .ok_or_else(|| syntax(command, format!("'{text}' is no number")))?;
    player.set_komi(komi);
    DONE
}

pub(super) fn play<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let [who, vertex] = arguments(command, words)?;
    let who = color(command, who)?;
    let played: Move = vertex.parse()?;
    player.play_as(who, played)?;
    DONE
}

pub(super) fn genmove<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let [who] = arguments(command, words)?;
    let choice = player.generate(color(command, who)?)?;
    Ok(choice.played.to_string())
}

pub(super) fn undo<E: Evaluator>(player: &mut Player<E>) -> Answer {
    if player.undo() { DONE } else { Err(CommandError::NothingToUndo) }
}

pub(super) fn showboard(game: &Game) -> String {
    format!("\n{}", diagram(game))
}

/// The result, or the score as the board stands.
pub(super) fn final_score(game: &Game) -> Answer {
    if let Some(result) = game.result_text() {
        return Ok(result);
    }
    let score = game.position().score().ok_or(CommandError::NoScore)?;
    Ok(if score > 0.0 {
        format!("B+{score}")
    } else if score < 0.0 {
        format!("W+{}", -score)
    } else {
        "0".to_owned()
    })
}

/// A time in seconds, or a number of stones.
fn amount(command: Command, text: &str) -> Result<f64, CommandError> {
    text.parse()
        .ok()
        .filter(|amount: &f64| amount.is_finite())
        .ok_or_else(|| syntax(command, format!("'{text}' is no number")))
}

pub(super) fn time_settings(command: Command, words: &[String]) -> Answer {
    let times: [&str; 3] = arguments(command, words)?;
    times.iter().try_for_each(|text| amount(command, text).map(drop))?;
    DONE
}

pub(super) fn time_left(command: Command, words: &[String]) -> Answer {
    let [who, time, stones] = arguments(command, words)?;
    color(command, who)?;
    amount(command, time)?;
    amount(command, stones)?;
    DONE
}

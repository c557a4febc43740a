//! The commands of the GTP standard that play a game.

use engine::{Color, Komi, Move, Size, join_with_spaces};
use game::Game;
use search::Evaluator;

use super::arguments::{arguments, color, exactly, syntax};
use super::command::{Command, CommandError};
use crate::komi::why_other_komi;
use crate::ownership::{Ownership, PlayoutSettings, final_ownership};
use crate::{Player, diagram};

pub(super) type Answer = Result<String, CommandError>;

/// The reply to commands that only change something.
pub(super) const DONE: Answer = Ok(String::new());

/// Puts a text on one line: it may quote anything, and a blank line would end the reply.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn known_command(words: &[String]) -> Answer {
    let [name] = arguments(words)?;
    Ok(Command::named(name).is_some().to_string())
}

pub(super) fn list_commands() -> String {
    let names: Vec<&str> = Command::ALL.iter().map(|command| command.name()).collect();
    names.join("\n")
}

pub(super) fn boardsize<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let sides = words
        .iter()
        .take(2)
        .flat_map(|word| word.split(':'))
        .map(|word| word.parse::<usize>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| syntax("the size is not a number"))?;
    let (width, height) = match sides[..] {
        [] => return Err(syntax("an argument is missing")),
        [side] => (side, side),
        [width, height, ..] => (width, height),
    };
    player.set_size(Size::new(width, height)?)?;
    DONE
}

pub(super) fn clear_board<E: Evaluator>(player: &mut Player<E>) -> Answer {
    player.new_game();
    DONE
}

pub(super) fn komi<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [text] = arguments(words)?;
    let invalid = || syntax(format!("invalid number '{text}'"));
    let points: f32 = text.parse().map_err(|_| invalid())?;
    let komi = Komi::nearest(points).ok_or_else(invalid)?;
    let remark = set_komi(player, komi);
    if komi.value() == points || !remark.is_empty() {
        return Ok(remark);
    }
    Ok(format!("komi is {}, the nearest that can be played", komi.value()))
}

/// Requests a komi, and says so if the rules play only a part of it or none. That is no error:
/// clients send a komi before every game.
pub(super) fn set_komi<E: Evaluator>(player: &mut Player<E>, komi: Komi) -> String {
    player.set_komi(komi);
    match player.komi() {
        played if played == komi => String::new(),
        played => {
            let reason = why_other_komi(player.game().rules());
            format!("komi is {}, because {reason}", played.value())
        }
    }
}

pub(super) fn get_komi(komi: Komi) -> String {
    komi.value().to_string()
}

pub(super) fn play<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [who, vertex] = exactly(words)?;
    let who = color(who)?;
    if vertex.eq_ignore_ascii_case("resign") {
        player.resign(who);
        return DONE;
    }
    let played: Move = vertex.parse()?;
    let is_after_end = played == Move::Pass && player.pass_after_end();
    if !is_after_end {
        player.play_as(who, played)?;
    }
    DONE
}

pub(super) fn undo<E: Evaluator>(player: &mut Player<E>) -> Answer {
    if player.undo() { DONE } else { Err(CommandError::NothingToUndo) }
}

pub(super) fn showboard(game: &Game) -> String {
    format!("\n{}", diagram(game))
}

/// The result, or the current score.
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

/// Status of stones, by the rules if the game is over, otherwise by playouts: a string is dead if
/// the opponent is more likely to own most of its points. These rules have no seki. Territory is
/// listed with one point per line, strings with one string per line.
pub(super) fn final_status_list<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [status] = arguments(words)?;
    let position = player.position().clone();
    let mut ownership =
        || final_ownership(&position, player.evaluator(), PlayoutSettings::of(&position));
    let lines = match status {
        "alive" => strings(&position, &ownership()?, true),
        "dead" => strings(&position, &ownership()?, false),
        "seki" => Vec::new(),
        "black_territory" => territory(&position, &ownership()?.black),
        "white_territory" => territory(&position, &ownership()?.white),
        other => return Err(syntax(format!("unknown status '{other}'"))),
    };
    Ok(lines.join("\n"))
}

fn strings(position: &engine::Position, ownership: &Ownership, alive: bool) -> Vec<String> {
    let size = position.size();
    let mut lines = Vec::new();
    for color in Color::BOTH {
        let (own, other) = match color {
            Color::Black => (&ownership.black, &ownership.white),
            Color::White => (&ownership.white, &ownership.black),
        };
        for string in position.stones(color).strings() {
            let balance: f32 =
                string.iter().map(|point| own[point.index(size)] - other[point.index(size)]).sum();
            if alive == (balance >= 0.0) {
                lines.push(join_with_spaces(string.iter()));
            }
        }
    }
    lines
}

/// The empty points that a player is more likely than not to own at the end.
fn territory(position: &engine::Position, probabilities: &[f32]) -> Vec<String> {
    let empty = position.empty();
    empty
        .iter()
        .filter(|point| probabilities[point.index(position.size())] > 0.5)
        .map(|point| point.to_string())
        .collect()
}

//! The commands of our own, for clients that want to know what standard GTP has no words for.

use crate::{Game, State};

/// One line of JSON.
pub(super) fn state(game: &Game) -> String {
    State::of(game.position(), game.resigned()).to_line()
}

/// All legal moves, starred ones included. Empty when the game is over.
pub(super) fn legal(game: &Game) -> String {
    if game.result().is_some() {
        return String::new();
    }
    let moves: Vec<String> =
        game.position().legal_moves().iter().map(ToString::to_string).collect();
    moves.join(" ")
}

/// The rule set as a configuration or command line would name it, then every field that it uses.
pub(super) fn rules(game: &Game) -> String {
    let rules = game.rules();
    let fields = rules.fields().into_iter().map(|(field, value)| format!("{field}={value}"));
    let lines: Vec<String> =
        [rules.to_string(), format!("size={}", rules.size)].into_iter().chain(fields).collect();
    lines.join("\n")
}

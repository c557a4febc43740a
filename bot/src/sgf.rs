//! A game as SGF.

use engine::{Color, Move};

use crate::game::Game;

/// The game as one SGF tree, one move a node, in FF\[4\]. A pass and a prisoner return are both `B[]` or `W[]`.
///
/// SGF has no word for Conquest's announced choice: such a move carries the private property `HSM[E9*]`.
pub fn sgf(game: &Game) -> String {
    let rules = game.rules();
    let mut text = format!(
        "(;GM[1]FF[4]CA[UTF-8]AP[Hotstone:{}]RU[{}]SZ[{}]KM[{}]",
        env!("CARGO_PKG_VERSION"),
        escaped(&rules.to_string()),
        rules.size,
        rules.komi.value(),
    );
    if let Some(result) = game.result_text() {
        text.push_str(&format!("RE[{result}]"));
    }
    match game.first() {
        Color::Black => {}
        Color::White => text.push_str("PL[W]"),
    }
    for turn in game.turns() {
        text.push_str(&format!(";{}[{}]", turn.player, vertex(turn.played, rules.size.into())));
        match turn.played {
            Move::PlaceStarred(_) => text.push_str(&format!("HSM[{}]", turn.played)),
            Move::Place(_) | Move::Pass => {}
        }
    }
    text.push(')');
    text
}

/// SGF counts both letters from the top left corner.
fn vertex(played: Move, size: usize) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    played.point().map_or_else(String::new, |point| {
        [letter(point.column()), letter(size - 1 - point.row())].iter().collect()
    })
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

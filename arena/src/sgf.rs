//! Game records as SGF text, FF\[4\] (<https://www.red-bean.com/sgf/>).

use std::fmt::Write;

use engine::{Color, Move, Point};

use crate::GameRecord;

/// The game as one SGF tree, a move a node.
///
/// `RU` holds the canonical text of the rules, which `Rules::parse` reads back. A prisoner return is written as the
/// pass it replaces. Conquest's announced choice is the private property `XC[*]` beside the move, since a value of `B`
/// or `W` has no room for it.
pub fn sgf(game: &GameRecord) -> String {
    let size = usize::from(game.rules.size);
    let mut text = format!(
        "(;GM[1]FF[4]CA[UTF-8]AP[hotstone:{}]SZ[{size}]KM[{}]RU[{}]",
        env!("CARGO_PKG_VERSION"),
        game.rules.komi.value(),
        escape(&game.rules.to_string()),
    );
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "PB[{}]PW[{}]RE[{}]C[end: {}, opening plies: {}]",
        escape(&game.players[0]),
        escape(&game.players[1]),
        result(game),
        game.outcome.reason,
        game.opening_plies,
    );
    let mut mover = Color::Black;
    for &played in &game.moves {
        let vertex = played.point().map(|point| coordinates(point, size)).unwrap_or_default();
        let _ = write!(text, "\n;{mover}[{vertex}]");
        match played {
            Move::PlaceStarred(_) => text.push_str("XC[*]"),
            Move::Place(_) | Move::Pass => {}
        }
        mover = mover.opponent();
    }
    text.push_str(")\n");
    text
}

/// The value of `RE`: with the margin where a score decided.
fn result(game: &GameRecord) -> String {
    match (game.outcome.winner, game.score) {
        (None, _) => "0".to_owned(),
        (Some(winner), Some(score)) => format!("{winner}+{}", score.abs()),
        (Some(winner), None) => format!("{winner}+"),
    }
}

/// Column and row letters, rows from the top.
fn coordinates(point: Point, size: usize) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    [letter(point.column()), letter(size - 1 - point.row())].into_iter().collect()
}

/// SimpleText: no line breaks, and `\` before what would end the value.
fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, character| {
        match character {
            ']' | '\\' => safe.extend(['\\', character]),
            c if c.is_whitespace() => safe.push(' '),
            c => safe.push(c),
        }
        safe
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Position, Rules};

    fn record(rules: &str, moves: &str, players: [&str; 2]) -> GameRecord {
        let rules = Rules::parse(rules, 5).expect("rules");
        let mut position = Position::new(rules);
        let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().expect(text)).collect();
        moves.iter().for_each(|&played| position.play(played).expect("a legal move"));
        GameRecord::of(&position, moves, 1, players.map(str::to_owned)).expect("a finished game")
    }

    #[test]
    fn a_game_is_written_move_by_move() {
        let game = record("incursion,komi=6.5", "A5 E1 C3 pass pass", ["model:x@64", "a]b\\"]);
        let head = "(;GM[1]FF[4]CA[UTF-8]AP[hotstone:";
        let text = sgf(&game);
        assert!(text.starts_with(head), "{text}");
        let rest = &text[text.find("SZ").expect("a size")..];
        assert_eq!(
            rest,
            "SZ[5]KM[6.5]RU[incursion,komi=6.5]PB[model:x@64]PW[a\\]b\\\\]RE[W+5.5]\
             C[end: passes, opening plies: 1]\n;B[aa]\n;W[ee]\n;B[cc]\n;W[]\n;B[])\n"
        );
    }

    #[test]
    fn a_draw_is_zero() {
        let game = record("go,komi=0", "pass pass", ["a", "b"]);
        assert!(sgf(&game).contains("RE[0]"));
    }
}

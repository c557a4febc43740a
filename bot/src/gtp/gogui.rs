//! GoGui's commands with which the engine, not the interface, decides the rules. This is the only
//! way for a client to show variants that remove stones in other ways than Go.

use engine::{Color, Move, Size, join_with_spaces};
use game::Game;
use game::state::{owner_of, picture, stone};

use crate::diagram::standing;

/// GoGui's menu of analysis commands: type, label, command.
pub(super) fn analyze_commands() -> String {
    [
        "gfx/Tiles, Hot Stones and Owners/gogui-rules_board_gfx",
        "dboard/Expected Owners/hotstone-ownership",
        "plist/Dead Stones/final_status_list dead",
        "plist/Black Territory/final_status_list black_territory",
        "plist/White Territory/final_status_list white_territory",
        "string/Why Not Here/hotstone-why %p",
        "string/Last Move Explained/gomill-explain_last_move",
        "string/Final Score/final_score",
        "string/Legal Moves/hotstone-legal",
        "string/Rules/hotstone-rules",
        "string/State/hotstone-state",
    ]
    .join("\n")
}

/// The variant in the form that GoGui requires: one capital, then only lower-case letters.
pub(super) fn game_id(game: &Game) -> String {
    let name = game.rules().variant().map_or("custom", |variant| variant.name());
    let mut letters = name.chars().filter(char::is_ascii_lowercase);
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// One line per row, top row first.
pub(super) fn board(game: &Game) -> String {
    let position = game.position();
    let rows: Vec<String> = picture(position, |point| stone(position, point))
        .iter()
        .map(|row| row.chars().map(String::from).collect::<Vec<_>>().join(" "))
        .collect();
    format!("\n{}", rows.join("\n"))
}

/// The number of tiles as a label, hot stones as triangles, owned points as territory.
pub(super) fn board_gfx(game: &Game) -> String {
    let position = game.position();
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    let board = position.empty() | black | white;
    let mut labels = Vec::new();
    let [mut black, mut white] = [Vec::new(), Vec::new()];
    for point in board.iter() {
        match position.tiles(point) {
            0 => {}
            tiles => labels.push(format!("{point} {tiles}")),
        }
        match owner_of(position, point) {
            'b' => black.push(point.to_string()),
            'w' => white.push(point.to_string()),
            _ => {}
        }
    }
    let hot = position.hot_stones().iter().map(|point| point.to_string()).collect();
    let lines: Vec<String> =
        [("BLACK", black), ("WHITE", white), ("TRIANGLE", hot), ("LABEL", labels)]
            .into_iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(word, points)| format!("{word} {}", points.join(" ")))
            .collect();
    lines.join("\n")
}

/// Legal moves for GoGui; none when the game is over. GoGui knows only vertices, so a move that
/// Conquest also offers with an announced choice is listed once; `hotstone-legal` lists both.
pub(super) fn legal_moves(game: &Game) -> String {
    if game.end().is_some() {
        return String::new();
    }
    join_with_spaces(game.position().legal_moves().iter().filter(|legal| match legal {
        Move::Place(_) | Move::Pass => true,
        Move::PlaceStarred(_) => false,
    }))
}

pub(super) fn side_to_move(game: &Game) -> String {
    game.position().turn().word().to_owned()
}

/// One number for a square board, columns and rows for others.
pub(super) fn board_size(size: Size) -> String {
    match size.side() {
        Some(side) => side.to_string(),
        None => format!("{} {}", size.width(), size.height()),
    }
}

/// The prisoners that Black holds, then White's.
pub(super) fn captured_count(game: &Game) -> String {
    let [black, white] = Color::BOTH.map(|color| game.position().prisoners(color));
    format!("{black} {white}")
}

/// The result in words; empty while the game is running.
pub(super) fn final_result(game: &Game) -> String {
    if game.end().is_some() { standing(game) } else { String::new() }
}

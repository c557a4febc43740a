//! A drawing of one position.

use arena::plot::escape;
use engine::{Move, Position, Rules};
use serde_json::{Value, json};

use crate::lab::games::{frame, nodes};

/// A link whose address is filled in by the page's script.
pub(super) const PLAY_ON_LINK: &str = " <a>Play on from here</a>";

/// The position after these moves, drawn as `frame` describes it, with text below.
pub(super) fn static_board(rules: &Rules, moves: &[Move], frame: &Value, text: &str) -> String {
    let data = json!({
        "width": rules.size.width(),
        "height": rules.size.height(),
        "frames": [frame],
        "nodes": nodes(rules, moves),
    });
    let text = escape(text);
    format!(
        "<div class=\"game diagram\"><svg role=\"img\" aria-label=\"{text}\"></svg><p>{text}</p>{PLAY_ON_LINK}\n\
         <script type=\"application/json\">{data}</script></div>\n"
    )
}

/// The position after these moves from the empty board, with stones numbered by turn.
pub(super) fn numbered(rules: &Rules, moves: &[Move], text: &str) -> String {
    let mut position = Position::new(*rules);
    let mut numbers = serde_json::Map::new();
    let mut words = Vec::new();
    for (turn, &played) in moves.iter().enumerate() {
        position.play_unchecked(played);
        words.push(played.to_string());
        if let Some(point) = played.point() {
            numbers.insert(point.to_string(), json!(turn + 1));
        }
    }
    let mut frame = frame(&position, "", None);
    frame["numbers"] = Value::Object(numbers);
    static_board(rules, moves, &frame, &format!("{}: {text}", words.join(" ")))
}

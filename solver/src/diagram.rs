//! A solved position as SGF.

use std::fmt::Write;

use engine::{Move, Position, Rules, join_with_spaces};

use crate::value::{Solution, Value};

/// The game that leads to the position, with the value of every move there: all moves are labelled,
/// and the best are circled.
pub fn sgf(rules: &Rules, moves: &[Move], solution: &Solution, values: &[(Move, Value)]) -> String {
    let size = rules.size;
    let point = |played: &Move| {
        played.point().map(|point| {
            let letter = |index: usize| char::from(b'a' + index as u8);
            format!("{}{}", letter(point.column()), letter(size.height() - 1 - point.row()))
        })
    };
    let written = match size.side() {
        Some(side) => side.to_string(),
        None => format!("{}:{}", size.width(), size.height()),
    };
    let mut text =
        format!("(;GM[1]FF[4]CA[UTF-8]SZ[{written}]KM[{}]RU[{rules}]", rules.komi.value());
    let mut position = Position::new(*rules);
    for &played in moves {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n;{}[{}]", position.turn(), point(&played).unwrap_or_default());
        if matches!(played, Move::PlaceStarred(_)) {
            text.push_str("HSM[*]");
        }
        position.play_unchecked(played);
    }
    let best = match position.outcome() {
        Some(outcome) => format!("the game has ended: {}", outcome.reason),
        None => format!("best {}", join_with_spaces(&solution.best)),
    };
    let _ = write!(text, "C[value {}, {best}, {} nodes]", solution.value, solution.nodes);
    let mut circles: Vec<String> = solution.best.iter().filter_map(point).collect();
    circles.dedup();
    if !circles.is_empty() {
        let _ = write!(text, "CR[{}]", circles.join("]["));
    }
    // A point may be labelled only once: a starred move comes right after the plain one on its
    // point.
    let mut labels: Vec<String> = Vec::new();
    for (played, value) in values {
        let Some(point) = point(played) else { continue };
        match labels.last_mut() {
            Some(last) if last.starts_with(&point) => last.push_str(&format!(" *{value}")),
            _ => labels.push(format!("{point}:{value}")),
        }
    }
    if !labels.is_empty() {
        let _ = write!(text, "LB[{}]", labels.join("]["));
    }
    text.push_str(")\n");
    text
}

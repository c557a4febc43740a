//! A solved position as SGF.

use std::fmt::Write;

use engine::{Color, Move, Rules};

use crate::value::{Solution, Value};

/// The game that leads to the position, with the value of every move there: best moves are circled, all are labelled.
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
    let mut mover = Color::Black;
    for played in moves {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n;{mover}[{}]", point(played).unwrap_or_default());
        mover = mover.opponent();
    }
    let best: Vec<String> = solution.best.iter().map(ToString::to_string).collect();
    let _ = write!(
        text,
        "C[value {}, best {}, {} nodes]",
        solution.value,
        best.join(" "),
        solution.nodes
    );
    let circles: Vec<String> = solution.best.iter().filter_map(point).collect();
    if !circles.is_empty() {
        let _ = write!(text, "CR[{}]", circles.join("]["));
    }
    let labels: Vec<String> = values
        .iter()
        .filter_map(|(played, value)| Some(format!("{}:{value}", point(played)?)))
        .collect();
    if !labels.is_empty() {
        let _ = write!(text, "LB[{}]", labels.join("]["));
    }
    text.push_str(")\n");
    text
}

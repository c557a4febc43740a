//! Positions for tests, as text.

use engine::Position;

/// Black can take at C8 and C2, White at G8.
pub(crate) const THREE_KOS: &str = "
    .XO..OX..
    XO.OOX.X.
    .XO..OX..
    .........
    .........
    .........
    .XO......
    XO.O.....
    .XO......";

/// Rows from the top, separated by spaces, and lines of a position's text.
pub(crate) fn position(rules: &str, rows: &str, lines: &str) -> Position {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let (size, rows) = (rows.len(), rows.join("\n"));
    let text = format!("rules {rules}\nsize {size}\n{rows}\nblack to move\n{lines}");
    Position::parse(&text).expect("a position")
}

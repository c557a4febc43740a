//! Points as SGF writes them: column and row letters, rows from the top.

use engine::{Move, Point};
use sgf_parse::go;

/// The largest board on which `tt` is a pass, as files older than FF\[4\] write it: every size we know.
const OLD_PASS: go::Point = go::Point { x: 19, y: 19 };

/// The two letters of a point.
pub(crate) fn letters(point: Point, size: u8) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    let row = usize::from(size).saturating_sub(1 + point.row());
    [letter(point.column()), letter(row)].into_iter().collect()
}

/// The value of `B` or `W`: nothing for a pass and for a prisoner return.
pub(crate) fn value(played: Move, size: u8) -> String {
    played.point().map(|point| letters(point, size)).unwrap_or_default()
}

/// The point that SGF names, if the board has it. Capital letters, which FF\[4\] has for boards larger than ours, are
/// taken for small ones.
pub(crate) fn point(named: go::Point, size: u8) -> Option<Point> {
    let small = |index: u8| if index >= 26 { index - 26 } else { index };
    let (x, y) = (small(named.x), small(named.y));
    (x < size && y < size).then(|| Point::new(usize::from(size - 1 - y), x.into()))
}

/// The move that SGF names, if the board has it.
pub(crate) fn played(named: go::Move, size: u8) -> Option<Move> {
    match named {
        go::Move::Pass => Some(Move::Pass),
        go::Move::Move(point) if point == OLD_PASS => Some(Move::Pass),
        go::Move::Move(named) => point(named, size).map(Move::Place),
    }
}

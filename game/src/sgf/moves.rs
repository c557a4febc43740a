//! Points in SGF: column and row letters, with rows from the top.

use engine::{Move, Point, Size};
use sgf_parse::go;

/// The largest board on which `tt` is a pass, as in files older than FF\[4\]: every supported size.
const OLD_PASS: go::Point = go::Point { x: 19, y: 19 };

/// The two letters of a point.
pub(crate) fn letters(point: Point, size: Size) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    let row = size.height().saturating_sub(1 + point.row());
    [letter(point.column()), letter(row)].into_iter().collect()
}

/// The value of `B` or `W`: empty for a pass or a prisoner return.
pub(crate) fn value(played: Move, size: Size) -> String {
    played.point().map(|point| letters(point, size)).unwrap_or_default()
}

/// The point that SGF names, if it is on the board. Capital letters, which FF\[4\] uses on boards
/// larger than ours, are read as lower case.
pub(crate) fn point(named: go::Point, size: Size) -> Option<Point> {
    let small = |index: u8| if index >= 26 { index - 26 } else { index };
    let (x, y) = (usize::from(small(named.x)), usize::from(small(named.y)));
    (x < size.width() && y < size.height()).then(|| Point::new(size.height() - 1 - y, x))
}

/// The move that SGF names, if it is on the board.
pub(crate) fn played(named: go::Move, size: Size) -> Option<Move> {
    match named {
        go::Move::Pass => Some(Move::Pass),
        go::Move::Move(point) if point == OLD_PASS => Some(Move::Pass),
        go::Move::Move(named) => point(named, size).map(Move::Place),
    }
}

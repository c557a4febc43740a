//! Ranges in lists of points, counted before parsing: `AB[aa:cc]` names nine points.

use sgf_parse::go::Point;

use super::main_line::Place;

/// The properties whose values are lists of points. In others, such as lines and labels, `[aa:cc]`
/// means something else.
const LISTS: [&str; 12] = ["AB", "AW", "AE", "CR", "DD", "MA", "SL", "SQ", "TR", "TB", "TW", "VW"];

/// The number of points named by the ranges of a text, with repetitions.
pub(super) fn points_in_ranges(text: &str) -> usize {
    let (mut points, mut name, mut rest) = (0, String::new(), text);
    while let Some((before, after)) = rest.split_once('[') {
        // A value right after another belongs to the same property.
        if !before.trim().is_empty() {
            name = name_at_end(before);
        }
        let (value, left) = after.split_at(length_of_value(after));
        if LISTS.contains(&name.as_str()) {
            points += points_of_range(value);
        }
        rest = left.strip_prefix(']').unwrap_or_default();
    }
    points
}

/// The property name at the end of the text between two values. Like the parser, this takes all
/// capitals, whatever is between them.
fn name_at_end(text: &str) -> String {
    let start = text.rfind(['(', ';', ')']).map_or(0, |place| place + 1);
    text[start..].chars().filter(char::is_ascii_uppercase).collect()
}

/// The number of bytes before the bracket that ends a value; all of them if there is none.
fn length_of_value(text: &str) -> usize {
    let mut place = Place::InValue;
    let is_end = |&(_, character): &(usize, char)| {
        place = place.after(character);
        matches!(place, Place::Between)
    };
    text.char_indices().find(is_end).map_or(text.len(), |(index, _)| index)
}

fn points_of_range(value: &str) -> usize {
    // The parser ignores escapes.
    let value = value.replace('\\', "");
    let corners = value.split_once(':').and_then(|(one, other)| {
        let corner = |text: &str| text.trim().parse::<Point>().ok();
        corner(one).zip(corner(other))
    });
    corners.map_or(0, |(one, other)| {
        let side = |one: u8, other: u8| usize::from(one.abs_diff(other)) + 1;
        side(one.x, other.x) * side(one.y, other.y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lists_are_counted_and_nothing_else() {
        for (text, points) in [
            ("(;AB[aa:cc][dd]AW[ee:ff];B[aa])", 13),
            ("(;AddBlack[aa:ac]\n[aa:ca])", 6),
            ("(;AB[cc:aa][ aa : ab ])", 11),
            ("(;LB[aa:zz]AR[aa:ss]C[AB[aa:ss\\]AB[aa:cc])", 0),
            ("(;C[a\\\\]AB[aa:cc])", 9),
            ("(;TB[aa:ZZ]", 2704),
            ("(;T1R[aa:ac]T R[aa:ac]T.R[aa:ac])", 9),
            ("(;TR[\\aa:\\ac])", 3),
            ("(;AB[aa:", 0),
            ("", 0),
        ] {
            assert_eq!(points_in_ranges(text), points, "{text}");
        }
    }
}

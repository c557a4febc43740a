//! Stones that are set up and the player to move, accepting values that deviate slightly from the
//! standard.

use engine::{Color, Point, Size};
use sgf_parse::go;
use sgf_parse::go::Prop;

use super::error::ReadError;
use super::moves;

/// What a setup property says.
pub(crate) enum Setup {
    /// Stones of this colour, or empty points.
    Points {
        color: Option<Color>,
        points: Vec<Point>,
        /// Values that do not name points.
        strange: Vec<String>,
    },
    /// Who is to move.
    ToMove(Color),
}

/// The meaning of a property, if it is a setup property.
pub(crate) fn setup_of(property: &Prop, size: Size) -> Result<Option<Setup>, ReadError> {
    let named = |color, named: Vec<go::Point>, strange| {
        let points: Option<Vec<Point>> =
            named.into_iter().map(|point| moves::point(point, size)).collect();
        let points = points.ok_or(ReadError::SetupOffBoard)?;
        Ok(Some(Setup::Points { color, points, strange }))
    };
    let listed = |color, points: &std::collections::HashSet<go::Point>| {
        named(color, points.iter().copied().collect(), Vec::new())
    };
    match property {
        Prop::AB(points) => listed(Some(Color::Black), points),
        Prop::AW(points) => listed(Some(Color::White), points),
        Prop::AE(points) => listed(None, points),
        Prop::PL(sgf_parse::Color::Black) => Ok(Some(Setup::ToMove(Color::Black))),
        Prop::PL(sgf_parse::Color::White) => Ok(Some(Setup::ToMove(Color::White))),
        Prop::Invalid(name, values) => {
            let color = match name.as_str() {
                "AB" => Some(Color::Black),
                "AW" => Some(Color::White),
                "AE" => None,
                "PL" => {
                    let color = values.first().and_then(|text| text.trim().parse().ok());
                    return Ok(color.map(Setup::ToMove));
                }
                _ => return Ok(None),
            };
            let (points, strange) = points_of(values);
            named(color, points, strange)
        }
        _ => Ok(None),
    }
}

/// The points of a list that may contain spaces, empty values, or rectangles that do not begin in
/// the top left corner; and the values that name no points.
fn points_of(values: &[String]) -> (Vec<go::Point>, Vec<String>) {
    let (mut points, mut strange) = (Vec::new(), Vec::new());
    for value in values.iter().map(|value| value.trim()).filter(|value| !value.is_empty()) {
        let corners = match value.split_once(':') {
            Some((one, other)) => one.trim().parse().ok().zip(other.trim().parse().ok()),
            None => value.parse().ok().map(|point: go::Point| (point, point)),
        };
        match corners {
            Some((one, other)) => points.extend(rectangle(one, other)),
            None => strange.push(value.to_owned()),
        }
    }
    (points, strange)
}

fn rectangle(one: go::Point, other: go::Point) -> impl Iterator<Item = go::Point> {
    let columns = one.x.min(other.x)..=one.x.max(other.x);
    let rows = one.y.min(other.y)..=one.y.max(other.y);
    columns.flat_map(move |x| rows.clone().map(move |y| go::Point { x, y }))
}

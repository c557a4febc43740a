//! The fields of a query, with errors that name the field.

use std::time::Duration;

use engine::{Color, Move, Point, Position, Size};
use serde_json::{Map, Value};

use super::problem::Problem;

/// Maximum number of visits per query: counts are 32-bit.
const MAX_VISITS: u64 = 1 << 30;

/// The object of a query.
pub(super) struct Fields<'a> {
    pub object: &'a Map<String, Value>,
    pub id: &'a str,
}

impl<'a> Fields<'a> {
    pub fn problem(&self, field: &str, message: impl Into<String>) -> Problem {
        let (field, id) = (Some(field.to_owned()), Some(self.id.to_owned()));
        Problem { message: message.into(), field, id }
    }

    /// A field that is present and not null.
    pub fn get(&self, field: &str) -> Option<&'a Value> {
        self.object.get(field).filter(|value| !value.is_null())
    }

    /// A field parsed by `read`; `None` if it is absent.
    pub fn read<T>(
        &self,
        field: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        match self.get(field) {
            None => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| self.problem(field, format!("must be {expected}"))),
        }
    }

    pub fn boolean(&self, field: &str) -> Result<bool, Problem> {
        Ok(self.read(field, "a boolean", Value::as_bool)?.unwrap_or(false))
    }

    /// A list of turn numbers.
    pub fn numbers(&self, field: &str) -> Result<Option<Vec<usize>>, Problem> {
        self.read(field, "an array of turn numbers", |value| {
            let numbers = value.as_array()?.iter();
            numbers.map(|number| usize::try_from(number.as_u64()?).ok()).collect()
        })
    }

    /// A list of pairs of a player and a location.
    pub fn placements(
        &self,
        field: &str,
        size: Size,
    ) -> Result<Option<Vec<(Color, Move)>>, Problem> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let list = value
            .as_array()
            .ok_or_else(|| self.problem(field, "must be an array of [player, location]"))?;
        list.iter()
            .enumerate()
            .map(|(index, pair)| {
                let pair = pair.as_array().filter(|pair| pair.len() == 2);
                let words = pair.and_then(|pair| Some((pair[0].as_str()?, pair[1].as_str()?)));
                let placement = words.and_then(|(player, location)| {
                    Some((player.parse().ok()?, location_of(location, size)?))
                });
                placement.ok_or_else(|| {
                    self.problem(
                        field,
                        format!("entry {index}, {}, is not [player, location]", list[index]),
                    )
                })
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    pub fn visits(&self, field: &str) -> Result<Option<u32>, Problem> {
        let most = "an integer from 1 to 2^30";
        self.read(field, most, visits)
    }

    /// The moves that a field lists for the player to move; `None` if it lists none.
    pub fn restrictions(
        &self,
        field: &str,
        position: &Position,
    ) -> Result<Option<Vec<Move>>, Problem> {
        let Some(list) = self.get(field) else { return Ok(None) };
        let expected = "must be an array of objects with player, moves and untilDepth";
        let wrong = || self.problem(field, expected);
        let mut found: Option<Vec<Move>> = None;
        for entry in list.as_array().ok_or_else(wrong)? {
            let player = entry
                .get("player")
                .and_then(Value::as_str)
                .and_then(|name| name.parse::<Color>().ok());
            let depth = entry.get("untilDepth").and_then(Value::as_u64).filter(|&depth| depth > 0);
            let moves = entry.get("moves").and_then(Value::as_array);
            let moves: Option<Vec<Move>> = moves.and_then(|moves| {
                moves.iter().map(|text| location_of(text.as_str()?, position.size())).collect()
            });
            let (Some(player), Some(moves), Some(_)) = (player, moves, depth) else {
                return Err(wrong());
            };
            if player == position.turn() {
                found.get_or_insert_default().extend(moves);
            }
        }
        Ok(found)
    }
}

pub(super) fn visits(value: &Value) -> Option<u32> {
    let visits = value.as_u64().filter(|visits| (1..=MAX_VISITS).contains(visits))?;
    u32::try_from(visits).ok()
}

/// More seconds than any search takes: KataGo's default is 10²⁰.
const MAX_SECONDS: f64 = 1e9;

pub(super) fn duration(value: &Value) -> Option<Duration> {
    value
        .as_f64()
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds.min(MAX_SECONDS)).ok())
}

/// Reads `C4`, `pass`, or KataGo's `(0,13)`: column and row from the top left.
fn location_of(text: &str, size: Size) -> Option<Move> {
    let Some(pair) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return text.parse().ok();
    };
    let (column, row) = pair.split_once(',')?;
    let (column, row): (usize, usize) = (column.trim().parse().ok()?, row.trim().parse().ok()?);
    (column < size.width() && row < size.height())
        .then(|| Move::Place(Point::new(size.height() - 1 - row, column)))
}

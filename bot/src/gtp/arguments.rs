//! Parsing of arguments.

use engine::{Bitboard, Color, ColorParseError, Move, Point};

use super::command::CommandError;

pub(super) fn syntax(problem: impl Into<String>) -> CommandError {
    CommandError::Syntax(problem.into())
}

/// The first `N` arguments. Extra ones are ignored, because clients send extensions unasked.
pub(super) fn arguments<const N: usize>(arguments: &[String]) -> Result<[&str; N], CommandError> {
    arguments
        .first_chunk::<N>()
        .map(|words| words.each_ref().map(String::as_str))
        .ok_or_else(|| syntax("an argument is missing"))
}

/// All `N` arguments, for commands that take a turn or write a file: whoever sends more means more
/// than would be played, or another file.
pub(super) fn exactly<const N: usize>(words: &[String]) -> Result<[&str; N], CommandError> {
    match words.get(N) {
        Some(extra) => Err(syntax(format!("unexpected argument '{extra}'"))),
        None => arguments(words),
    }
}

pub(super) fn color(text: &str) -> Result<Color, CommandError> {
    text.parse().map_err(|error: ColorParseError| syntax(error.to_string()))
}

/// A time in seconds.
pub(super) fn seconds(text: &str) -> Result<f32, CommandError> {
    text.parse()
        .ok()
        .filter(|seconds: &f32| seconds.is_finite())
        .ok_or_else(|| syntax(format!("invalid number '{text}'")))
}

/// A count; servers write integers in many ways.
pub(super) fn count(text: &str) -> Result<u32, CommandError> {
    let number = seconds(text)?;
    if number >= 0.0 { Ok(number as u32) } else { Err(syntax(format!("invalid count '{text}'"))) }
}

/// Parses alternating colours and vertices.
pub(super) fn moves(words: &[String]) -> Result<Vec<(Color, Move)>, CommandError> {
    if !words.len().is_multiple_of(2) {
        return Err(syntax("a vertex is missing"));
    }
    words.chunks_exact(2).map(|pair| Ok((color(&pair[0])?, pair[1].parse()?))).collect()
}

/// The stones in such a list, Black's first.
pub(super) fn stones(words: &[String]) -> Result<[Bitboard; 2], CommandError> {
    let mut stones = [Bitboard::EMPTY; 2];
    for (color, played) in moves(words)? {
        stones[color.index()].insert(point(played)?);
    }
    Ok(stones)
}

/// The point of a vertex.
fn point(vertex: Move) -> Result<Point, CommandError> {
    match vertex {
        Move::Place(point) => Ok(point),
        Move::PlaceStarred(_) | Move::Pass => {
            Err(syntax(format!("'{vertex}' is not a point of the board")))
        }
    }
}

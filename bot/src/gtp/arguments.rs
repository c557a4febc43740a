//! Parsing of arguments.

use engine::{Bitboard, Color, Move, Point};

use super::command::{Command, CommandError};
use crate::katago_rules::named_color;

pub(super) fn syntax(command: Command, problem: impl Into<String>) -> CommandError {
    CommandError::Syntax { command, problem: problem.into() }
}

/// The first `N` arguments. More are ignored, because clients send extensions unasked.
pub(super) fn arguments<const N: usize>(
    command: Command,
    arguments: &[String],
) -> Result<[&str; N], CommandError> {
    arguments
        .first_chunk::<N>()
        .map(|words| words.each_ref().map(String::as_str))
        .ok_or_else(|| syntax(command, "an argument is missing"))
}

pub(super) fn color(command: Command, text: &str) -> Result<Color, CommandError> {
    named_color(text)
        .ok_or_else(|| syntax(command, format!("invalid color '{text}': expected b or w")))
}

/// A time in seconds.
pub(super) fn seconds(command: Command, text: &str) -> Result<f32, CommandError> {
    text.parse()
        .ok()
        .filter(|seconds: &f32| seconds.is_finite())
        .ok_or_else(|| syntax(command, format!("invalid number '{text}'")))
}

/// A count; servers write integers in many ways.
pub(super) fn count(command: Command, text: &str) -> Result<u32, CommandError> {
    let number = seconds(command, text)?;
    if number >= 0.0 {
        Ok(number as u32)
    } else {
        Err(syntax(command, format!("invalid count '{text}'")))
    }
}

/// Alternating colours and vertices.
pub(super) fn moves(
    command: Command,
    words: &[String],
) -> Result<Vec<(Color, Move)>, CommandError> {
    if !words.len().is_multiple_of(2) {
        return Err(syntax(command, "a vertex is missing"));
    }
    words.chunks_exact(2).map(|pair| Ok((color(command, &pair[0])?, pair[1].parse()?))).collect()
}

/// The stones of such a list, Black's first.
pub(super) fn stones(command: Command, words: &[String]) -> Result<[Bitboard; 2], CommandError> {
    let mut stones = [Bitboard::EMPTY; 2];
    for (color, played) in moves(command, words)? {
        stones[color.index()].insert(point(command, played)?);
    }
    Ok(stones)
}

/// The point of a vertex.
pub(super) fn point(command: Command, vertex: Move) -> Result<Point, CommandError> {
    match vertex {
        Move::Place(point) => Ok(point),
        Move::PlaceStarred(_) | Move::Pass => {
            Err(syntax(command, format!("'{vertex}' is not a point of the board")))
        }
    }
}

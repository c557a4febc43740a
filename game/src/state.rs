//! A position of a game as JSON, as printed by the GTP command `hotstone-state` and the HTTP
//! interface.

use engine::{Bitboard, Color, GameResult, Point, Position, Size};
use serde::{Deserialize, Serialize};

use crate::{EndReason, GameEnd};

/// The sides of a board in JSON.
#[cfg(feature = "openapi")]
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum BoardSize {
    /// The side of a square board.
    Square(u8),
    /// Width and height, as `3x4`.
    Rectangle(String),
}

/// The fields, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct State {
    /// The variant's name, or the rules' parts.
    variant: String,
    /// Side of the board: a number for a square board, width and height as `3x4` otherwise.
    #[cfg_attr(feature = "openapi", schema(value_type = BoardSize))]
    size: Size,
    /// Komi in points, subtracted from Black's score.
    komi: f32,
    /// Whose turn it is.
    to_move: Side,
    /// A string for each row, top row first: `X`, `O` or `.`.
    stones: Vec<String>,
    /// The number of tiles on each point, in the same format; null where the rules have no tiles.
    tiles: Option<Vec<String>>,
    /// Who owns each point, `b`, `w` or `.`; null where the rules have no owners.
    owner: Option<Vec<String>>,
    /// Whether the last stone was an incursion; null where no rule depends on it.
    last_incursion: Option<bool>,
    /// The hot stones; null where the rules have none.
    hot: Option<Vec<String>>,
    /// Prisoners that each player holds.
    prisoners: Prisoners,
    /// Consecutive passes just made.
    passes: u8,
    /// The legal moves.
    legal: Vec<String>,
    /// Who won, once the game is over.
    result: Option<Verdict>,
    /// Black's points minus White's and minus komi in this position; null where the rules have no
    /// score.
    score: Option<f32>,
    /// What ended the game.
    reason: Option<String>,
}

/// A player in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Side {
    /// Black.
    B,
    /// White.
    W,
}

impl Side {
    /// The player of this colour.
    pub fn of(color: Color) -> Side {
        match color {
            Color::Black => Side::B,
            Color::White => Side::W,
        }
    }
}

/// The winner in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Verdict {
    /// Black.
    B,
    /// White.
    W,
    /// Neither player.
    #[serde(rename = "draw")]
    Draw,
}

impl Verdict {
    /// The winner of this result.
    pub fn of(result: GameResult) -> Verdict {
        match result {
            GameResult::Won(Color::Black) => Verdict::B,
            GameResult::Won(Color::White) => Verdict::W,
            GameResult::Draw => Verdict::Draw,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct Prisoners {
    #[serde(rename = "B")]
    black: u16,
    #[serde(rename = "W")]
    white: u16,
}

impl State {
    /// The state of `position`, the latest one of a game with this `end`.
    pub fn of(position: &Position, end: Option<GameEnd>) -> State {
        let rules = position.rules();
        State {
            variant: rules.variant().map_or_else(|| rules.to_string(), |named| named.to_string()),
            size: position.size(),
            komi: rules.komi.value(),
            to_move: Side::of(position.turn()),
            stones: picture(position, |point| stone(position, point)),
            tiles: tiles(position),
            owner: owner(position),
            last_incursion: position.last_incursion(),
            hot: hot(position),
            prisoners: Prisoners {
                black: position.prisoners(Color::Black),
                white: position.prisoners(Color::White),
            },
            passes: position.passes(),
            legal: match end {
                Some(_) => Vec::new(),
                None => position.legal_moves().iter().map(ToString::to_string).collect(),
            },
            result: end.map(|end| Verdict::of(end.result)),
            score: position.score(),
            reason: end.map(|end| reason_word(end.reason)),
        }
    }

    /// The state in one line.
    pub fn to_line(&self) -> String {
        // Only strings, finite numbers and string keys, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The word for what ended a game.
pub fn reason_word(reason: EndReason) -> String {
    match reason {
        EndReason::Resignation => "resign".to_owned(),
        EndReason::Rules(_) | EndReason::Fault(_) => reason.to_string(),
    }
}

/// The state as a JSON value, for a part of a larger answer. Its keys are in the documented order,
/// as in [`State::to_line`].
pub fn state_json(position: &Position, end: Option<GameEnd>) -> serde_json::Value {
    serde_json::to_value(State::of(position, end)).unwrap_or_default()
}

/// One character per point as drawn by `draw`, one string per row, top row first.
pub fn picture(position: &Position, draw: impl Fn(Point) -> char) -> Vec<String> {
    let size = position.size();
    (0..size.height())
        .rev()
        .map(|row| (0..size.width()).map(|column| draw(Point::new(row, column))).collect())
        .collect()
}

/// `X`, `O` or `.`.
pub fn stone(position: &Position, point: Point) -> char {
    pick(point, position.stones(Color::Black), 'X', position.stones(Color::White), 'O')
}

fn pick(point: Point, black: &Bitboard, b: char, white: &Bitboard, w: char) -> char {
    if black.contains(point) {
        b
    } else if white.contains(point) {
        w
    } else {
        '.'
    }
}

/// `b` or `w` on an owned point, `.` elsewhere.
pub fn owner_of(position: &Position, point: Point) -> char {
    pick(point, position.owned(Color::Black), 'b', position.owned(Color::White), 'w')
}

fn tiles(position: &Position) -> Option<Vec<String>> {
    let digit = |point| char::from(b'0' + position.tiles(point).min(9));
    position.rules().has_tiles().then(|| picture(position, digit))
}

fn owner(position: &Position) -> Option<Vec<String>> {
    position.rules().has_owners().then(|| picture(position, |point| owner_of(position, point)))
}

fn hot(position: &Position) -> Option<Vec<String>> {
    position
        .rules()
        .has_hot_stones()
        .then(|| position.hot_stones().iter().map(|point| point.to_string()).collect())
}

//! Colours and board points.

use serde::{Deserialize, Serialize};

use crate::{ColorParseError, MAX_SIZE, MoveParseError, Size};

/// Distance between vertical neighbours in a [`crate::Bitboard`]: one column more than the largest
/// board, so that a shift by one never wraps from the end of a row to the next.
pub(crate) const STRIDE: usize = MAX_SIZE + 1;

const COLUMNS: &[u8; MAX_SIZE] = b"ABCDEFGHJKLMNOPQRST";

/// One of the two players, and the colour of that player's stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Color {
    /// The player who moves first.
    Black,
    /// The player who moves second.
    White,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The player's name.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "Black",
            Color::White => "White",
        }
    }

    /// The player's name in lower case, as protocols write it.
    pub const fn word(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        match self {
            Color::Black => 0,
            Color::White => 1,
        }
    }

    /// +1 for Black, −1 for White: converts a value between this player's perspective and Black's.
    pub const fn sign(self) -> f32 {
        match self {
            Color::Black => 1.0,
            Color::White => -1.0,
        }
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Color::Black => "B",
            Color::White => "W",
        })
    }
}

/// Reads a letter or a word in upper or lower case: `B`, `white`.
impl std::str::FromStr for Color {
    type Err = ColorParseError;

    fn from_str(text: &str) -> Result<Color, ColorParseError> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Color::Black),
            "w" | "white" => Ok(Color::White),
            _ => Err(ColorParseError(text.to_owned())),
        }
    }
}

/// A point of any board, independent of the board's size. Points are ordered row by row from A1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point(u16);

impl Point {
    /// The point in `row` (0 is row 1, at the bottom) and `column` (0 is column A), both below
    /// [`MAX_SIZE`].
    pub const fn new(row: usize, column: usize) -> Point {
        debug_assert!(row < MAX_SIZE && column < MAX_SIZE);
        Point((row * STRIDE + column) as u16)
    }

    /// The point at `index` = row · width + column.
    pub const fn from_index(index: usize, size: Size) -> Point {
        Point::new(index / size.width(), index % size.width())
    }

    pub(crate) const fn from_bit(bit: usize) -> Point {
        Point(bit as u16)
    }

    pub(crate) const fn bit(self) -> usize {
        self.0 as usize
    }

    /// Row, 0 at the bottom.
    pub const fn row(self) -> usize {
        self.0 as usize / STRIDE
    }

    /// Column, 0 at the left.
    pub const fn column(self) -> usize {
        self.0 as usize % STRIDE
    }

    /// row · width + column.
    pub const fn index(self, size: Size) -> usize {
        self.row() * size.width() + self.column()
    }
}

impl Size {
    /// The board's points in the order of their indices.
    pub fn points(self) -> impl DoubleEndedIterator<Item = Point> + ExactSizeIterator + Clone {
        (0..self.area()).map(move |index| Point::from_index(index, self))
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", COLUMNS[self.column()] as char, self.row() + 1)
    }
}

impl std::str::FromStr for Point {
    type Err = MoveParseError;

    /// Reads a GTP vertex such as `D4`, in upper or lower case.
    fn from_str(text: &str) -> Result<Point, MoveParseError> {
        let bad = || MoveParseError(text.to_owned());
        let letter = text.bytes().next().ok_or_else(bad)?.to_ascii_uppercase();
        let column = COLUMNS.iter().position(|&c| c == letter).ok_or_else(bad)?;
        let digits = &text[1..];
        if digits.is_empty()
            || digits.starts_with('0')
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(bad());
        }
        let row: usize = digits.parse().map_err(|_| bad())?;
        if row > MAX_SIZE { Err(bad()) } else { Ok(Point::new(row - 1, column)) }
    }
}

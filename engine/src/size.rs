//! Board sizes.

use std::convert::Infallible;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::RulesError;

/// The largest board side.
pub const MAX_SIZE: usize = 19;

/// The smallest board side.
const MIN_SIZE: usize = 2;

/// Width and height of a board, each 2 to [`MAX_SIZE`].
///
/// Written as one number for a square board and as `width x height` otherwise; `{:#}` always gives
/// both sides:
///
/// ```
/// use engine::Size;
///
/// let size: Size = "3x4".parse()?;
/// assert_eq!((size.width(), size.height(), size.area()), (3, 4, 12));
/// assert_eq!(format!("{0}, {0:#}", Size::try_from(9)?), "9, 9×9");
/// # Ok::<(), engine::RulesError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    height: u8,
    width: u8,
}

impl Size {
    /// The largest board.
    pub const LARGEST: Size = Size { height: MAX_SIZE as u8, width: MAX_SIZE as u8 };

    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// A side outside 2 to 19.
    pub fn new(width: usize, height: usize) -> Result<Size, RulesError> {
        for side in [width, height] {
            if !(MIN_SIZE..=MAX_SIZE).contains(&side) {
                return Err(RulesError::Size(side));
            }
        }
        Ok(Size { height: height as u8, width: width as u8 })
    }

    /// Number of columns.
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Number of rows.
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points.
    pub const fn area(self) -> usize {
        self.width() * self.height()
    }

    /// The longer of the two sides.
    pub const fn longest(self) -> usize {
        if self.width > self.height { self.width() } else { self.height() }
    }

    /// The side of a square board; `None` for other boards.
    pub const fn side(self) -> Option<usize> {
        if self.width == self.height { Some(self.width()) } else { None }
    }
}

impl TryFrom<usize> for Size {
    type Error = RulesError;

    /// A square board.
    fn try_from(side: usize) -> Result<Size, RulesError> {
        Size::new(side, side)
    }
}

impl TryFrom<u8> for Size {
    type Error = RulesError;

    /// A square board.
    fn try_from(side: u8) -> Result<Size, RulesError> {
        Size::try_from(usize::from(side))
    }
}

impl TryFrom<i32> for Size {
    type Error = RulesError;

    /// A square board; integer literals have this type.
    fn try_from(side: i32) -> Result<Size, RulesError> {
        Size::try_from(usize::try_from(side).unwrap_or_default())
    }
}

impl From<Infallible> for RulesError {
    fn from(never: Infallible) -> RulesError {
        match never {}
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.side() {
            _ if f.alternate() => write!(f, "{}×{}", self.width, self.height),
            Some(side) => write!(f, "{side}"),
            None => write!(f, "{}x{}", self.width, self.height),
        }
    }
}

impl FromStr for Size {
    type Err = RulesError;

    /// Reads `9` or `3x4` (width first).
    fn from_str(text: &str) -> Result<Size, RulesError> {
        let side = |part: &str| {
            let part = part.trim();
            part.parse().map_err(|_| RulesError::NoSize(text.to_owned()))
        };
        match text.split_once(['x', 'X', '×']) {
            Some((width, height)) => Size::new(side(width)?, side(height)?),
            None => Size::try_from(side(text)?),
        }
    }
}

impl Serialize for Size {
    /// In human-readable formats, a number if the board is square and text otherwise; in binary
    /// formats, always a number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.side() {
            Some(side) => serializer.serialize_u16(side as u16),
            None if serializer.is_human_readable() => serializer.collect_str(self),
            None => serializer.serialize_u16(u16::from(self.width) << 8 | u16::from(self.height)),
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a board size such as 9 or \"3x4\"")]
        enum Written {
            Side(usize),
            Text(String),
        }
        let size = if deserializer.is_human_readable() {
            match Written::deserialize(deserializer)? {
                Written::Side(side) => Size::try_from(side),
                Written::Text(text) => text.parse(),
            }
        } else {
            let number = usize::from(u16::deserialize(deserializer)?);
            match number >> 8 {
                0 => Size::try_from(number),
                width => Size::new(width, number & 0xff),
            }
        };
        size.map_err(serde::de::Error::custom)
    }
}

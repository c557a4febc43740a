//! A rule set as a choice of parts.

use crate::rules::axes::{Ban, Captures, Ending, Family, Komi, Repetition, Scoring, TileRule};
use crate::{RulesError, Size};

/// A rule set for one board size. Fields that the chosen parts do not use hold their defaults.
///
/// ```
/// use engine::{Komi, Rules};
///
/// let incursion = Rules::parse("incursion", 9)?;
/// assert!(incursion.has_score() && !incursion.has_tiles());
/// let rules = Rules { komi: Komi::points(5), ..incursion };
/// assert_eq!(rules.to_string(), "incursion,komi=5");
/// assert_eq!(rules.variant(), incursion.variant());
/// # Ok::<(), engine::RulesError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Width and height of the board.
    pub size: Size,
    /// Capture and ending machinery.
    pub family: Family,
    /// `go` only.
    pub captures: Captures,
    /// `go` only: what may not follow a turn of the opponent.
    pub ban: Ban,
    /// `go` only: what happens when positions repeat.
    pub repetition: Repetition,
    /// `go` only: may a player remove their own string of two or more stones?
    pub suicide: bool,
    /// `go` only: stones taken from the opponent that win the game; 0 for none.
    pub capture_goal: u16,
    /// `go` only: stones that a player may place in one turn, 1 to 4.
    pub stones_per_turn: u8,
    /// `go` only.
    pub tiles: TileRule,
    /// Tiles that one point can hold, 1 to 9.
    pub tile_limit: u8,
    /// `go` only.
    pub end: Ending,
    /// Consecutive passes that end an `area` game: 2 or 3.
    pub passes_to_end: u8,
    /// Subtracted from Black's score, in points; under prisoner return, prisoners to start with.
    pub komi: Komi,
    /// `hot-stone` only: longest cycle searched for, even, 2 to 10.
    pub max_cycle: u8,
    /// `alter-igo` only: passes that White may make.
    pub white_passes: u16,
    /// `conquest` only.
    pub scoring: Scoring,
    /// Turns after which the game ends and is scored or drawn as it stands.
    pub max_moves: u16,
}

impl Rules {
    /// The `go` family with every other part at its default: no repetition rule, area scoring, komi
    /// 0.
    ///
    /// # Errors
    /// A side outside 2 to 19.
    pub fn plain<S: TryInto<Size>>(size: S) -> Result<Rules, RulesError>
    where
        RulesError: From<S::Error>,
    {
        Ok(Rules::plain_of(size.try_into()?))
    }

    pub(crate) const fn plain_of(size: Size) -> Rules {
        Rules {
            size,
            family: Family::Go,
            captures: Captures::Allowed,
            ban: Ban::None,
            repetition: Repetition::None,
            suicide: false,
            capture_goal: 0,
            stones_per_turn: 1,
            tiles: TileRule::None,
            tile_limit: 1,
            end: Ending::Area,
            passes_to_end: 2,
            komi: Komi::ZERO,
            max_cycle: 6,
            white_passes: 0,
            scoring: Scoring::Territory,
            max_moves: Rules::default_max_moves(size),
        }
    }

    /// Four turns per point.
    pub const fn default_max_moves(size: Size) -> u16 {
        4 * size.area() as u16
    }
}

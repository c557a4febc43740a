//! The named variants and their rules.

use crate::{
    Ban, Captures, Ending, Family, Komi, Repetition, Rules, RulesError, Scoring, Size, TileRule,
};

/// A named rule set.
///
/// ```
/// use engine::Variant;
///
/// let variant: Variant = "tile".parse()?;
/// let rules = variant.rules(7)?;
/// assert!(rules.has_tiles() && rules.returns_prisoners());
/// assert_eq!(rules.variant(), Some(variant));
/// assert!(Variant::ALL.contains(&variant));
/// # Ok::<(), engine::RulesError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Tromp–Taylor Go, the yardstick.
    Go,
    /// Incursion Go (Luis Bolaños Mures).
    Incursion,
    /// Incursion Go restricted to minimal incursions.
    MinimalIncursion,
    /// Stoical Go (Luis Bolaños Mures).
    Stoical,
    /// Tile Go (Luis Bolaños Mures).
    Tile,
    /// Cushion Go (Luis Bolaños Mures).
    Cushion,
    /// Go with the Ing–Spight hot-stone ko rule.
    HotStone,
    /// Alter Igo (Bass).
    AlterIgo,
    /// Conquest (Chris Bandy).
    Conquest,
    /// Conquest with pure scoring.
    PureConquest,
    /// NoGo: no captures, and a player who cannot move loses.
    NoGo,
    /// Go without passing.
    NoPassGo,
    /// The first capture wins.
    AtariGo,
}

impl Variant {
    /// Every named variant; tests and listings iterate over it.
    pub const ALL: [Variant; 13] = [
        Variant::Go,
        Variant::Incursion,
        Variant::MinimalIncursion,
        Variant::Stoical,
        Variant::Tile,
        Variant::Cushion,
        Variant::HotStone,
        Variant::AlterIgo,
        Variant::Conquest,
        Variant::PureConquest,
        Variant::NoGo,
        Variant::NoPassGo,
        Variant::AtariGo,
    ];

    /// The name used on command lines, in configs and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Go => "go",
            Variant::Incursion => "incursion",
            Variant::MinimalIncursion => "minimal-incursion",
            Variant::Stoical => "stoical",
            Variant::Tile => "tile",
            Variant::Cushion => "cushion",
            Variant::HotStone => "hot-stone",
            Variant::AlterIgo => "alter-igo",
            Variant::Conquest => "conquest",
            Variant::PureConquest => "pure-conquest",
            Variant::NoGo => "nogo",
            Variant::NoPassGo => "no-pass-go",
            Variant::AtariGo => "atari-go",
        }
    }

    /// The variant's rules on a board of `size`: a [`Size`], or the side of a square board.
    ///
    /// # Errors
    /// A side outside 2 to 19.
    pub fn rules<S: TryInto<Size>>(self, size: S) -> Result<Rules, RulesError>
    where
        RulesError: From<S::Error>,
    {
        Ok(self.rules_of(size.try_into()?))
    }

    pub(crate) const fn rules_of(self, size: Size) -> Rules {
        let plain = Rules::plain_of(size);
        let even = Rules { komi: even_komi(size), ..plain };
        let tiled = Rules { repetition: Repetition::Simple, end: Ending::PrisonerReturn, ..plain };
        let drawn = Rules { repetition: Repetition::Draw, ..even };
        let no_pass = Rules { end: Ending::NoPass, ..plain };
        match self {
            Variant::Go => {
                Rules { repetition: Repetition::PositionalSuperko, suicide: true, ..even }
            }
            Variant::Incursion => Rules { ban: Ban::Incursion, ..drawn },
            Variant::MinimalIncursion => Rules { ban: Ban::MinimalIncursion, ..drawn },
            Variant::Stoical => Rules { ban: Ban::Stoical, ..drawn },
            Variant::Tile => Rules { tiles: TileRule::Tile, ..tiled },
            Variant::Cushion => Rules { tiles: TileRule::Cushion, ..tiled },
            Variant::HotStone => {
                Rules { repetition: Repetition::HotStone, passes_to_end: 3, ..even }
            }
            Variant::AlterIgo => Rules { family: Family::AlterIgo, ..plain },
            Variant::Conquest => Rules { family: Family::Conquest, ..plain },
            Variant::PureConquest => {
                Rules { family: Family::Conquest, scoring: Scoring::Pure, ..plain }
            }
            Variant::NoGo => Rules { captures: Captures::Forbidden, ..no_pass },
            Variant::NoPassGo => Rules { repetition: Repetition::PositionalSuperko, ..no_pass },
            Variant::AtariGo => Rules { capture_goal: 1, ..no_pass },
        }
    }
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Variant {
    type Err = RulesError;

    fn from_str(name: &str) -> Result<Variant, RulesError> {
        Variant::ALL.into_iter().find(|variant| variant.name() == name).ok_or_else(|| {
            RulesError::unknown("variant", name, Variant::ALL.iter().map(|variant| variant.name()))
        })
    }
}

/// Black's margin, in points, under perfect or best known play of Go with area scoring on a board
/// of `size`.
const fn even_komi(size: Size) -> Komi {
    Komi::points(match size.side() {
        Some(2) => 1,
        Some(3) => 9,
        Some(4) => 2,
        Some(5) => 25,
        Some(6) => 4,
        Some(7) => 9,
        Some(8) => 10,
        Some(_) | None => 7,
    })
}

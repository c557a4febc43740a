//! The ten named variants. Nothing outside this file and its folder names one.

mod about;

pub use about::{About, Example, Scene};

use crate::{Ending, Family, Komi, Repetition, Rules, RulesError, Scoring, TileRule};

/// A named rule set.
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
}

impl Variant {
    /// Every named variant; tests and listings iterate over this.
    pub const ALL: [Variant; 10] = [
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
        }
    }

    /// The variant's rules on a board of `size`.
    ///
    /// # Errors
    /// A size outside 2 to 19.
    pub fn rules(self, size: u8) -> Result<Rules, RulesError> {
        let plain = Rules::plain(size)?;
        let even = Rules { komi: even_komi(size), ..plain };
        let tiled = Rules { repetition: Repetition::Simple, end: Ending::PrisonerReturn, ..plain };
        Ok(match self {
            Variant::Go => {
                Rules { repetition: Repetition::PositionalSuperko, suicide: true, ..even }
            }
            Variant::Incursion => Rules { repetition: Repetition::Incursion, ..even },
            Variant::MinimalIncursion => Rules { repetition: Repetition::MinimalIncursion, ..even },
            Variant::Stoical => Rules { repetition: Repetition::Stoical, ..even },
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
        })
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

/// What perfect or best known play of Go by area gives Black on a board of `size`.
const fn even_komi(size: u8) -> Komi {
    Komi::points(match size {
        2 => 1,
        3 => 9,
        4 => 2,
        5 => 25,
        6 => 4,
        7 => 9,
        8 => 10,
        _ => 7,
    })
}

//! A rule set as plain data: the axes of section 1 of the rules and the ten named variants.

/// The two players, and the colours of their stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Black,
    White,
}

impl Color {
    pub fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Where this player's number stands in a pair of numbers: Black's first.
    pub fn index(self) -> usize {
        match self {
            Color::Black => 0,
            Color::White => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Go,
    AlterIgo,
    Conquest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    None,
    Simple,
    PositionalSuperko,
    SituationalSuperko,
    Incursion,
    MinimalIncursion,
    Stoical,
    HotStone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiles {
    None,
    Tile,
    Cushion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Area,
    PrisonerReturn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    Territory,
    Pure,
}

/// One choice for every axis. A field that the family does not use is simply not looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRules {
    pub size: usize,
    pub family: Family,
    pub repetition: Repetition,
    pub suicide: bool,
    pub tiles: Tiles,
    pub tile_limit: usize,
    pub end: End,
    pub passes_to_end: usize,
    /// A multiple of one half, so exact as a float.
    pub komi: f64,
    pub max_cycle: usize,
    pub white_passes: usize,
    pub scoring: Scoring,
    pub max_moves: usize,
}

/// The names of the ten variants, in the order of the rules.
pub const VARIANTS: [&str; 10] = [
    "go",
    "incursion",
    "minimal-incursion",
    "stoical",
    "tile",
    "cushion",
    "hot-stone",
    "alter-igo",
    "conquest",
    "pure-conquest",
];

impl ReferenceRules {
    /// The defaults of section 1: plain Go by area without any rule about repetition.
    pub fn plain(size: usize) -> ReferenceRules {
        ReferenceRules {
            size,
            family: Family::Go,
            repetition: Repetition::None,
            suicide: false,
            tiles: Tiles::None,
            tile_limit: 1,
            end: End::Area,
            passes_to_end: 2,
            komi: 0.0,
            max_cycle: 6,
            white_passes: 0,
            scoring: Scoring::Territory,
            max_moves: 4 * size * size,
        }
    }

    /// The named variant on a board of that size; nothing for an unknown name.
    pub fn named(name: &str, size: usize) -> Option<ReferenceRules> {
        let mut rules = ReferenceRules::plain(size);
        let repetition = match name {
            "go" => Repetition::PositionalSuperko,
            "incursion" => Repetition::Incursion,
            "minimal-incursion" => Repetition::MinimalIncursion,
            "stoical" => Repetition::Stoical,
            "tile" | "cushion" => Repetition::Simple,
            "hot-stone" => Repetition::HotStone,
            "alter-igo" | "conquest" | "pure-conquest" => Repetition::None,
            _ => return None,
        };
        rules.repetition = repetition;
        match name {
            "tile" => rules.tiles = Tiles::Tile,
            "cushion" => rules.tiles = Tiles::Cushion,
            "alter-igo" => rules.family = Family::AlterIgo,
            "conquest" | "pure-conquest" => rules.family = Family::Conquest,
            _ => rules.komi = even_komi(size),
        }
        rules.suicide = name == "go";
        if rules.tiles != Tiles::None {
            rules.end = End::PrisonerReturn;
        }
        if name == "hot-stone" {
            rules.passes_to_end = 3;
        }
        if name == "pure-conquest" {
            rules.scoring = Scoring::Pure;
        }
        Some(rules)
    }
}

/// What best known play of Go by area gives Black.
fn even_komi(size: usize) -> f64 {
    match size {
        2 => 1.0,
        3 => 9.0,
        4 => 2.0,
        5 => 25.0,
        6 => 4.0,
        7 => 9.0,
        8 => 10.0,
        _ => 7.0,
    }
}

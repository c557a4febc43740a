//! A rule set as plain data: the axes of the rules and the thirteen named variants.

/// The two players, and the colours of their stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// How many columns and rows a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

impl Size {
    pub fn square(side: usize) -> Size {
        Size { width: side, height: side }
    }

    /// Reads `5` for a square and `3x2` for three columns of two points.
    pub fn parse(text: &str) -> Option<Size> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
    }

    pub fn points(self) -> usize {
        self.width * self.height
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Go,
    AlterIgo,
    Conquest,
}

/// Whether a placement may remove stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Captures {
    Allowed,
    Forbidden,
}

/// What may not be done twice running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ban {
    None,
    Incursion,
    MinimalIncursion,
    Stoical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    None,
    Simple,
    PositionalSuperko,
    SituationalSuperko,
    Draw,
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
    NoPass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    Territory,
    Pure,
}

/// One choice for every axis. A field that the family does not use is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRules {
    pub size: Size,
    pub family: Family,
    pub captures: Captures,
    pub ban: Ban,
    pub repetition: Repetition,
    pub suicide: bool,
    /// How many stones a player must have taken to win; 0 for no such goal.
    pub capture_goal: usize,
    pub stones_per_turn: usize,
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

/// The names of the variants, in order.
pub const VARIANTS: [&str; 13] = [
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
    "nogo",
    "no-pass-go",
    "atari-go",
];

impl ReferenceRules {
    /// The defaults: plain Go by area without any rule about repetition.
    pub fn plain(size: Size) -> ReferenceRules {
        ReferenceRules {
            size,
            family: Family::Go,
            captures: Captures::Allowed,
            ban: Ban::None,
            repetition: Repetition::None,
            suicide: false,
            capture_goal: 0,
            stones_per_turn: 1,
            tiles: Tiles::None,
            tile_limit: 1,
            end: End::Area,
            passes_to_end: 2,
            komi: 0.0,
            max_cycle: 6,
            white_passes: 0,
            scoring: Scoring::Territory,
            max_moves: 4 * size.points(),
        }
    }

    /// The named variant on a board of that size; nothing for an unknown name.
    pub fn named(name: &str, size: Size) -> Option<ReferenceRules> {
        let plain = ReferenceRules::plain(size);
        let by_area = ReferenceRules { komi: even_komi(size), ..plain.clone() };
        let by_return = ReferenceRules {
            repetition: Repetition::Simple,
            end: End::PrisonerReturn,
            ..plain.clone()
        };
        let without_pass = ReferenceRules { end: End::NoPass, ..plain.clone() };
        let banning = |ban| ReferenceRules { ban, repetition: Repetition::Draw, ..by_area.clone() };
        let superko = Repetition::PositionalSuperko;
        let rules = match name {
            "go" => ReferenceRules { repetition: superko, suicide: true, ..by_area },
            "incursion" => banning(Ban::Incursion),
            "minimal-incursion" => banning(Ban::MinimalIncursion),
            "stoical" => banning(Ban::Stoical),
            "tile" => ReferenceRules { tiles: Tiles::Tile, ..by_return },
            "cushion" => ReferenceRules { tiles: Tiles::Cushion, ..by_return },
            "hot-stone" => {
                ReferenceRules { repetition: Repetition::HotStone, passes_to_end: 3, ..by_area }
            }
            "alter-igo" => ReferenceRules { family: Family::AlterIgo, ..plain },
            "conquest" => ReferenceRules { family: Family::Conquest, ..plain },
            "pure-conquest" => {
                ReferenceRules { family: Family::Conquest, scoring: Scoring::Pure, ..plain }
            }
            "nogo" => ReferenceRules { captures: Captures::Forbidden, ..without_pass },
            "no-pass-go" => ReferenceRules { repetition: superko, ..without_pass },
            "atari-go" => ReferenceRules { capture_goal: 1, ..without_pass },
            _ => return None,
        };
        Some(rules)
    }

    /// A named variant with some fields changed, as in `go,komi=0,capture_goal=3`; nothing where
    /// the text cannot be read. Whether the parts fit together is not checked.
    pub fn parse(text: &str, size: Size) -> Option<ReferenceRules> {
        let mut fields = text.split(',');
        let mut rules = ReferenceRules::named(fields.next()?, size)?;
        for field in fields {
            let (name, value) = field.split_once('=')?;
            rules.set(name, value)?;
        }
        Some(rules)
    }

    fn set(&mut self, field: &str, value: &str) -> Option<()> {
        match field {
            "captures" => self.captures = captures(value)?,
            "ban" => self.ban = ban(value)?,
            "repetition" => match ban(value) {
                // The name of a ban used to mean the draw by repetition with it.
                Some(named) if named != Ban::None => {
                    (self.ban, self.repetition) = (named, Repetition::Draw);
                }
                _ => self.repetition = repetition(value)?,
            },
            "suicide" => self.suicide = value.parse().ok()?,
            "capture_goal" => self.capture_goal = value.parse().ok()?,
            "stones_per_turn" => self.stones_per_turn = value.parse().ok()?,
            "tiles" => self.tiles = tiles(value)?,
            "tile_limit" => self.tile_limit = value.parse().ok()?,
            "end" => self.end = end(value)?,
            "passes_to_end" => self.passes_to_end = value.parse().ok()?,
            "komi" => self.komi = value.parse().ok()?,
            "max_cycle" => self.max_cycle = value.parse().ok()?,
            "white_passes" => self.white_passes = value.parse().ok()?,
            "max_moves" => self.max_moves = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

fn captures(name: &str) -> Option<Captures> {
    match name {
        "allowed" => Some(Captures::Allowed),
        "forbidden" => Some(Captures::Forbidden),
        _ => None,
    }
}

fn ban(name: &str) -> Option<Ban> {
    match name {
        "none" => Some(Ban::None),
        "incursion" => Some(Ban::Incursion),
        "minimal-incursion" => Some(Ban::MinimalIncursion),
        "stoical" => Some(Ban::Stoical),
        _ => None,
    }
}

fn repetition(name: &str) -> Option<Repetition> {
    match name {
        "none" => Some(Repetition::None),
        "simple" => Some(Repetition::Simple),
        "positional-superko" => Some(Repetition::PositionalSuperko),
        "situational-superko" => Some(Repetition::SituationalSuperko),
        "draw" => Some(Repetition::Draw),
        "hot-stone" => Some(Repetition::HotStone),
        _ => None,
    }
}

fn tiles(name: &str) -> Option<Tiles> {
    match name {
        "none" => Some(Tiles::None),
        "tile" => Some(Tiles::Tile),
        "cushion" => Some(Tiles::Cushion),
        _ => None,
    }
}

fn end(name: &str) -> Option<End> {
    match name {
        "area" => Some(End::Area),
        "prisoner-return" => Some(End::PrisonerReturn),
        "no-pass" => Some(End::NoPass),
        _ => None,
    }
}

/// What best known play of Go by area gives Black, where it is known; 7 elsewhere.
fn even_komi(size: Size) -> f64 {
    if size.width != size.height {
        return 7.0;
    }
    match size.width {
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

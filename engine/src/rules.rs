//! A rule set as a choice of parts: closed enums, each decided in one place of the engine.

use serde::{Deserialize, Serialize};

use crate::{Color, MAX_SIZE, RulesError};

/// Which capture and ending machinery plays the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Go capture, with every part of [`Rules`] that is not another family's.
    Go,
    /// Alter Igo: all strings of both colours without liberty leave the board at once.
    AlterIgo,
    /// Conquest: regions are walled off; there is no Go capture.
    Conquest,
}

/// What keeps a `go` game from going round in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Nothing but the move limit.
    None,
    /// The stones may not stand as before the opponent's last turn.
    Simple,
    /// No earlier whole-board position may be recreated.
    PositionalSuperko,
    /// No earlier position with the same player to move may be recreated.
    SituationalSuperko,
    /// No incursion right after the opponent's incursion.
    Incursion,
    /// No minimal incursion right after the opponent's minimal incursion.
    MinimalIncursion,
    /// No capture right after the opponent's capture.
    Stoical,
    /// The Ing–Spight ko rule.
    HotStone,
}

/// Whether incursions oblige the next player to build on tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileRule {
    /// No tiles.
    None,
    /// After an incursion every placement needs a tile.
    Tile,
    /// After an incursion another incursion needs a tile.
    Cushion,
}

/// How a `go` game ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Consecutive passes, then area score.
    Area,
    /// No passing; a player returns a prisoner instead, and loses with neither prisoner nor placement.
    PrisonerReturn,
}

/// How a `conquest` game is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Owned points.
    Territory,
    /// Owned points after Bridges, Salients and free points are settled.
    Pure,
}

/// Komi in half points, subtracted from Black's score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Komi(i16);

impl Komi {
    /// The largest komi either way, in points: more than any board has.
    pub const LIMIT: f32 = 400.0;

    /// No komi.
    pub const ZERO: Komi = Komi(0);

    /// Komi of whole points.
    pub const fn points(points: i16) -> Komi {
        Komi(2 * points)
    }

    /// Komi from points; `None` if not a multiple of one half or beyond [`Komi::LIMIT`].
    pub fn new(points: f32) -> Option<Komi> {
        let halves = points * 2.0;
        (halves.is_finite() && halves.fract() == 0.0 && points.abs() <= Komi::LIMIT)
            .then_some(Komi(halves as i16))
    }

    /// Komi in points.
    pub fn value(self) -> f32 {
        f32::from(self.0) / 2.0
    }

    /// The prisoners Black and White hold at the start of a prisoner-return game.
    pub fn prisoners(self) -> [u16; 2] {
        let whole = |halves: i16| halves.max(0) as u16 / 2;
        [whole(-self.0), whole(self.0)]
    }
}

/// A rule set for one board size. Fields that the chosen parts do not use hold their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Side of the board, 2 to 19.
    pub size: u8,
    /// Capture and ending machinery.
    pub family: Family,
    /// `go` only.
    pub repetition: Repetition,
    /// `go` only: may a player remove their own string of two or more stones?
    pub suicide: bool,
    /// `go` only.
    pub tiles: TileRule,
    /// Tiles that one point can hold, 1 to 9.
    pub tile_limit: u8,
    /// `go` only.
    pub end: Ending,
    /// Consecutive passes that end an `area` game: 2 or 3.
    pub passes_to_end: u8,
    /// Subtracted from Black's score; prisoners to start with under prisoner return.
    pub komi: Komi,
    /// `hot-stone` only: longest cycle searched for, even, 2 to 10.
    pub max_cycle: u8,
    /// `alter-igo` only: passes that White may make.
    pub white_passes: u16,
    /// `conquest` only.
    pub scoring: Scoring,
    /// Turns after which the game ends as it stands.
    pub max_moves: u16,
}

impl Rules {
    /// The `go` family with every other part at its default: no repetition rule, area scoring, komi 0.
    pub fn plain(size: u8) -> Result<Rules, RulesError> {
        if !(2..=MAX_SIZE as u8).contains(&size) {
            return Err(RulesError::Size(size.into()));
        }
        Ok(Rules {
            size,
            family: Family::Go,
            repetition: Repetition::None,
            suicide: false,
            tiles: TileRule::None,
            tile_limit: 1,
            end: Ending::Area,
            passes_to_end: 2,
            komi: Komi::ZERO,
            max_cycle: 6,
            white_passes: 0,
            scoring: Scoring::Territory,
            max_moves: Rules::default_max_moves(size),
        })
    }

    /// Four turns a point.
    pub const fn default_max_moves(size: u8) -> u16 {
        4 * size as u16 * size as u16
    }

    /// The rules under which a fixed-size tensor layout and a trained network stay valid: size, komi and the move
    /// limit may differ between games of one kind. FNV-1a of the canonical text, so it is stable across builds.
    pub fn kind_hash(&self) -> u64 {
        let kind =
            Rules { size: 9, komi: Komi::ZERO, max_moves: Rules::default_max_moves(9), ..*self };
        let mut text = String::new();
        kind.write_every_field(&mut text);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Whether positions carry a score.
    pub const fn has_score(&self) -> bool {
        match self.family {
            Family::Go => match self.end {
                Ending::Area => true,
                Ending::PrisonerReturn => false,
            },
            Family::AlterIgo => false,
            Family::Conquest => true,
        }
    }

    /// Whether a player may ever pass, and is free to: a prisoner return is no pass.
    pub const fn has_pass(&self) -> bool {
        match self.family {
            Family::Go => match self.end {
                Ending::Area => true,
                Ending::PrisonerReturn => false,
            },
            Family::AlterIgo => self.white_passes > 0,
            Family::Conquest => false,
        }
    }

    /// Prisoners at the start.
    pub(crate) fn starting_prisoners(&self) -> [u16; 2] {
        match self.end {
            Ending::Area => [0, 0],
            Ending::PrisonerReturn => self.komi.prisoners(),
        }
    }

    /// White's passes in an `alter-igo` game; nobody else's are counted.
    pub(crate) const fn pass_allowance(&self, color: Color) -> u16 {
        match color {
            Color::Black => 0,
            Color::White => self.white_passes,
        }
    }

    /// Whether any rule compares the stones with those of earlier turns.
    pub(crate) const fn remembers_positions(&self) -> bool {
        match self.family {
            Family::Go => match self.repetition {
                Repetition::PositionalSuperko
                | Repetition::SituationalSuperko
                | Repetition::Incursion
                | Repetition::MinimalIncursion
                | Repetition::Stoical => true,
                Repetition::None | Repetition::Simple | Repetition::HotStone => false,
            },
            Family::AlterIgo => true,
            Family::Conquest => false,
        }
    }

    /// Whether a repeated position is a draw of a `go` game.
    pub const fn draws_by_repetition(&self) -> bool {
        match self.repetition {
            Repetition::Incursion | Repetition::MinimalIncursion | Repetition::Stoical => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::HotStone => false,
        }
    }
}

//! A rule set as a choice of parts, and what follows from them.
//!
//! Outside this crate nothing names a part: it asks one of the questions below, or takes a [`Rules`] apart without `..`.

mod axes;
mod combined;
mod consequences;
pub(crate) mod fields;
mod identity;
mod parts;
mod scope;
mod text;

pub use axes::{Ban, Captures, Choice, Ending, Family, Komi, Repetition, Scoring, TileRule};
pub use parts::{Part, PartChoices};
pub use scope::Scope;

use crate::{RulesError, Size};

/// A rule set for one board size. Fields that the chosen parts do not use hold their defaults.
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
    /// `go` only: what is done about positions that repeat.
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

/// What makes up for moving second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compensation {
    /// Points, in halves.
    Komi,
    /// Prisoners to start with.
    Prisoners,
    /// Passes that White may make.
    Passes,
    /// Nothing that these rules offer.
    None,
}

impl Compensation {
    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Compensation::Komi => "komi",
            Compensation::Prisoners => "prisoners at the start",
            Compensation::Passes => "passes of White",
            Compensation::None => "no compensation",
        }
    }
}

/// How plain Go forbids repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// The stones may not stand as before the opponent's last turn.
    Simple,
    /// No position may be made again.
    Positional,
    /// No position may be made again with the same player to move.
    Situational,
}

impl KoRule {
    const fn of(repetition: Repetition) -> Option<KoRule> {
        match repetition {
            Repetition::Simple => Some(KoRule::Simple),
            Repetition::PositionalSuperko => Some(KoRule::Positional),
            Repetition::SituationalSuperko => Some(KoRule::Situational),
            Repetition::None | Repetition::Draw | Repetition::HotStone => None,
        }
    }

    const fn repetition(self) -> Repetition {
        match self {
            KoRule::Simple => Repetition::Simple,
            KoRule::Positional => Repetition::PositionalSuperko,
            KoRule::Situational => Repetition::SituationalSuperko,
        }
    }
}

/// What of a game's past the rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remembered {
    /// Nothing.
    Nothing,
    /// Which stones have stood.
    Stones,
    /// Which stones have stood with which player to move.
    StonesAndMover,
    /// How often stones have stood.
    Counts,
    /// The plays.
    Plays,
}

impl Rules {
    /// The `go` family with every other part at its default: no repetition rule, area scoring, komi 0.
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

    /// Four turns a point.
    pub const fn default_max_moves(size: Size) -> u16 {
        4 * size.area() as u16
    }

    /// The same rules under another komi; unchanged where they have none.
    #[must_use]
    pub fn with_komi(&self, komi: Komi) -> Rules {
        if self.has_komi() { Rules { komi, ..*self } } else { *self }
    }

    /// The same rules on a board of another size; komi and move limit follow the nearest named variant where they are
    /// that variant's on this size.
    pub fn resized(&self, size: Size) -> Rules {
        let nearest = self.nearest_variant().0;
        let [here, there] = [self.size, size].map(|size| nearest.rules_of(size));
        Rules {
            size,
            komi: if self.komi == here.komi { there.komi } else { self.komi },
            max_moves: if self.max_moves == here.max_moves {
                there.max_moves
            } else {
                self.max_moves
            },
            ..*self
        }
    }

    /// Whether positions carry a score.
    pub const fn has_score(&self) -> bool {
        match self.family {
            Family::Go => self.is_scored_by_area(),
            Family::AlterIgo => false,
            Family::Conquest => true,
        }
    }

    /// Whether passes end the game and stones and surrounded points are then counted.
    pub const fn is_scored_by_area(&self) -> bool {
        match (self.family, self.end) {
            (Family::Go, Ending::Area) => true,
            (Family::Go, Ending::PrisonerReturn | Ending::NoPass)
            | (Family::AlterIgo | Family::Conquest, _) => false,
        }
    }

    /// Whether a player may ever pass, and is free to: a prisoner return is no pass.
    pub const fn has_pass(&self) -> bool {
        match self.family {
            Family::Go => self.is_scored_by_area(),
            Family::AlterIgo => self.white_passes > 0,
            Family::Conquest => false,
        }
    }

    /// Whether a turn may be the return of a prisoner.
    pub const fn returns_prisoners(&self) -> bool {
        match (self.family, self.end) {
            (Family::Go, Ending::PrisonerReturn) => true,
            (Family::Go, Ending::Area | Ending::NoPass)
            | (Family::AlterIgo | Family::Conquest, _) => false,
        }
    }

    /// The prisoners that Black and White start with.
    pub(crate) fn first_prisoners(&self) -> [u16; 2] {
        if self.returns_prisoners() { self.komi.prisoners() } else { [0, 0] }
    }

    /// Whether captured stones count for anything.
    pub const fn counts_prisoners(&self) -> bool {
        self.returns_prisoners() || self.capture_goal > 0
    }

    /// Whether stones are captured as in Go, and the mover's own stay.
    pub const fn captures_as_go(&self) -> bool {
        match self.family {
            Family::Go => true,
            Family::AlterIgo | Family::Conquest => false,
        }
    }

    /// Whether strings without liberties leave the board.
    pub const fn removes_strings(&self) -> bool {
        match self.family {
            Family::Go | Family::AlterIgo => true,
            Family::Conquest => false,
        }
    }

    /// Whether a placement that leaves its own string without a liberty may be legal.
    pub const fn has_suicide(&self) -> bool {
        match self.family {
            Family::Go => self.suicide,
            Family::AlterIgo => true,
            Family::Conquest => false,
        }
    }

    /// Whether a placement may remove nothing but itself, and loses by that.
    pub const fn loses_by_suicide(&self) -> bool {
        match self.family {
            Family::AlterIgo => true,
            Family::Go | Family::Conquest => false,
        }
    }

    /// Whether there are tiles.
    pub const fn has_tiles(&self) -> bool {
        match self.tiles {
            TileRule::None => false,
            TileRule::Tile | TileRule::Cushion => true,
        }
    }

    /// Whether players own points.
    pub const fn has_owners(&self) -> bool {
        match self.family {
            Family::Go | Family::AlterIgo => false,
            Family::Conquest => true,
        }
    }

    /// Whether stones can be hot.
    pub const fn has_hot_stones(&self) -> bool {
        match self.repetition {
            Repetition::HotStone => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::Draw => false,
        }
    }

    /// Whether any rule asks what was an incursion.
    pub const fn has_incursions(&self) -> bool {
        self.has_tiles() || self.bans_incursions()
    }

    /// Whether an incursion of the opponent's restricts the next turn.
    pub(crate) const fn bans_incursions(&self) -> bool {
        match self.ban {
            Ban::Incursion | Ban::MinimalIncursion => true,
            Ban::None | Ban::Stoical => false,
        }
    }

    /// Whether a capture of the opponent's restricts the next turn.
    pub(crate) const fn bans_captures(&self) -> bool {
        match self.ban {
            Ban::Stoical => true,
            Ban::None | Ban::Incursion | Ban::MinimalIncursion => false,
        }
    }

    /// Whether no stone may be placed that would remove one.
    pub(crate) const fn forbids_captures(&self) -> bool {
        match self.captures {
            Captures::Forbidden => true,
            Captures::Allowed => false,
        }
    }

    /// Whether superko lets the same stones stand with the other player to move.
    pub(crate) const fn compares_the_player_to_move(&self) -> bool {
        match self.repetition {
            Repetition::SituationalSuperko => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::Draw
            | Repetition::HotStone => false,
        }
    }

    /// The same rules without a word on repetition.
    pub fn without_repetition_rule(&self) -> Rules {
        Rules { repetition: Repetition::None, ..*self }
    }

    /// Whether only those incursions count that capture one string or none.
    pub const fn asks_for_minimal_incursions(&self) -> bool {
        match self.ban {
            Ban::MinimalIncursion => !self.has_tiles(),
            Ban::None | Ban::Incursion | Ban::Stoical => false,
        }
    }

    /// Whether some placement offers a choice of the order in which regions are settled.
    pub const fn has_starred_moves(&self) -> bool {
        self.has_owners()
    }

    /// Whether a repeated position is a draw of a `go` game.
    pub const fn draws_by_repetition(&self) -> bool {
        match self.repetition {
            Repetition::Draw => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::HotStone => false,
        }
    }

    /// Whether a number of captured stones wins the game.
    pub const fn has_capture_goal(&self) -> bool {
        self.capture_goal > 0
    }

    /// Whether a player may place several stones in one turn.
    pub const fn has_several_stones_a_turn(&self) -> bool {
        self.stones_per_turn > 1
    }

    /// What of a game's past decides which moves are legal or how it ends.
    pub const fn remembered(&self) -> Remembered {
        match self.family {
            Family::AlterIgo => Remembered::Counts,
            Family::Conquest => Remembered::Nothing,
            Family::Go => match self.repetition {
                Repetition::None | Repetition::Simple => Remembered::Nothing,
                Repetition::PositionalSuperko => Remembered::Stones,
                Repetition::SituationalSuperko | Repetition::Draw => Remembered::StonesAndMover,
                Repetition::HotStone => Remembered::Plays,
            },
        }
    }

    /// Whether any rule compares the stones with those of earlier turns.
    pub(crate) const fn remembers_positions(&self) -> bool {
        match self.remembered() {
            Remembered::Stones | Remembered::StonesAndMover | Remembered::Counts => true,
            Remembered::Nothing | Remembered::Plays => false,
        }
    }

    /// What can be given to the player who moves second.
    pub const fn compensation(&self) -> Compensation {
        match self.family {
            Family::AlterIgo => Compensation::Passes,
            Family::Conquest => Compensation::Komi,
            Family::Go => match self.end {
                Ending::Area => Compensation::Komi,
                Ending::PrisonerReturn => Compensation::Prisoners,
                Ending::NoPass => Compensation::None,
            },
        }
    }

    /// How positions are compared if everything else is Go by area as other programs know it: no ban, no tiles, no goal
    /// but the score, one stone a turn, two passes to end; `None` otherwise.
    pub fn as_plain_go(&self) -> Option<KoRule> {
        let Rules {
            size: _,
            family: Family::Go,
            captures: Captures::Allowed,
            ban: Ban::None,
            repetition,
            suicide: _,
            capture_goal: 0,
            stones_per_turn: 1,
            tiles: TileRule::None,
            tile_limit: _,
            end: Ending::Area,
            passes_to_end: 2,
            komi: _,
            max_cycle: _,
            white_passes: _,
            scoring: _,
            max_moves: _,
        } = *self
        else {
            return None;
        };
        KoRule::of(repetition)
    }

    /// Plain Go by area on a board of `size`, with these rules about repetition and suicide and no komi.
    pub const fn plain_go(size: Size, ko: KoRule, suicide: bool) -> Rules {
        Rules { repetition: ko.repetition(), suicide, ..Rules::plain_of(size) }
    }

    /// Whether a komi has a meaning.
    pub fn has_komi(&self) -> bool {
        self.why_no_komi().is_none()
    }

    fn why_no_komi(&self) -> Option<&'static str> {
        match self.compensation() {
            Compensation::Komi | Compensation::Prisoners => None,
            Compensation::Passes => Some("alter-igo has no score; give White passes instead"),
            Compensation::None => Some("there is no score where nobody passes"),
        }
    }

    /// What several stones a turn do not go together with.
    fn single_stones_only(&self) -> Option<&'static str> {
        let repetition = match self.repetition {
            Repetition::None | Repetition::PositionalSuperko => true,
            Repetition::Simple
            | Repetition::SituationalSuperko
            | Repetition::Draw
            | Repetition::HotStone => false,
        };
        let several = repetition
            && !self.bans_incursions()
            && !self.bans_captures()
            && !self.has_tiles()
            && !self.returns_prisoners();
        (!several).then_some(
            "several stones a turn need repetition=none or positional-superko, no ban, no tiles, and end=area or no-pass",
        )
    }

    /// The komi's place in the cycle of two points that a half-integer komi makes of a board's parity: −½ to ½, from
    /// the view of `mover`. A network cannot tell half a point from the komi alone (KataGo's "komi parity wave").
    fn parity_wave(&self, mover: crate::Color) -> f32 {
        if !self.has_score() {
            return 0.0;
        }
        let parity = (self.size.area() % 2) as f32;
        let komi = -mover.sign() * self.komi.value();
        let above = (komi - parity).rem_euclid(2.0);
        match above {
            a if a < 0.5 => a,
            a if a < 1.5 => 1.0 - a,
            a => a - 2.0,
        }
    }
}

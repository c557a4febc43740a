//! The values that a rule set is made of: closed enums, each value with its word and its meaning.

use serde::{Deserialize, Serialize};

/// The text of one value of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The word that stands for it in a rule set.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Defines an axis: its values, their words, and their meanings.
macro_rules! axis {
    ($(#[$about:meta])* $name:ident { $($value:ident = $word:literal: $meaning:literal;)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = $meaning] $value,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [$name] = &[$($name::$value),*];
            pub(super) const CHOICES: &'static [Choice] =
                &[$(Choice { word: $word, meaning: $meaning }),*];
        }
    };
}

axis! {
    /// Which capture and ending machinery plays the game.
    Family {
        Go = "go": "opposing strings without a liberty are captured";
        AlterIgo = "alter-igo": "after each placement every string of either colour without a liberty is removed, all \
            at once; a player who loses only the placed stone by it loses the game; the same stones for the third time \
            are a draw";
        Conquest = "conquest": "stones are never captured; regions that a player's stones and at most two edges wall \
            off become that player's, with every stone in them; the game ends when no point is free";
    }
}

axis! {
    /// Whether a `go` game has captures.
    Captures {
        Allowed = "allowed": "strings without a liberty are captured";
        Forbidden = "forbidden": "no stone may be placed that would remove a stone of either colour";
    }
}

axis! {
    /// What may not follow a turn of the opponent.
    Ban {
        None = "none": "nothing is banned because of the opponent's last turn";
        Incursion = "incursion": "no incursion right after the opponent's incursion (a stone in an empty area around \
            which all stones are the opponent's)";
        MinimalIncursion = "minimal-incursion": "no incursion that captures one string or none right after such an \
            incursion of the opponent's";
        Stoical = "stoical": "no capture right after the opponent's capture";
    }
}

axis! {
    /// What keeps a `go` game from cycling.
    Repetition {
        None = "none": "positions may repeat until the move limit";
        Simple = "simple": "the stones may not stand as they did before the opponent's last turn";
        PositionalSuperko = "positional-superko": "no whole-board position of the game may be recreated";
        SituationalSuperko = "situational-superko": "no whole-board position of the game may be recreated \
            with the same player to move";
        Draw = "draw": "a player who recreates the stones of an own earlier turn draws the game";
        HotStone = "hot-stone": "a stone just placed in a ko is hot, and no ko play may capture it until it has cooled \
            down; the same odd cycle of plays may be completed once in a game";
    }
}

axis! {
    /// Whether incursions oblige the next player to build on tiles.
    TileRule {
        None = "none": "no tiles";
        Tile = "tile": "after an incursion (a stone in an empty area around which all stones are the opponent's) the \
            next placement, anywhere, puts a tile under its stone";
        Cushion = "cushion": "after an incursion (a stone in an empty area around which all stones are the opponent's) \
            the next placement puts a tile under its stone if it is also an incursion";
    }
}

axis! {
    /// How a `go` game ends.
    Ending {
        Area = "area": "passes in a row end the game, and stones and surrounded points are counted";
        PrisonerReturn = "prisoner-return": "no passing: a player may return a prisoner instead of placing a stone, \
            and loses if neither is possible";
        NoPass = "no-pass": "no passing: a player who cannot place a stone loses";
    }
}

axis! {
    /// How a `conquest` game is counted.
    Scoring {
        Territory = "territory": "owned points count";
        Pure = "pure": "owned points count after superfluous border stones have been taken off and free points shared \
            out";
    }
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

    /// The nearest komi to any number of points, clamped to [`Komi::LIMIT`]; `None` for NaN and
    /// infinities.
    ///
    /// ```
    /// use engine::Komi;
    ///
    /// assert_eq!(Komi::nearest(6.25).map(Komi::value), Some(6.5));
    /// assert_eq!(Komi::nearest(f32::INFINITY), None);
    /// ```
    pub fn nearest(points: f32) -> Option<Komi> {
        if !points.is_finite() {
            return None;
        }
        Komi::new((points.clamp(-Komi::LIMIT, Komi::LIMIT) * 2.0).round() / 2.0)
    }

    pub(super) const fn from_halves(halves: i16) -> Komi {
        Komi(halves)
    }

    /// Komi in half points.
    pub const fn halves(self) -> i16 {
        self.0
    }

    /// Komi in points.
    pub fn value(self) -> f32 {
        f32::from(self.0) / 2.0
    }

    /// The prisoners that Black and White hold at the start of a game with prisoner return.
    pub fn prisoners(self) -> [u16; 2] {
        let whole = |halves: i16| halves.max(0) as u16 / 2;
        [whole(-self.0), whole(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_is_a_komi() {
        for (asked, given) in [(6.5, 6.5), (3.75, 4.0), (-0.2, 0.0), (1e9, 400.0), (-1e30, -400.0)]
        {
            assert_eq!(Komi::nearest(asked).map(Komi::value), Some(given), "{asked}");
        }
        assert_eq!(Komi::nearest(f32::NAN), None);
        assert_eq!(Komi::nearest(f32::INFINITY), None);
    }
}

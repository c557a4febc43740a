//! Strength levels: how much a player searches, and how freely it chooses among the moves.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// One of ten strengths, 1 the weakest.
///
/// A level is weakened in two ways, neither of which is a deliberate mistake: it searches less, and it draws its move
/// from the search's policy at a temperature rather than taking the best. Drawn moves also keep games from repeating.
/// Proofs are respected: a level never plays a move that is proven to lose while another may not. `docs/results.md` has
/// the measured distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// Simulations and temperature of the levels, the weakest first.
const STRENGTHS: [(u32, f32); 10] = [
    (0, 1.5),
    (0, 1.0),
    (0, 0.5),
    (2, 0.5),
    (4, 0.4),
    (8, 0.3),
    (16, 0.2),
    (48, 0.1),
    (128, 0.0),
    (400, 0.0),
];

impl Level {
    /// The weakest.
    pub const WEAKEST: Level = Level(1);
    /// The strongest: deterministic, with more simulations than the default.
    pub const STRONGEST: Level = Level(10);

    /// The level of that number; `None` unless it is from 1 to 10.
    pub const fn new(number: u8) -> Option<Level> {
        if number >= Level::WEAKEST.0 && number <= Level::STRONGEST.0 {
            Some(Level(number))
        } else {
            None
        }
    }

    /// Every level, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (Level::WEAKEST.0..=Level::STRONGEST.0).map(Level)
    }

    /// Its number, from 1 to 10.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Simulations a move; 0 plays by the policy without search.
    pub const fn simulations(self) -> u32 {
        STRENGTHS[self.0 as usize - 1].0
    }

    /// The temperature at which moves are drawn from the policy: see [`search::SearchResult::choose`]. 0 takes the
    /// best.
    pub const fn temperature(self) -> f32 {
        STRENGTHS[self.0 as usize - 1].1
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An invalid level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid level '{0}': expected 1 to 10")]
pub struct UnknownLevel(String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Level, UnknownLevel> {
        let number: Result<u8, ParseIntError> = text.parse();
        number.ok().and_then(Level::new).ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_searches_no_less_and_chooses_no_more_freely_than_the_one_below() {
        let levels: Vec<Level> = Level::all().collect();
        assert_eq!(levels.len(), 10);
        for pair in levels.windows(2) {
            assert!(pair[0].simulations() <= pair[1].simulations());
            assert!(pair[0].temperature() >= pair[1].temperature());
            let strength = |level: Level| (level.simulations(), level.temperature().to_bits());
            assert_ne!(strength(pair[0]), strength(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn levels_read_as_they_are_written() {
        for level in Level::all() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for text in ["0", "11", "", "-1", "strong", "256"] {
            let problem = text.parse::<Level>().expect_err(text).to_string();
            assert!(problem.contains("expected 1 to 10"), "{problem}");
        }
    }
}

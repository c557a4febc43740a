//! Strength levels: who evaluates positions, how much is searched, and how freely a move is chosen.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use engine::Size;

/// One of ten strengths, 1 the weakest.
///
/// No level makes mistakes on purpose. The weak ones play with a small network that has learnt
/// little, and err where a beginner errs; those in the middle draw their moves from the model's
/// policy at a temperature; the strong ones search. Proofs are respected: a level never plays a
/// move that is proven to lose while another move may not lose. `docs/results/levels.md` has the
/// measured distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// Who evaluates positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EvaluatorChoice {
    /// The model that plays.
    Model,
    /// The network that has learnt little.
    Beginner,
}

/// How a move is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Who evaluates positions.
    pub evaluator: EvaluatorChoice,
    /// Simulations per move; 0 plays by the policy without search.
    pub simulations: u32,
    /// The temperature at which moves are drawn from the policy: see
    /// [`search::SearchResult::choose`]. 0 chooses the best move.
    pub temperature: f32,
}

/// The levels for rules that a beginner knows, weakest first, evenly spaced by measurement. The
/// temperatures are those for 9×9.
const WITH_BEGINNER: [Strength; 10] = [
    beginner(0, 0.81),
    beginner(0, 0.66),
    model(0, 1.36),
    model(0, 1.16),
    model(0, 0.92),
    model(0, 0.61),
    model(0, 0.25),
    model(8, 0.0),
    model(20, 0.0),
    model(32, 0.0),
];

/// The levels of a model without a beginner, which may be random playouts.
const WITHOUT_BEGINNER: [Strength; 10] = [
    model(0, 1.5),
    model(0, 1.0),
    model(0, 0.5),
    model(2, 0.5),
    model(4, 0.4),
    model(8, 0.3),
    model(16, 0.2),
    model(48, 0.1),
    model(128, 0.0),
    model(400, 0.0),
];

const fn beginner(simulations: u32, temperature: f32) -> Strength {
    Strength { evaluator: EvaluatorChoice::Beginner, simulations, temperature }
}

const fn model(simulations: u32, temperature: f32) -> Strength {
    Strength { evaluator: EvaluatorChoice::Model, simulations, temperature }
}

impl Level {
    /// The weakest.
    pub const WEAKEST: Level = Level(1);
    /// The strongest, which is deterministic.
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

    /// How the level plays on a board of `size`; `has_beginner` says whether there is a
    /// [`EvaluatorChoice::Beginner`] that knows the rules.
    ///
    /// A game on a small board has fewer moves in which to go wrong, so they are drawn more freely
    /// there.
    pub fn strength(self, size: Size, has_beginner: bool) -> Strength {
        let index = usize::from(self.0) - 1;
        if !has_beginner {
            return WITHOUT_BEGINNER[index];
        }
        let given = WITH_BEGINNER[index];
        // Also measured: the beginner's mistakes cost less on a small board.
        let exponent = match given.evaluator {
            EvaluatorChoice::Beginner => 0.75,
            EvaluatorChoice::Model => 0.5,
        };
        let freedom = (81.0 / size.area() as f32).powf(exponent);
        Strength { temperature: given.temperature * freedom, ..given }
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
        let size = Size::try_from(7).expect("a size");
        for has_beginner in [false, true] {
            let strengths: Vec<Strength> =
                Level::all().map(|level| level.strength(size, has_beginner)).collect();
            assert_eq!(strengths.len(), 10);
            for pair in strengths.windows(2) {
                if pair[0].evaluator == pair[1].evaluator {
                    assert!(pair[0].simulations <= pair[1].simulations, "{pair:?}");
                    assert!(pair[0].temperature >= pair[1].temperature, "{pair:?}");
                    assert_ne!(pair[0], pair[1]);
                } else {
                    assert_eq!(
                        [pair[0].evaluator, pair[1].evaluator],
                        [EvaluatorChoice::Beginner, EvaluatorChoice::Model]
                    );
                }
            }
            let needs_beginner =
                strengths.iter().any(|found| found.evaluator == EvaluatorChoice::Beginner);
            assert_eq!(needs_beginner, has_beginner);
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

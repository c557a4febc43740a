//! Claims about a rule set, and whether the games support them.

use std::fmt;
use std::str::FromStr;

use arena::Estimate;
use engine::Rules;

use crate::figures::figure_keys;
use crate::statistic::Statistic;

use super::results::RuleSetResults;

/// Black's share of the points from the empty board, which is not one of the games' own figures.
const FROM_THE_EMPTY_BOARD: &str = "black-from-the-empty-board";

/// A figure that is said to be below or above a bound: `draws < 1%`, `tiles > 1.5`.
///
/// ```
/// use studies::Claim;
///
/// let claim: Claim = "draws < 1%".parse()?;
/// assert_eq!(claim.to_string(), "draws < 0.01");
/// assert!("draws".parse::<Claim>().is_err());
/// # Ok::<(), studies::ClaimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    key: String,
    side: Side,
    bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// Why a text is not a claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// It does not have the form of a claim.
    #[error("'{0}': expected a figure, < or >, and a number, as in 'draws < 1%'")]
    Form(String),
    /// The rules have no such figure.
    #[error("{rules} has no figure '{key}': expected one of {expected}")]
    Figure {
        /// The rules.
        rules: String,
        /// The word.
        key: String,
        /// All figures of the rules.
        expected: String,
    },
}

/// What the games say about a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClaimVerdict {
    /// The whole interval supports it.
    True(Estimate),
    /// The whole interval contradicts it.
    False(Estimate),
    /// The bound lies within the interval.
    Open(Estimate),
    /// The figure was not measured.
    Unmeasured,
    /// It depends on the agents' evaluations, which are not known to hold.
    Withheld,
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verdict, Estimate { low, value, high }) = match self {
            ClaimVerdict::True(estimate) => ("true", estimate),
            ClaimVerdict::False(estimate) => ("false", estimate),
            ClaimVerdict::Open(estimate) => ("open", estimate),
            ClaimVerdict::Unmeasured => {
                return write!(f, "not measured: it never applied in these games");
            }
            ClaimVerdict::Withheld => {
                return write!(f, "withheld: the agents' chances have not been shown to come true");
            }
        };
        // Zero has no sign, including what only rounds to it.
        let [low, value, high] = [low, value, high].map(|one| (one * 1e4).round() / 1e4 + 0.0);
        write!(f, "{verdict}; {value:.4}, 95 % interval {low:.4} to {high:.4}")
    }
}

impl FromStr for Claim {
    type Err = ClaimError;

    fn from_str(text: &str) -> Result<Claim, ClaimError> {
        let form = || ClaimError::Form(text.to_owned());
        let (place, side) = match (text.find('<'), text.find('>')) {
            (Some(place), None) => (place, Side::Below),
            (None, Some(place)) => (place, Side::Above),
            (Some(_), Some(_)) | (None, None) => return Err(form()),
        };
        let (key, number) = (text[..place].trim(), text[place + 1..].trim());
        // A division is rounded correctly: 57 · 0.01 is not 0.57.
        let (digits, parts) = match number.strip_suffix('%') {
            Some(percent) => (percent.trim(), 100.0),
            None => (number, 1.0),
        };
        let bound: f64 = digits.parse().map_err(|_| form())?;
        if key.is_empty() || !bound.is_finite() {
            return Err(form());
        }
        Ok(Claim { key: key.to_owned(), side, bound: bound / parts })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.side {
            Side::Below => '<',
            Side::Above => '>',
        };
        write!(f, "{} {sign} {}", self.key, self.bound)
    }
}

impl Claim {
    /// Checks that the rules have the figure.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self, rules: &Rules) -> Result<(), ClaimError> {
        let mut keys = figure_keys(rules);
        keys.insert(0, FROM_THE_EMPTY_BOARD.to_owned());
        if keys.contains(&self.key) {
            return Ok(());
        }
        let (rules, key, expected) = (rules.to_string(), self.key.clone(), keys.join(", "));
        Err(ClaimError::Figure { rules, key, expected })
    }

    /// What the games of a rule set say about the claim.
    pub fn judge(&self, rule_set: &RuleSetResults) -> ClaimVerdict {
        let figure = rule_set.observations.figure(&self.key);
        let estimate = match figure {
            None if self.key == FROM_THE_EMPTY_BOARD => match rule_set.black {
                Some(black) => black,
                None => return ClaimVerdict::Unmeasured,
            },
            Some(figure) if figure.evaluated && !rule_set.is_believed() => {
                return ClaimVerdict::Withheld;
            }
            Some(Statistic { estimate: Some(estimate), .. }) => *estimate,
            Some(_) | None => return ClaimVerdict::Unmeasured,
        };
        let (below, above) = (estimate.high < self.bound, estimate.low > self.bound);
        match (self.side, below, above) {
            (Side::Below, true, _) | (Side::Above, _, true) => ClaimVerdict::True(estimate),
            (Side::Below, _, true) | (Side::Above, true, _) => ClaimVerdict::False(estimate),
            (Side::Below | Side::Above, false, false) => ClaimVerdict::Open(estimate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read() {
        for (text, shown) in [
            ("draws<1%", "draws < 0.01"),
            ("draws < 57 %", "draws < 0.57"),
            (" tiles > 1.5 ", "tiles > 1.5"),
            ("turns > 60", "turns > 60"),
        ] {
            assert_eq!(text.parse::<Claim>().expect(text).to_string(), shown);
        }
        for text in ["draws", "draws < ", "< 1", "draws < x", "draws < > 1", "draws < inf"] {
            assert!(text.parse::<Claim>().is_err(), "{text}");
        }
        let rules = Rules::parse("go", 5).expect("rules");
        assert_eq!("draws < 1%".parse::<Claim>().expect("a claim").check(&rules), Ok(()));
        let error =
            "drawn < 1%".parse::<Claim>().expect("a claim").check(&rules).expect_err("unknown");
        assert!(
            error.to_string().contains("expected one of black-from-the-empty-board, black, "),
            "{error}"
        );
    }

    #[test]
    fn verdicts_show_zero_without_a_sign() {
        let estimate = Estimate { low: -0.000_01, value: -0.0, high: 0.2 };
        let shown = ClaimVerdict::Open(estimate).to_string();
        assert_eq!(shown, "open; 0.0000, 95 % interval 0.0000 to 0.2000");
    }
}

//! Errors in parsing a colour, a move or a rule set.

use thiserror::Error;

/// A text that is not a valid move; holds the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid move '{0}': expected a vertex such as D4 (columns A to T without I), or pass")]
pub struct MoveParseError(pub String);

/// A text that is not a valid colour; holds the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid color '{0}': expected black or white")]
pub struct ColorParseError(pub String);

/// Why a rule set is refused. Every message names the field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RulesError {
    /// Board size outside 2 to 19.
    #[error("invalid size {0}: expected 2 to 19")]
    Size(usize),
    /// A text that is not a board size.
    #[error(
        "invalid board size '{0}': expected a number from 2 to 19, or width x height such as 3x4"
    )]
    NoSize(String),
    /// A variant or field that does not exist.
    #[error("unknown {what} '{given}': {}", hint(nearest.as_deref(), known))]
    Unknown {
        /// Variant or field.
        what: &'static str,
        /// The word given.
        given: String,
        /// The most similar existing word.
        nearest: Option<String>,
        /// All existing words.
        known: String,
    },
    /// A value that the field does not take.
    #[error("{field} = '{given}' is invalid: expected {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value given.
        given: String,
        /// What it takes.
        expected: String,
    },
    /// A field that the chosen parts do not use.
    #[error("{field} does not apply here: {reason}")]
    Unused {
        /// The field.
        field: &'static str,
        /// Which part would use it.
        reason: &'static str,
    },
    /// A field given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// A part that is not `field=value`.
    #[error(
        "invalid rule '{0}': expected a variant name, then field=value pairs separated by commas, as in \
         tile,ban=stoical,komi=6.5"
    )]
    Syntax(String),
}

impl RulesError {
    pub(crate) fn unknown<'a>(
        what: &'static str,
        given: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> RulesError {
        let known: Vec<&str> = known.collect();
        let nearest = nearest_word(given, known.iter().copied()).map(ToOwned::to_owned);
        RulesError::Unknown { what, given: given.to_owned(), nearest, known: known.join(", ") }
    }
}

fn hint(nearest: Option<&str>, known: &str) -> String {
    match nearest {
        Some(name) => format!("did you mean '{name}'?"),
        None => format!("expected one of {known}"),
    }
}

/// The known word that was probably meant; `None` if none is similar enough, with one mistake or
/// one for every three letters.
pub fn nearest_word<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let letters = |word: &str| word.chars().count();
    known
        .map(|name| (strsim::damerau_levenshtein(name, &given), name))
        .filter(|&(mistakes, name)| mistakes <= (letters(name).max(letters(&given)) / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

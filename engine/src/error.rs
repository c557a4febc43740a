//! What can be wrong with the text of a move or a rule set.

use thiserror::Error;

/// A text that is no move.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no move: write a vertex such as D4 (columns A to T without I), or pass")]
pub struct MoveParseError(pub String);

/// Why a rule set is refused. Every message names the field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RulesError {
    /// Board size outside 2 to 19.
    #[error("size {0} is outside 2 to 19")]
    Size(usize),
    /// A text that is no board size.
    #[error("'{0}' is no board size: write a number from 2 to 19, or width x height such as 3x4")]
    NoSize(String),
    /// A variant or field that does not exist.
    #[error("unknown {what} '{given}'{}", nearest.as_ref().map(|name| format!(": did you mean '{name}'?")).unwrap_or_default())]
    Unknown {
        /// Variant or field.
        what: &'static str,
        /// The word given.
        given: String,
        /// The most similar existing word.
        nearest: Option<String>,
    },
    /// A value that the field does not take.
    #[error("{field} = '{given}' is not possible: {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value given.
        given: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A field that the chosen parts do not use.
    #[error("{field} has no meaning here: {reason}")]
    Unused {
        /// The field.
        field: &'static str,
        /// Which part would use it.
        reason: &'static str,
    },
    /// A field given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// Something that is no `field=value`.
    #[error("'{0}' is no rule: write a variant name, then field=value pairs separated by commas")]
    Syntax(String),
}

impl RulesError {
    pub(crate) fn unknown<'a>(
        what: &'static str,
        given: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> RulesError {
        let nearest = nearest_word(given, known).map(ToOwned::to_owned);
        RulesError::Unknown { what, given: given.to_owned(), nearest }
    }
}

/// The known word that a person may have meant; `None` where none is like it.
pub fn nearest_word<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .map(|name| (strsim::damerau_levenshtein(name, &given), name))
        .min()
        .filter(|&(distance, name)| distance <= name.len().max(given.len()) / 2)
        .map(|(_, name)| name)
}

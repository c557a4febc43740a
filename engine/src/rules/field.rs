//! One field of a rule set, and what is derived from it.

use crate::rules::axes::{Choice, Komi};
use crate::rules::ruleset::Rules;
use crate::{Color, RulesError};

/// One field of [`Rules`] besides the size of the board.
pub(crate) struct Field {
    /// Its name in the text of a rule set.
    pub(crate) name: &'static str,
    /// What it decides.
    pub(crate) about: &'static str,
    pub(crate) domain: Domain,
    /// The value as an integer: the index among the choices, a number, or half points.
    pub(crate) get: fn(&Rules) -> i32,
    pub(crate) set: fn(&mut Rules, i32),
    /// Why the field has no effect with the other parts; `None` if it has.
    pub(crate) unused: fn(&Rules) -> Option<&'static str>,
    /// Describes the value in words where the choices or `about` do not.
    pub(crate) meaning: Option<fn(&Rules) -> String>,
    /// Whether games that differ only in this field count as the same kind.
    pub(crate) is_detail: bool,
    /// Whether descriptions mention the field only where it differs from its default.
    pub(crate) is_silent: bool,
    /// Values that combined rule sets draw from; only the default if empty.
    pub(crate) combined: &'static [i32],
    /// The network inputs by name, computed from the perspective of the player to move.
    pub(crate) inputs: &'static [Input],
}

/// A named number that tells a network about the rules.
pub(crate) type Input = (&'static str, fn(&Rules, Color) -> f32);

/// The values that a field can hold.
pub(crate) enum Domain {
    Choices(&'static [Choice]),
    Number { least: i32, most: i32, step: i32, expected: &'static str },
    HalfPoints { expected: &'static str },
}

impl Field {
    /// Parses a value and sets it in `rules`.
    pub(crate) fn read(&self, rules: &mut Rules, text: &str) -> Result<(), RulesError> {
        let bad = |expected: &str| RulesError::Value {
            field: self.name,
            given: text.to_owned(),
            expected: expected.to_owned(),
        };
        let value = match self.domain {
            Domain::Choices(choices) => {
                let place = choices.iter().position(|choice| choice.word == text);
                place.map(|place| place as i32).ok_or_else(|| bad(&alternatives(choices)))?
            }
            Domain::Number { least, most, step, expected } => text
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number) && (number - least) % step == 0)
                .ok_or_else(|| bad(expected))?,
            Domain::HalfPoints { expected } => {
                let komi = text.parse().ok().and_then(Komi::new).ok_or_else(|| bad(expected))?;
                i32::from(komi.halves())
            }
        };
        (self.set)(rules, value);
        Ok(())
    }

    /// The value as text.
    pub(crate) fn write(&self, rules: &Rules) -> String {
        let value = (self.get)(rules);
        match self.domain {
            Domain::Choices(choices) => choices[value as usize].word.to_owned(),
            Domain::Number { .. } => value.to_string(),
            Domain::HalfPoints { .. } => (value as f32 / 2.0).to_string(),
        }
    }

    /// The value's meaning in words.
    pub(crate) fn meaning(&self, rules: &Rules) -> String {
        match (self.meaning, &self.domain) {
            (Some(meaning), _) => meaning(rules),
            (None, Domain::Choices(choices)) => {
                choices[(self.get)(rules) as usize].meaning.to_owned()
            }
            (None, Domain::Number { .. } | Domain::HalfPoints { .. }) => self.about.to_owned(),
        }
    }

    /// Whether the field has its default value.
    pub(crate) fn is_default(&self, rules: &Rules) -> bool {
        (self.get)(rules) == (self.get)(&Rules::plain_of(rules.size))
    }

    /// Sets the field to its default.
    pub(crate) fn reset(&self, rules: &mut Rules) {
        (self.set)(rules, (self.get)(&Rules::plain_of(rules.size)));
    }

    pub(crate) fn is_used(&self, rules: &Rules) -> bool {
        (self.unused)(rules).is_none()
    }
}

/// Lists the words of choices for a sentence: `none, tile or cushion`.
fn alternatives(choices: &[Choice]) -> String {
    let words: Vec<&str> = choices.iter().map(|choice| choice.word).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some(_) | None => words.concat(),
    }
}

//! The fields of [`Rules`] in words.

use crate::rules::axes::Choice;
use crate::rules::field::{Domain, Field};
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;

/// One field of a rule set, and what its value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What the value means.
    pub meaning: String,
    /// Whether nearly all rule sets share this value, so that a listing may leave it out.
    pub is_plain: bool,
}

/// One field and its possible values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartChoices {
    /// The field.
    pub field: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// Every value with its meaning; empty for a numeric field.
    pub values: &'static [Choice],
}

impl Rules {
    /// The fields of the rule set in words, without unused ones.
    pub fn parts(&self) -> Vec<Part> {
        let part = |field: &'static Field| Part {
            field: field.name,
            value: field.write(self),
            meaning: field.meaning(self),
            is_plain: field.is_silent && field.is_default(self),
        };
        FIELDS.iter().filter(|field| field.is_used(self)).map(part).collect()
    }

    /// Every field with its possible values.
    pub fn every_part() -> Vec<PartChoices> {
        let choices = |field: &'static Field| PartChoices {
            field: field.name,
            about: field.about,
            values: match field.domain {
                Domain::Choices(choices) => choices,
                Domain::Number { .. } | Domain::HalfPoints { .. } => &[],
            },
        };
        FIELDS.iter().map(choices).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    #[test]
    fn every_part_has_words() {
        for part in Rules::every_part() {
            assert!(!part.about.is_empty(), "{}", part.field);
        }
        for variant in Variant::ALL {
            for part in variant.rules(9).expect("a size that every variant has").parts() {
                assert!(!part.meaning.is_empty(), "{variant}: {}", part.field);
            }
        }
    }

    #[test]
    fn only_families_with_captures_are_said_to_capture() {
        let family = |text: &str| Rules::parse(text, 9).expect(text).parts().swap_remove(0);
        assert!(family("go").meaning.contains("captured"));
        assert!(!family("nogo").meaning.contains("captured"));
    }
}

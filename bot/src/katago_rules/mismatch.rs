//! Why rules are refused.

use engine::{Rules, Variant};

use game::GO_NAMES;

/// Requested rules that are not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {plays}")]
pub struct RulesMismatch {
    message: String,
    plays: String,
    /// Whether another rule set of ours was named, rather than an unknown one.
    pub(crate) names_another: bool,
}

impl RulesMismatch {
    pub(super) fn new(ours: &Rules, message: String, names_another: bool) -> RulesMismatch {
        RulesMismatch { message, plays: format!("this model plays {}", plays(ours)), names_another }
    }

    /// The error of a player of any rules.
    pub(super) fn unplayable(message: String) -> RulesMismatch {
        let names: Vec<&str> = GO_NAMES.iter().map(|name| name.name).collect();
        let variants: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        let plays = format!(
            "available rules are {}, {} and changes to these, such as {}",
            names.join(", "),
            variants.join(", "),
            "go,repetition=simple,suicide=false"
        );
        RulesMismatch { message, plays, names_another: false }
    }

    /// The error for other rules of ours.
    pub(crate) fn other_game(ours: &Rules, given: &Rules) -> RulesMismatch {
        RulesMismatch::new(ours, format!("these are the rules {}", plays(given)), true)
    }
}

/// The variant's name, or the parts of rules without one.
pub(crate) fn plays(rules: &Rules) -> String {
    rules.variant().map_or_else(|| rules.to_string(), |variant| variant.to_string())
}

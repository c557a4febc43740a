//! What makes two rule sets the same kind of game.

use crate::hash::fnv1a;
use crate::rules::field::Field;
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;

impl Rules {
    /// A hash of these rules that ignores size, komi and move limit: FNV-1a of the fields that
    /// differ from their defaults, sorted by name. It is stable across builds, and adding a field
    /// changes no existing identity.
    pub fn kind_hash(&self) -> u64 {
        self.hash_of(FIELDS.iter())
    }

    fn hash_of<'a>(&self, fields: impl Iterator<Item = &'a Field>) -> u64 {
        let mut parts: Vec<String> = fields
            .filter(|field| !field.is_detail && !field.is_default(self))
            .map(|field| format!("{}={};", field.name, field.write(self)))
            .collect();
        parts.sort();
        fnv1a(&parts.concat())
    }

    /// Whether games under both rule sets are of one kind: they differ at most in size, komi and
    /// move limit.
    pub fn is_same_kind(&self, other: &Rules) -> bool {
        FIELDS.iter().all(|field| field.is_detail || (field.get)(self) == (field.get)(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;
    use crate::rules::field::Domain;

    fn invented(get: fn(&Rules) -> i32) -> Field {
        Field {
            name: "invented",
            about: "a future field",
            domain: Domain::Number { least: 0, most: 9, step: 1, expected: "0 to 9" },
            get,
            set: |_, _| {},
            unused: |_| None,
            meaning: None,
            is_detail: false,
            is_silent: true,
            combined: &[],
            inputs: &[],
        }
    }

    #[test]
    fn a_new_field_leaves_every_identity_as_it_is() {
        // The field counts where it differs from its default: here, wherever there are tiles.
        let (at_rest, at_work) = (invented(|_| 0), invented(|rules| rules.has_tiles().into()));
        for variant in Variant::ALL {
            let rules = variant.rules(9).expect("a size that every variant has");
            for place in [0, 5, FIELDS.len()] {
                let with = |new| {
                    let (before, after) = FIELDS.split_at(place);
                    rules.hash_of(before.iter().chain([new]).chain(after))
                };
                assert_eq!(with(&at_rest), rules.kind_hash(), "{variant}");
                assert_eq!(with(&at_work) != rules.kind_hash(), rules.has_tiles(), "{variant}");
            }
        }
    }

    /// The cards of trained models store these numbers.
    #[test]
    fn identities_are_for_good() {
        for (rules, identity) in [
            ("go", 0x892d_67a1_a726_4510),
            ("incursion", 0x1047_dc25_e4af_518b),
            ("tile", 0x08b1_7e8a_a6f6_34ff),
            ("hot-stone,max_cycle=8", 0x1dd0_47a5_6a31_94a6),
            ("alter-igo", 0x8061_fc00_5487_028d),
            ("pure-conquest", 0xd1c2_a78b_1fb6_8e7e),
            ("nogo", 0x006b_9557_fa53_99f3),
        ] {
            let rules = Rules::parse(rules, 9).expect("a rule set");
            assert_eq!(rules.kind_hash(), identity, "{rules}: {:#x}", rules.kind_hash());
        }
    }
}

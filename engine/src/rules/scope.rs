//! The rule sets that a network has learnt, as the values seen of each field.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::field::{Domain, Field};
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;

/// The values seen of each field. Compensation and move limits are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scope(BTreeMap<String, Vec<String>>);

impl Scope {
    /// Adds the values of a rule set.
    pub fn add(&mut self, rules: &Rules) {
        let rules = rules.without_compensation();
        for field in relevant_fields(&rules) {
            self.add_value(field, field.write(&rules));
        }
    }

    /// Adds all values that [`Rules::combined`] draws from.
    pub fn add_combined(&mut self) {
        for field in FIELDS.iter() {
            for &value in field.combined {
                let mut rules = Rules::plain_of(crate::Size::LARGEST);
                (field.set)(&mut rules, value);
                self.add_value(field, field.write(&rules));
            }
        }
    }

    fn add_value(&mut self, field: &Field, value: String) {
        let seen = self.0.entry(field.name.to_owned()).or_default();
        if !seen.contains(&value) {
            seen.push(value);
        }
    }

    /// The first field whose value has not been seen, with that value. Numbers between two seen
    /// ones count as seen.
    pub fn excludes(&self, rules: &Rules) -> Option<(&'static str, String)> {
        let rules = rules.without_compensation();
        relevant_fields(&rules)
            .find(|field| !self.has_seen(field, &rules))
            .map(|field| (field.name, field.write(&rules)))
    }

    fn has_seen(&self, field: &Field, rules: &Rules) -> bool {
        let Some(seen) = self.0.get(field.name) else { return field.is_default(rules) };
        match field.domain {
            Domain::Choices(_) => seen.contains(&field.write(rules)),
            Domain::Number { .. } | Domain::HalfPoints { .. } => {
                ends(seen).is_some_and(|(least, most)| (least..=most).contains(&(field.get)(rules)))
            }
        }
    }

    /// The values of a field that count as seen; all numbers together as `0 to 6`.
    pub fn known(&self, field: &str) -> Vec<String> {
        let Some(field) = FIELDS.iter().find(|one| one.name == field) else { return Vec::new() };
        let Some(seen) = self.0.get(field.name) else {
            return vec![field.write(&Rules::plain_of(crate::Size::LARGEST))];
        };
        match field.domain {
            Domain::Choices(_) => seen.clone(),
            Domain::Number { .. } | Domain::HalfPoints { .. } => match ends(seen) {
                Some((least, most)) if least < most => vec![format!("{least} to {most}")],
                Some(_) | None => seen.clone(),
            },
        }
    }
}

/// The least and the greatest of the numbers seen.
fn ends(seen: &[String]) -> Option<(i32, i32)> {
    let numbers = || seen.iter().filter_map(|text| text.parse().ok());
    numbers().min().zip(numbers().max())
}

/// The fields that decide whether a network knows a rule set.
fn relevant_fields(rules: &Rules) -> impl Iterator<Item = &'static Field> + '_ {
    FIELDS.iter().filter(|field| !field.is_detail && field.is_used(rules))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    #[test]
    fn what_has_been_seen_is_in_scope_and_nothing_else() {
        let rules = |text: &str| Rules::parse(text, 7).expect(text);
        let mut scope = Scope::default();
        scope.add(&rules("go"));
        scope.add(&rules("tile"));
        scope.add(&rules("tile,tile_limit=3"));
        for inside in ["go,komi=3", "tile,tile_limit=2", "cushion,tiles=tile,tile_limit=3,komi=2"] {
            assert_eq!(scope.excludes(&rules(inside)), None, "{inside}");
        }
        let outside = |text: &str| scope.excludes(&rules(text));
        assert_eq!(
            outside("go,suicide=false,repetition=draw"),
            Some(("repetition", "draw".into()))
        );
        assert_eq!(outside("tile,tile_limit=4"), Some(("tile_limit", "4".into())));
        assert_eq!(scope.known("tile_limit"), ["1 to 3"]);
        assert_eq!(scope.known("family"), ["go"]);
        assert_eq!(scope.known("white_passes"), ["0"]);
        assert_eq!(outside("conquest"), Some(("family", "conquest".into())));
        scope.add_combined();
        for variant in Variant::ALL {
            assert_eq!(scope.excludes(&variant.rules(7).expect("a size")), None, "{variant}");
        }
        assert_eq!(scope.excludes(&rules("alter-igo,white_passes=3")), None);
    }
}

//! Random combinations of rules.

use crate::Size;
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;

impl Rules {
    /// A random combination of parts, each drawn from its list of values. `choose(n)` must return a
    /// number below `n`. Unused parts have their defaults; komi is that of the nearest named
    /// variant.
    ///
    /// ```
    /// use engine::Rules;
    ///
    /// let mut last = 0;
    /// let rules = Rules::combined(7.try_into()?, |count| {
    ///     last += 5;
    ///     last % count
    /// });
    /// assert_eq!(Rules::parse(&rules.to_string(), 7)?, rules);
    /// # Ok::<(), engine::RulesError>(())
    /// ```
    pub fn combined(size: Size, mut choose: impl FnMut(usize) -> usize) -> Rules {
        let mut rules = Rules::plain_of(size);
        for field in FIELDS.iter().filter(|field| !field.combined.is_empty()) {
            (field.set)(&mut rules, field.combined[choose(field.combined.len())]);
        }
        rules.drop_unused();
        rules.with_compensation(rules.usual_compensation()).unwrap_or(rules)
    }

    /// Whether [`Rules::combined`] can produce these rules, ignoring compensation for the player
    /// who moves second.
    pub fn is_combination(&self) -> bool {
        let rules = self.without_compensation();
        FIELDS.iter().all(|field| {
            if field.combined.is_empty() || !field.is_used(&rules) {
                field.is_default(&rules)
            } else {
                field.combined.contains(&(field.get)(&rules))
            }
        })
    }

    /// The plainest rules with about the same balance: without the ban on turns, the repetition
    /// rule, suicide and the limits, all of which hardly affect who is ahead.
    #[must_use]
    pub fn plainest_of_similar_balance(&self) -> Rules {
        let Rules {
            size,
            family,
            captures,
            ban: _,
            repetition: _,
            suicide: _,
            capture_goal,
            stones_per_turn,
            tiles,
            tile_limit: _,
            end,
            passes_to_end: _,
            komi,
            max_cycle: _,
            white_passes,
            scoring,
            max_moves: _,
        } = *self;
        let parts = Rules {
            family,
            captures,
            capture_goal,
            stones_per_turn,
            tiles,
            end,
            ..Rules::plain_of(size)
        };
        Rules { komi, white_passes, scoring, ..parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    /// A small pseudorandom generator, so that many combinations are tested.
    fn combinations(count: usize) -> impl Iterator<Item = Rules> {
        let mut state = 1_u64;
        (0..count).map(move |_| {
            Rules::combined(Size::LARGEST, |choices| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % choices
            })
        })
    }

    #[test]
    fn combinations_are_rule_sets_and_show_every_value() {
        let all: Vec<Rules> = combinations(4000).collect();
        for rules in &all {
            assert_eq!(Rules::parse(&rules.to_string(), rules.size).as_ref(), Ok(rules));
            let given = rules.with_compensation(30.0).expect("a number");
            assert!(rules.is_combination() && given.is_combination(), "{rules}");
        }
        for field in FIELDS.iter() {
            for &value in field.combined {
                let seen = all.iter().any(|rules| (field.get)(rules) == value);
                assert!(seen, "{} {value}", field.name);
            }
        }
    }

    #[test]
    fn what_no_list_of_values_has_is_no_combination() {
        let rules = |text: &str| Rules::parse(text, 9).expect("a rule set");
        for text in ["tile,tile_limit=4", "hot-stone,max_cycle=10", "go,stones_per_turn=3"] {
            assert!(!rules(text).is_combination(), "{text}");
        }
        assert!(!rules("go,max_moves=20").is_combination());
        for variant in Variant::ALL {
            assert!(rules(variant.name()).is_combination(), "{variant}");
        }
    }
}

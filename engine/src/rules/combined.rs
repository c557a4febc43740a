//! Rule sets put together at random, and what is given to the player who moves second.

use crate::rules::fields::FIELDS;
use crate::rules::{Compensation, Komi, Rules};
use crate::{RulesError, Size};

impl Rules {
    /// A rule set put together from parts, each from its list of values: `choose(n)` is a number below `n`. Parts that the
    /// others leave no use for are at their defaults; komi is that of the nearest named variant.
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

    /// Whether [`Rules::combined`] can give these rules, up to what is given to the player who moves second.
    pub fn is_combination(&self) -> bool {
        let rules = self.with_compensation(0.0).unwrap_or(*self);
        FIELDS.iter().all(|field| {
            if field.combined.is_empty() || !field.is_used(&rules) {
                field.is_default(&rules)
            } else {
                field.combined.contains(&(field.get)(&rules))
            }
        })
    }

    /// What the nearest named variant gives to the player who moves second, where it is points; nothing elsewhere.
    pub fn usual_compensation(&self) -> f32 {
        match self.compensation() {
            Compensation::Komi => self.nearest_variant().0.rules_of(self.size).komi.value(),
            Compensation::Prisoners | Compensation::Passes | Compensation::None => 0.0,
        }
    }

    /// The plainest rules that give either player about as much: without bans, repetition rules, suicide and limits, which
    /// hardly change who is ahead.
    #[must_use]
    pub fn plainest_alike(&self) -> Rules {
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

    /// How much is given to the player who moves second: points, prisoners or passes.
    pub fn compensated(&self) -> f32 {
        match self.compensation() {
            Compensation::Komi | Compensation::Prisoners => self.komi.value(),
            Compensation::Passes => f32::from(self.white_passes),
            Compensation::None => 0.0,
        }
    }

    /// The same rules with another amount of it, the nearest that they allow; unchanged where there is none.
    ///
    /// # Errors
    /// No number, or more points than any board has.
    pub fn with_compensation(&self, amount: f32) -> Result<Rules, RulesError> {
        let komi = |halves: f32| {
            Komi::new(halves / 2.0).ok_or_else(|| RulesError::Value {
                field: "komi",
                given: amount.to_string(),
                expected: "a number between -400 and 400",
            })
        };
        let halves = (2.0 * amount).round();
        Ok(match self.compensation() {
            Compensation::Komi => Rules { komi: komi(halves)?, ..*self },
            Compensation::Prisoners => Rules { komi: komi(2.0 * amount.round())?, ..*self },
            Compensation::Passes => {
                Rules { white_passes: amount.round().clamp(0.0, 1000.0) as u16, ..*self }
            }
            Compensation::None => *self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    /// A small generator, so that many combinations are seen.
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

    #[test]
    fn what_is_given_is_what_is_asked_for() {
        for variant in Variant::ALL {
            let rules = variant.rules(9).expect("a size");
            let given = rules.with_compensation(3.0).expect("a number");
            let has_any = !matches!(rules.compensation(), Compensation::None);
            assert_eq!(given.compensated(), if has_any { 3.0 } else { 0.0 }, "{variant}");
            assert_eq!(given.with_compensation(rules.compensated()), Ok(rules), "{variant}");
            assert!(rules.with_compensation(f32::NAN).is_err() || !rules.has_komi(), "{variant}");
        }
    }
}

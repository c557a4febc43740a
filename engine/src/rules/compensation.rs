//! Compensation for the player who moves second.

use crate::rules::axes::{Ending, Family, Komi};
use crate::rules::ruleset::Rules;
use crate::{Color, RulesError};

/// The kind of compensation for moving second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compensation {
    /// Points, in halves.
    Komi,
    /// Prisoners to start with.
    Prisoners,
    /// Passes that White may make.
    Passes,
    /// None: these rules offer no compensation.
    None,
}

impl Compensation {
    /// A name to show to people.
    pub const fn name(self) -> &'static str {
        match self {
            Compensation::Komi => "komi",
            Compensation::Prisoners => "prisoners at the start",
            Compensation::Passes => "passes of White",
            Compensation::None => "no compensation",
        }
    }
}

impl Rules {
    /// The kind of compensation that these rules offer.
    pub const fn compensation(&self) -> Compensation {
        match self.family {
            Family::AlterIgo => Compensation::Passes,
            Family::Conquest => Compensation::Komi,
            Family::Go => match self.end {
                Ending::Area => Compensation::Komi,
                Ending::PrisonerReturn => Compensation::Prisoners,
                Ending::NoPass => Compensation::None,
            },
        }
    }

    /// The prisoners that Black and White start with.
    pub(crate) fn first_prisoners(&self) -> [u16; 2] {
        if self.returns_prisoners() { self.komi.prisoners() } else { [0, 0] }
    }

    /// Whether komi has any effect under these rules.
    pub fn has_komi(&self) -> bool {
        self.why_no_komi().is_none()
    }

    pub(super) fn why_no_komi(&self) -> Option<&'static str> {
        match self.compensation() {
            Compensation::Komi | Compensation::Prisoners => None,
            Compensation::Passes => Some("alter-igo has no score; give White passes instead"),
            Compensation::None => Some("there is no score where there is no passing"),
        }
    }

    /// The same rules with another komi; unchanged where komi has no effect.
    #[must_use]
    pub fn with_komi(&self, komi: Komi) -> Rules {
        if self.has_komi() { Rules { komi, ..*self } } else { *self }
    }

    /// The amount of compensation for moving second: points, prisoners or passes.
    pub fn compensation_amount(&self) -> f32 {
        match self.compensation() {
            Compensation::Komi | Compensation::Prisoners => self.komi.value(),
            Compensation::Passes => f32::from(self.white_passes),
            Compensation::None => 0.0,
        }
    }

    /// The same rules with the nearest amount of compensation that they allow; unchanged where they
    /// have none.
    ///
    /// # Errors
    /// Komi or prisoners that are not a number or exceed [`Komi::LIMIT`].
    pub fn with_compensation(&self, amount: f32) -> Result<Rules, RulesError> {
        let komi = |halves: f32| {
            Komi::new(halves / 2.0).ok_or_else(|| RulesError::Value {
                field: "komi",
                given: amount.to_string(),
                expected: "a number between -400 and 400".to_owned(),
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

    /// The same rules without compensation.
    #[must_use]
    pub fn without_compensation(&self) -> Rules {
        // Every kind of compensation may be 0.
        self.with_compensation(0.0).unwrap_or(*self)
    }

    /// The phase of the komi, from −½ to ½ from the perspective of `mover`, in the two-point cycle
    /// that a board's parity gives to half-integer komi. A network cannot tell half a point from
    /// the komi alone (KataGo's "komi parity wave").
    pub(super) fn parity_wave(&self, mover: Color) -> f32 {
        if !self.has_score() {
            return 0.0;
        }
        let parity = (self.size.area() % 2) as f32;
        let komi = -mover.sign() * self.komi.value();
        let above = (komi - parity).rem_euclid(2.0);
        match above {
            a if a < 0.5 => a,
            a if a < 1.5 => 1.0 - a,
            a => a - 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    #[test]
    fn what_is_given_is_what_is_asked_for() {
        for variant in Variant::ALL {
            let rules = variant.rules(9).expect("a size");
            let given = rules.with_compensation(3.0).expect("a number");
            let has_any = !matches!(rules.compensation(), Compensation::None);
            assert_eq!(given.compensation_amount(), if has_any { 3.0 } else { 0.0 }, "{variant}");
            assert_eq!(
                given.with_compensation(rules.compensation_amount()),
                Ok(rules),
                "{variant}"
            );
            assert!(rules.with_compensation(f32::NAN).is_err() || !rules.has_komi(), "{variant}");
            assert_eq!(given.without_compensation().compensation_amount(), 0.0, "{variant}");
        }
    }
}

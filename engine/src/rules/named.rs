//! The named variant nearest to a rule set.

use crate::rules::compensation::Compensation;
use crate::rules::field::Field;
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;
use crate::{Size, Variant};

impl Rules {
    /// The named variant that needs the fewest changes to give these rules, and those changes. Of
    /// several, the first in [`Variant::ALL`]. Komi and the move limit do not count: having another
    /// variant's default komi does not make these rules that variant.
    pub(crate) fn nearest_variant(&self) -> (Variant, Vec<&'static Field>) {
        let changes = |variant: Variant| -> Vec<&'static Field> {
            let named = variant.rules_of(self.size);
            FIELDS
                .iter()
                .filter(|field| field.is_used(self) && (field.get)(self) != (field.get)(&named))
                .collect()
        };
        Variant::ALL
            .into_iter()
            .map(|variant| (variant, changes(variant)))
            .min_by_key(|(_, changes)| changes.iter().filter(|field| !field.is_detail).count())
            .unwrap_or((Variant::ALL[0], Vec::new()))
    }

    /// The named variant, if these rules differ from it at most in komi and the move limit.
    pub fn variant(&self) -> Option<Variant> {
        let (variant, changes) = self.nearest_variant();
        changes.iter().all(|field| field.is_detail).then_some(variant)
    }

    /// The same rules on a board of another size. Komi and move limit become the nearest named
    /// variant's on the new size if they are that variant's on this size.
    pub fn resized(&self, size: Size) -> Rules {
        let nearest = self.nearest_variant().0;
        let [here, there] = [self.size, size].map(|size| nearest.rules_of(size));
        Rules {
            size,
            komi: if self.komi == here.komi { there.komi } else { self.komi },
            max_moves: if self.max_moves == here.max_moves {
                there.max_moves
            } else {
                self.max_moves
            },
            ..*self
        }
    }

    /// The nearest named variant's compensation for moving second, in points; 0 if it is not in
    /// points.
    pub fn usual_compensation(&self) -> f32 {
        match self.compensation() {
            Compensation::Komi => self.nearest_variant().0.rules_of(self.size).komi.value(),
            Compensation::Prisoners | Compensation::Passes | Compensation::None => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Go with simple ko and without suicide is as far from Tile Go without tiles and returns,
    /// which has no komi.
    #[test]
    fn komi_does_not_choose_between_variants_that_are_as_near() {
        for komi in ["0", "5.5", "9"] {
            let written = format!("go,suicide=false,repetition=simple,komi={komi}");
            let rules = Rules::parse(&written, 7).expect("rules");
            assert_eq!(rules.nearest_variant().0, Variant::Go, "{written}");
            assert_eq!(rules.usual_compensation(), 9.0, "{written}");
            assert_eq!(Rules::parse(&rules.to_string(), 7), Ok(rules), "{written}");
        }
    }
}

//! The named variant nearest to a rule set.

use crate::rules::compensation::Compensation;
use crate::rules::field::Field;
use crate::rules::fields::FIELDS;
use crate::rules::ruleset::Rules;
use crate::{Size, Variant};

impl Rules {
    /// The named variant that needs the fewest changes to give these rules, and those changes. Komi
    /// and the move limit weigh less than all other fields: having another variant's default komi
    /// does not make these rules that variant.
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
            .min_by_key(|(_, changes)| {
                (changes.iter().filter(|field| !field.is_detail).count(), changes.len())
            })
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

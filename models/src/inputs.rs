//! The inputs that a network reads, by name, so that old weights stay valid when inputs are added.

use engine::{GLOBAL_NAMES, PLANE_NAMES};
use serde::{Deserialize, Serialize};

/// Names of the planes and global numbers that some weights were made for, in the weights' order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// Names from [`engine::PLANE_NAMES`].
    pub planes: Vec<String>,
    /// Names from [`engine::GLOBAL_NAMES`].
    pub globals: Vec<String>,
}

impl Inputs {
    /// All inputs of this program.
    pub fn all() -> Inputs {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Inputs { planes: owned(PLANE_NAMES), globals: owned(GLOBAL_NAMES) }
    }

    /// The first unknown or repeated name, if any.
    pub fn unknown(&self) -> Option<&str> {
        let lists = [(&self.planes, PLANE_NAMES), (&self.globals, GLOBAL_NAMES)];
        lists.into_iter().find_map(|(given, known)| {
            let is_wrong = |&(place, name): &(usize, &String)| {
                !known.contains(&name.as_str()) || given[..place].contains(name)
            };
            given.iter().enumerate().find(is_wrong).map(|(_, name)| name.as_str())
        })
    }

    /// Extends weights `[outputs, inputs, …]` for the named planes to weights for all planes: those
    /// not named get zero weights, and so have no effect.
    pub(crate) fn spread_planes(&self, weights: &[f32], outputs: usize) -> Vec<f32> {
        spread(weights, outputs, &self.planes, PLANE_NAMES)
    }

    /// The same for the global numbers.
    pub(crate) fn spread_globals(&self, weights: &[f32], outputs: usize) -> Vec<f32> {
        spread(weights, outputs, &self.globals, GLOBAL_NAMES)
    }
}

fn spread(weights: &[f32], outputs: usize, given: &[String], known: &[&str]) -> Vec<f32> {
    let each = weights.len() / (outputs * given.len()).max(1);
    let mut spread = vec![0.0; outputs * known.len() * each];
    for (place, name) in given.iter().enumerate() {
        let Some(target) = known.iter().position(|known| known == name) else { continue };
        for output in 0..outputs {
            let from = (output * given.len() + place) * each;
            let to = (output * known.len() + target) * each;
            spread[to..to + each].copy_from_slice(&weights[from..from + each]);
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_go_to_the_inputs_that_they_are_named_for() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let given = names(&["c", "a"]);
        let spread = spread(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 2, &given, &["a", "b", "c"]);
        assert_eq!(spread, [3.0, 4.0, 0.0, 0.0, 1.0, 2.0, 7.0, 8.0, 0.0, 0.0, 5.0, 6.0]);
    }

    #[test]
    fn every_encoding_has_known_inputs_and_others_are_named() {
        let mut inputs = Inputs::all();
        assert_eq!(inputs.unknown(), None);
        inputs.globals[3] = "the weather".to_owned();
        assert_eq!(inputs.unknown(), Some("the weather"));
        inputs = Inputs::all();
        inputs.planes[5] = inputs.planes[2].clone();
        assert_eq!(inputs.unknown(), Some(PLANE_NAMES[2]));
    }
}

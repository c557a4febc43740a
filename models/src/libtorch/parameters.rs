//! The parameters of a network that only training needs.

use crate::architecture::{Architecture, HEAD_CHANNELS, HIDDEN, Parameter, last_layer};
use crate::libtorch::heads::{CLASSES, Head, Output};

/// The layers of all policies besides the playing one: placements and starred placements of each,
/// and passes.
pub(crate) const OTHER_MOVES: &str = "other_moves";
pub(crate) const OTHER_PASSES: &str = "other_pass";

impl Architecture {
    /// All trained parameters, with those that decay first, so that weight decay is one operation
    /// on one slice.
    pub(crate) fn learner_parameters(&self) -> Vec<Parameter> {
        let mut list = self.parameters();
        list.extend(self.auxiliary_parameters());
        list.sort_by_key(|parameter| !parameter.decays());
        list
    }

    /// The parameters of the heads except the result: first those that read the trunk, then the
    /// policies, then those that read the hidden layer.
    pub(crate) fn auxiliary_parameters(&self) -> Vec<Parameter> {
        let channels = self.channels as i64;
        let (mut points, mut policies, mut numbers) = (Vec::new(), 0, Vec::new());
        for head in Head::ALL {
            match head.output() {
                Output::Result => {}
                Output::Points(times) => {
                    points.extend(last_layer(head.key(), times * CLASSES, channels))
                }
                Output::Policy => policies += 1,
                Output::Numbers(outputs) => numbers.extend(last_layer(head.key(), outputs, HIDDEN)),
            }
        }
        let moves = last_layer(OTHER_MOVES, 2 * policies, HEAD_CHANNELS);
        let passes = last_layer(OTHER_PASSES, policies, HIDDEN);
        points.into_iter().chain(moves).chain(passes).chain(numbers).collect()
    }
}

//! The heads besides the policy, one entry each in the table below. Their targets are computed in
//! `train/src/targets.rs`.
//!
//! The heads read the features of the policy and the result, and cost next to nothing. Only the
//! result and the margin are used in play; the others shape the trunk during training and are then
//! dropped.

use std::ops::{Index, IndexMut};

use engine::{Size, actions};
use serde::{Deserialize, Serialize};

/// Number of classes of a point: [`TrainingSample::MINE`](crate::TrainingSample::MINE) and the
/// others.
pub(crate) const CLASSES: usize = 3;

/// Number of horizons of the short-term values, the farthest first.
pub const HORIZONS: usize = 3;

/// Classes of the number of turns to the end: 1, 2 to 3, 4 to 7, and so on, up to 128 or more.
pub const PLIES_CLASSES: usize = 8;

/// Number of times at which future stones are predicted, the nearest first.
pub const FUTURES: usize = 2;

/// What a head predicts for a position, and what it reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Output {
    /// Logits of win, draw and loss, which are also used in play.
    Result,
    /// Logits of the classes of each point, repeated this many times. Reads the trunk.
    Points(usize),
    /// A logit for each action. Reads the policy's features and the hidden layer.
    Policy,
    /// This many numbers. Reads the hidden layer.
    Numbers(usize),
}

/// How a head's error is measured, and what its target is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss {
    /// Cross-entropy; the target is the class of each point and always known.
    Class,
    /// Cross-entropy; the target is a distribution for each row.
    Distribution,
    /// Cross-entropy over legal actions against the softened policy target; there is no other.
    SoftPolicy,
    /// Cross-entropy of logits; the target is a probability for each.
    Chances,
    /// Huber loss; the target is a number for each.
    Distance,
}

/// Defines [`Head`] and [`LossWeights`]: `Head key = default weight, output, loss`.
macro_rules! heads {
    ($($(#[$about:meta])* $head:ident $key:ident = $weight:literal, $output:expr, $loss:expr;)*) => {
        /// What is learnt besides the policy.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Head { $($(#[$about])* $head,)* }

        /// The weight of each loss in the total; the policy's is 1. A weight of 0 switches a target
        /// off.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct LossWeights { $($(#[$about])* pub $key: f64,)* }

        impl Default for LossWeights {
            fn default() -> LossWeights {
                LossWeights { $($key: $weight,)* }
            }
        }

        impl LossWeights {
            /// The weight of a head's loss.
            pub fn of(&self, head: Head) -> f64 {
                match head { $(Head::$head => self.$key,)* }
            }
        }

        impl Head {
            const COUNT: usize = [$($weight),*].len();

            /// Every head, in the order in which their losses are added up.
            pub const ALL: [Head; Head::COUNT] = [$(Head::$head),*];

            /// The head's key in configurations, also the prefix of its parameters' names.
            pub(crate) fn key(self) -> &'static str {
                match self { $(Head::$head => stringify!($key),)* }
            }

            /// The name of its loss in learning curves.
            pub(crate) fn curve(self) -> &'static str {
                match self { $(Head::$head => concat!("loss/", stringify!($key)),)* }
            }

            pub(crate) fn output(self) -> Output {
                match self { $(Head::$head => $output,)* }
            }

            pub(crate) fn loss(self) -> Loss {
                match self { $(Head::$head => $loss,)* }
            }
        }
    };
}

heads! {
    /// The result: win, draw or loss. KataGo: 1.2.
    Value value = 1.2, Output::Result, Loss::Distribution;
    /// Who owns each point at the end, averaged over points. KataGo: 1.5.
    Occupancy occupancy = 1.5, Output::Points(1), Loss::Class;
    /// The policy target to the power ¼, which preserves the order of lesser moves. KataGo: 8, for
    /// networks of more than ten million weights.
    SoftPolicy soft_policy = 2.0, Output::Policy, Loss::SoftPolicy;
    /// The opponent's next policy target. KataGo: 0.15. Which moves will be legal depends on the
    /// move made now, so nothing is masked.
    Reply reply = 0.15, Output::Policy, Loss::Distribution;
    /// Expected results a short while later, averaged over three horizons. KataGo: 0.72.
    ShortTerm short_term = 0.7, Output::Numbers(HORIZONS), Loss::Chances;
    /// The margin of victory as a fraction of the board's area, −1 to 1. KataGo: 0.02 each for the
    /// score's density and distribution, whose cross-entropies are an order of magnitude larger
    /// than the Huber loss here.
    Margin margin = 0.3, Output::Numbers(1), Loss::Distance;
    /// Turns to the end, in eight classes. Not in KataGo; 0.05 is a guess.
    Plies plies = 0.05, Output::Numbers(PLIES_CLASSES), Loss::Distribution;
    /// What stands on each point 8 and 32 turns later, averaged over points. KataGo: 0.25.
    Future future = 0.25, Output::Points(FUTURES), Loss::Distribution;
    /// Whether the variant's own rules matter within 8 turns. Not in KataGo; 0.05 is a guess.
    RuleBinds rule_binds = 0.05, Output::Numbers(1), Loss::Chances;
}

impl LossWeights {
    /// Whether all weights are valid.
    pub fn are_sound(&self) -> bool {
        let is_sound = |head| (0.0..f64::INFINITY).contains(&self.of(head));
        Head::ALL.into_iter().all(is_sound)
    }
}

/// One value for each head.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PerHead<T>([T; Head::COUNT]);

impl<T> PerHead<T> {
    /// Makes the values in order.
    pub fn new(make: impl FnMut(Head) -> T) -> PerHead<T> {
        PerHead(Head::ALL.map(make))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Head, &mut T)> {
        Head::ALL.into_iter().zip(&mut self.0)
    }
}

impl<T> Index<Head> for PerHead<T> {
    type Output = T;

    fn index(&self, head: Head) -> &T {
        &self.0[head as usize]
    }
}

impl<T> IndexMut<Head> for PerHead<T> {
    fn index_mut(&mut self, head: Head) -> &mut T {
        &mut self.0[head as usize]
    }
}

impl Head {
    /// The shape of its prediction for a position: rows, and numbers per row.
    fn shape(self, size: Size) -> (usize, usize) {
        match self.output() {
            Output::Result => (1, 3),
            Output::Points(times) => (times * size.area(), CLASSES),
            Output::Policy => (1, actions(size)),
            Output::Numbers(numbers) => (1, numbers),
        }
    }

    /// Number of values in its target on a board of this size.
    pub(crate) fn target_numbers(self, size: Size) -> usize {
        let (rows, numbers) = self.shape(size);
        match self.loss() {
            Loss::Class => rows,
            Loss::Distribution | Loss::Chances | Loss::Distance => rows * numbers,
            Loss::SoftPolicy => 0,
        }
    }

    /// Whether this is a valid target for it on a board of this size.
    pub(crate) fn accepts(self, target: &[f32], size: Size) -> bool {
        let known = target.len() == self.target_numbers(size);
        match self.loss() {
            Loss::Class => {
                known && target.iter().all(|class| (0.0..CLASSES as f32).contains(class))
            }
            Loss::Distribution | Loss::Chances | Loss::Distance | Loss::SoftPolicy => {
                known || target.is_empty()
            }
        }
    }
}

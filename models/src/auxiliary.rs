//! Targets that teach the trunk more than the result of a game does, and the heads that only learning needs.
//!
//! The heads read what the playing ones read: the policy's features, the hidden layer, the trunk.
//! They cost next to nothing, and what they teach stays in the trunk when they are dropped. The margin's is among the
//! playing ones.

use tch::{Kind, Tensor};

use crate::batch::{CLASSES, TrainingSample};
use crate::forward::{Affine, Outputs};
use crate::network::Named;

/// Horizons of the short-term values.
pub const HORIZONS: usize = 3;

/// Classes of the number of plies to the end: 1, 2 to 3, 4 to 7, and so on, 128 or more.
pub const PLIES_CLASSES: usize = 8;

/// How many plies ahead the stones of a position are foreseen.
pub const FUTURE_PLIES: [usize; FUTURES] = [8, 32];
/// Number of such glances ahead.
const FUTURES: usize = 2;

/// What a finished game tells of a position beyond its result, from the view of the player to move.
/// What is not known teaches nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Auxiliary {
    /// The policy target of the opponent's next turn; empty if it has none.
    pub reply: Vec<f32>,
    /// Expected results of the near future, −1 to 1, the farthest horizon first.
    pub short_term: Option<[f32; HORIZONS]>,
    /// By how much the game is won, in shares of the board, −1 to 1.
    pub margin: Option<f32>,
    /// Turns to the end of the game, this one included.
    pub plies_left: Option<u32>,
    /// What stands on each point [`FUTURE_PLIES`] later, or at the end if that comes before: the
    /// classes of [`TrainingSample::occupancy`], for each glance ahead.
    pub future: Option<[Vec<u8>; FUTURES]>,
    /// Whether the variant's own rules matter in one of the next turns.
    pub rule_binds: Option<bool>,
}

/// The class of a number of plies.
fn plies_class(plies: u32) -> usize {
    (plies.max(1).ilog2() as usize).min(PLIES_CLASSES - 1)
}

/// The auxiliary targets of a batch as tensors.
pub(crate) struct AuxiliaryTensors {
    /// `[batch, actions]`; rows of zeros where it is unknown.
    pub reply: Tensor,
    /// `[batch, HORIZONS]`, as probabilities to win, and `[batch, 1]`, 1 where they are known.
    pub short_term: Tensor,
    pub short_term_known: Tensor,
    /// `[batch, 1]` each.
    pub margin: Tensor,
    pub margin_known: Tensor,
    /// `[batch, PLIES_CLASSES]`; rows of zeros where it is unknown.
    pub plies: Tensor,
    /// `[batch · points · FUTURES, 3]`; rows of zeros where it is unknown.
    pub future: Tensor,
    /// `[batch, 1]` each.
    pub rule_binds: Tensor,
    pub rule_binds_known: Tensor,
}

impl AuxiliaryTensors {
    pub fn of(samples: &[TrainingSample], actions: usize, device: tch::Device) -> AuxiliaryTensors {
        let count = samples.len();
        let points = samples.first().map_or(0, |sample| sample.occupancy.len());
        let mut reply = vec![0.0_f32; count * actions];
        let mut short_term = Vec::with_capacity(count * HORIZONS);
        let mut margin = Vec::with_capacity(count);
        let mut plies = vec![0.0_f32; count * PLIES_CLASSES];
        let mut future = vec![0.0_f32; count * points * FUTURES * CLASSES];
        let mut rule_binds = Vec::with_capacity(count);
        let known = |is: fn(&Auxiliary) -> bool| -> Vec<f32> {
            samples.iter().map(|sample| f32::from(u8::from(is(&sample.auxiliary)))).collect()
        };
        for (row, sample) in samples.iter().enumerate() {
            let auxiliary = &sample.auxiliary;
            reply[row * actions..][..auxiliary.reply.len()].copy_from_slice(&auxiliary.reply);
            short_term.extend(auxiliary.short_term.unwrap_or_default().map(|v| 0.5 + 0.5 * v));
            margin.push(auxiliary.margin.unwrap_or_default());
            if let Some(left) = auxiliary.plies_left {
                plies[row * PLIES_CLASSES + plies_class(left)] = 1.0;
            }
            for (glance, classes) in auxiliary.future.iter().flatten().enumerate() {
                for (point, &class) in classes.iter().enumerate() {
                    let place = (row * points + point) * FUTURES + glance;
                    future[place * CLASSES + usize::from(class)] = 1.0;
                }
            }
            rule_binds.push(f32::from(u8::from(auxiliary.rule_binds == Some(true))));
        }
        let rows = |values: &[f32], rows: usize| {
            Tensor::from_slice(values).reshape([rows as i64, -1]).to_device(device)
        };
        let tensor = |values: &[f32]| rows(values, count);
        AuxiliaryTensors {
            reply: tensor(&reply),
            short_term: tensor(&short_term),
            short_term_known: tensor(&known(|auxiliary| auxiliary.short_term.is_some())),
            margin: tensor(&margin),
            margin_known: tensor(&known(|auxiliary| auxiliary.margin.is_some())),
            plies: tensor(&plies),
            future: rows(&future, count * points * FUTURES),
            rule_binds: tensor(&rule_binds),
            rule_binds_known: tensor(&known(|auxiliary| auxiliary.rule_binds.is_some())),
        }
    }
}

/// The parameters of the auxiliary heads, in the precision of the computation.
pub(crate) struct AuxiliaryHeads {
    occupancy: Affine,
    moves: Affine,
    pass: Affine,
    short_term: Affine,
    plies: Affine,
    future: Affine,
    rule_binds: Affine,
}

/// What they say, in f32, before any softmax.
pub(crate) struct AuxiliaryOutputs {
    /// `[batch · points, 3]`: mine, theirs, neither.
    pub occupancy: Tensor,
    /// `[batch, actions]`.
    pub soft_policy: Tensor,
    pub reply: Tensor,
    /// `[batch, HORIZONS]`, logits of winning.
    pub short_term: Tensor,
    /// `[batch, 1]`.
    pub margin: Tensor,
    /// `[batch, PLIES_CLASSES]`.
    pub plies: Tensor,
    /// `[batch · points · FUTURES, 3]`.
    pub future: Tensor,
    /// `[batch, 1]`, the logit.
    pub rule_binds: Tensor,
}

impl AuxiliaryHeads {
    pub fn of(named: &Named, kind: Kind) -> AuxiliaryHeads {
        let affine = |name: &str| Affine::of(named, name, kind);
        AuxiliaryHeads {
            occupancy: affine("occupancy"),
            moves: affine("other_moves"),
            pass: affine("other_pass"),
            short_term: affine("short_term"),
            plies: affine("plies"),
            future: affine("future"),
            rule_binds: affine("rule_binds"),
        }
    }

    pub fn forward(&self, outputs: &Outputs) -> AuxiliaryOutputs {
        let float = |tensor: Tensor| tensor.to_kind(Kind::Float);
        let (features, hidden) = (&outputs.policy_features, &outputs.hidden);
        let moves = self.moves.apply(features).reshape([hidden.size()[0], -1, 4]);
        let pass = self.pass.apply(hidden);
        let policy = |index: i64| {
            let (places, starred) = (moves.select(2, 2 * index), moves.select(2, 2 * index + 1));
            float(Tensor::cat(&[places, pass.narrow(1, index, 1), starred], 1))
        };
        AuxiliaryOutputs {
            occupancy: float(self.occupancy.apply(&outputs.trunk)),
            soft_policy: policy(0),
            reply: policy(1),
            short_term: float(self.short_term.apply(hidden)),
            margin: float(outputs.margin.shallow_clone()),
            plies: float(self.plies.apply(hidden)),
            future: float(self.future.apply(&outputs.trunk).reshape([-1, CLASSES as i64])),
            rule_binds: float(self.rule_binds.apply(hidden)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_fall_into_classes_that_double() {
        let classes: Vec<usize> = [1, 2, 3, 4, 7, 8, 127, 128, 5000].map(plies_class).to_vec();
        assert_eq!(classes, [0, 1, 1, 2, 2, 3, 6, 7, 7]);
    }
}

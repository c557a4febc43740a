//! Losses of a network on a batch.

use std::ops::Index;

use tch::{Kind, Tensor};

use crate::libtorch::batch::{BatchTensors, TargetTensors};
use crate::libtorch::forward::Outputs;
use crate::libtorch::heads::{Head, Loss, PerHead};
use crate::{LossWeights, ModelError};

/// Where the Huber loss changes from quadratic to linear.
const DISTANCE_BEND: f64 = 0.2;
/// Used instead of −∞, because −∞ times a target of 0 would be NaN.
const ILLEGAL: f64 = -1e9;

/// Mean losses of a batch in nats, unweighted, and other figures of training. The loss of a head is
/// indexed by the head; a sample whose target is unknown counts as a loss of 0, so a head's figure
/// falls with the share of such samples (margins, replies).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// Weighted sum of the others, which training minimises.
    pub total: f32,
    /// Cross-entropy of the policy over legal actions.
    pub policy: f32,
    heads: PerHead<f32>,
    /// Entropy of the policy targets, a lower bound of the policy loss.
    pub target_entropy: f32,
    /// Norm of the gradient before clipping.
    pub gradient: f32,
}

impl Index<Head> for Losses {
    type Output = f32;

    fn index(&self, head: Head) -> &f32 {
        &self.heads[head]
    }
}

impl Losses {
    /// Adds figures, for a mean over steps.
    pub fn add(&mut self, other: &Losses) {
        self.figures().zip(other.named()).for_each(|((_, mine), (_, theirs))| *mine += theirs);
    }

    /// Multiplies all figures.
    pub fn scale(&mut self, factor: f32) {
        self.figures().for_each(|(_, figure)| *figure *= factor);
    }

    /// All figures with their names in learning curves.
    pub fn named(&self) -> Vec<(&'static str, f32)> {
        let mut copy = *self;
        copy.figures().map(|(name, figure)| (name, *figure)).collect()
    }

    fn figures(&mut self) -> impl Iterator<Item = (&'static str, &mut f32)> {
        let heads = self.heads.iter_mut().map(|(head, loss)| (head.curve(), loss));
        let first = [("loss/total", &mut self.total), ("loss/policy", &mut self.policy)];
        let target_entropy = ("loss/target_entropy", &mut self.target_entropy);
        let last = [target_entropy, ("loss/gradient", &mut self.gradient)];
        first.into_iter().chain(heads).chain(last)
    }
}

/// The losses as tensors; gradients flow from `total`.
pub(crate) struct LossTensors {
    pub total: Tensor,
    /// In the order of [`Losses::figures`], without the gradient's norm.
    parts: Tensor,
}

impl LossTensors {
    pub fn of(
        outputs: &Outputs,
        predictions: &PerHead<Tensor>,
        batch: &BatchTensors,
        weights: &LossWeights,
    ) -> LossTensors {
        let policy = cross_entropy(&masked(&outputs.policy, batch), &batch.policy);
        let heads = PerHead::new(|head| loss(head, &predictions[head], batch));
        // Not `+=`, which would write into the memory shared with `policy`.
        let total = Head::ALL
            .iter()
            .fold(policy.shallow_clone(), |total, &head| total + &heads[head] * weights.of(head));
        let entropy = -(&batch.policy * batch.policy.clamp_min(1e-12).log())
            .sum_dim_intlist(1i64, false, Kind::Float)
            .mean(Kind::Float);
        let mut parts = vec![total.detach(), policy.detach()];
        parts.extend(Head::ALL.map(|head| heads[head].detach()));
        parts.push(entropy);
        LossTensors { total, parts: Tensor::stack(&parts, 0) }
    }

    /// Copies the numbers from the device.
    pub fn read(&self) -> Result<Losses, ModelError> {
        let parts = Vec::<f32>::try_from(&self.parts)?;
        let mut losses = Losses::default();
        losses.figures().zip(parts).for_each(|((_, figure), part)| *figure = part);
        Ok(losses)
    }
}

/// The mean loss of a head over a batch.
fn loss(head: Head, predicted: &Tensor, batch: &BatchTensors) -> Tensor {
    let TargetTensors { values, known } = &batch.targets[head];
    match head.loss() {
        Loss::Class => predicted.cross_entropy_for_logits(&values.reshape(-1).to_kind(Kind::Int64)),
        Loss::Distribution => cross_entropy(predicted, &values.reshape_as(predicted)),
        Loss::SoftPolicy => cross_entropy(&masked(predicted, batch), &softened(&batch.policy)),
        Loss::Chances => {
            // −y·ln σ(x) − (1 − y)·ln(1 − σ(x)), in a form that never overflows.
            let losses =
                predicted.clamp_min(0.0) - predicted * values + (-predicted.abs()).exp().log1p();
            (losses * known).mean(Kind::Float)
        }
        Loss::Distance => {
            let losses = predicted.smooth_l1_loss(values, tch::Reduction::None, DISTANCE_BEND);
            (losses * known).mean(Kind::Float)
        }
    }
}

/// The policy logits in f32, masked for illegal actions.
pub(crate) fn masked(logits: &Tensor, batch: &BatchTensors) -> Tensor {
    logits.to_kind(Kind::Float).masked_fill(&batch.illegal, ILLEGAL)
}

/// A policy to the power ¼: KataGo's soft target, at temperature 4.
fn softened(policy: &Tensor) -> Tensor {
    let powers = policy.sqrt().sqrt();
    let sums = powers.sum_dim_intlist(1i64, true, Kind::Float);
    powers / sums
}

/// Mean over the batch of the cross-entropy against a distribution.
fn cross_entropy(logits: &Tensor, target: &Tensor) -> Tensor {
    -(logits.log_softmax(1, Kind::Float) * target)
        .sum_dim_intlist(1i64, false, Kind::Float)
        .mean(Kind::Float)
}

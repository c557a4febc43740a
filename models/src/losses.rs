//! How wrong a network is about a batch.

use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

use crate::ModelError;
use crate::auxiliary::{AuxiliaryOutputs, AuxiliaryTensors};
use crate::batch::BatchTensors;
use crate::forward::Outputs;

/// What each loss counts in the sum that is minimised; the policy counts 1. A weight of 0 switches a
/// target off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LossWeights {
    /// The result: win, draw or loss. KataGo: 1.2.
    pub value: f64,
    /// Who has each point at the end, the mean over points. KataGo: 1.5.
    pub occupancy: f64,
    /// The policy target to the power ¼, which keeps the order of lesser moves. KataGo: 8, for
    /// networks of more than ten million weights.
    pub soft_policy: f64,
    /// The opponent's next policy target. KataGo: 0.15.
    pub reply: f64,
    /// Results expected after a short while, the mean of three horizons. KataGo: 0.72.
    pub short_term: f64,
    /// By how much the game is won. KataGo: 0.02 each for the score's density and distribution,
    /// whose cross-entropies are an order of magnitude larger than the Huber loss here.
    pub margin: f64,
    /// Turns to the end, in eight classes. Not KataGo's; 0.05 is a guess.
    pub plies: f64,
    /// What stands on each point 8 and 32 plies later, the mean over points. KataGo: 0.25.
    pub future: f64,
    /// Whether the variant's own rules matter within 8 plies. Not KataGo's; 0.05 is a guess.
    pub rule_binds: f64,
}

impl Default for LossWeights {
    fn default() -> LossWeights {
        LossWeights {
            value: 1.2,
            occupancy: 1.5,
            soft_policy: 2.0,
            reply: 0.15,
            short_term: 0.7,
            margin: 0.3,
            plies: 0.05,
            future: 0.25,
            rule_binds: 0.05,
        }
    }
}

impl LossWeights {
    /// Whether all of them are numbers that a loss can count.
    pub fn are_sound(&self) -> bool {
        #[rustfmt::skip]
        let LossWeights {
            value, occupancy, soft_policy, reply, short_term, margin, plies, future, rule_binds,
        } = *self;
        [value, occupancy, soft_policy, reply, short_term, margin, plies, future, rule_binds]
            .into_iter()
            .all(|weight| weight.is_finite() && weight >= 0.0)
    }
}

/// Where the margin's loss turns from a square into a distance, in shares of the board.
const MARGIN_BEND: f64 = 0.2;
/// In the place of −∞, which times a target of 0 would not be a number.
const ILLEGAL: f64 = -1e9;

/// Mean losses of a batch in nats, not weighted, and what tells whether learning goes well.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// Weighted sum of the others: what is minimised.
    pub total: f32,
    /// Cross-entropy of the policy over legal actions.
    pub policy: f32,
    /// Cross-entropy of win, draw, loss.
    pub value: f32,
    /// Cross-entropy of the final occupancy, a point.
    pub occupancy: f32,
    /// Cross-entropy of the softened policy target.
    pub soft_policy: f32,
    /// Cross-entropy of the opponent's next policy target.
    pub reply: f32,
    /// Cross-entropy of the short-term values.
    pub short_term: f32,
    /// Huber loss of the margin.
    pub margin: f32,
    /// Cross-entropy of the class of plies to the end.
    pub plies: f32,
    /// Cross-entropy of what stands on a point later.
    pub future: f32,
    /// Cross-entropy of whether the variant's own rules will matter.
    pub rule_binds: f32,
    /// Entropy of the policy targets: the policy loss cannot become smaller.
    pub target_entropy: f32,
    /// Length of the gradient before clipping.
    pub gradient: f32,
}

impl Losses {
    /// Adds, for a mean over steps.
    pub fn add(&mut self, other: &Losses) {
        self.update(|mine, theirs| mine + theirs, other);
    }

    /// Multiplies all figures.
    pub fn scale(&mut self, factor: f32) {
        let copy = *self;
        self.update(|mine, _| mine * factor, &copy);
    }

    /// All figures with their names in curves.
    pub fn named(&self) -> [(&'static str, f32); FIGURES] {
        let mut copy = *self;
        let values = copy.figures().map(|figure| *figure);
        std::array::from_fn(|index| (NAMES[index], values[index]))
    }

    fn update(&mut self, combine: impl Fn(f32, f32) -> f32, other: &Losses) {
        for (figure, (_, theirs)) in self.figures().into_iter().zip(other.named()) {
            *figure = combine(*figure, theirs);
        }
    }

    /// In the order of [`NAMES`].
    fn figures(&mut self) -> [&mut f32; FIGURES] {
        [
            &mut self.total,
            &mut self.policy,
            &mut self.value,
            &mut self.occupancy,
            &mut self.soft_policy,
            &mut self.reply,
            &mut self.short_term,
            &mut self.margin,
            &mut self.plies,
            &mut self.future,
            &mut self.rule_binds,
            &mut self.target_entropy,
            &mut self.gradient,
        ]
    }
}

/// Number of figures in [`Losses`].
const FIGURES: usize = 13;

const NAMES: [&str; FIGURES] = [
    "loss/total",
    "loss/policy",
    "loss/value",
    "loss/occupancy",
    "loss/soft_policy",
    "loss/reply",
    "loss/short_term",
    "loss/margin",
    "loss/plies",
    "loss/future",
    "loss/rule_binds",
    "loss/target_entropy",
    "loss/gradient",
];

/// The losses as tensors, of which `total` carries the gradient.
pub(crate) struct LossTensors {
    pub total: Tensor,
    /// In the order of [`NAMES`], without the gradient's length.
    parts: Tensor,
}

impl LossTensors {
    pub fn of(
        outputs: &Outputs,
        auxiliary: &AuxiliaryOutputs,
        batch: &BatchTensors,
        weights: &LossWeights,
    ) -> LossTensors {
        let masked = |logits: &Tensor| masked(logits, batch);
        let targets = &batch.auxiliary;
        let policy = cross_entropy(&masked(&outputs.policy), &batch.policy);
        let others = [
            (cross_entropy(&outputs.result.to_kind(Kind::Float), &batch.result), weights.value),
            (auxiliary.occupancy.cross_entropy_for_logits(&batch.occupancy), weights.occupancy),
            (
                cross_entropy(&masked(&auxiliary.soft_policy), &softened(&batch.policy)),
                weights.soft_policy,
            ),
            // What will be legal then depends on the move now, so nothing is masked.
            (cross_entropy(&auxiliary.reply, &targets.reply), weights.reply),
            (
                chances(&auxiliary.short_term, &targets.short_term, &targets.short_term_known),
                weights.short_term,
            ),
            (margin(&auxiliary.margin, targets), weights.margin),
            (cross_entropy(&auxiliary.plies, &targets.plies), weights.plies),
            (cross_entropy(&auxiliary.future, &targets.future), weights.future),
            (
                chances(&auxiliary.rule_binds, &targets.rule_binds, &targets.rule_binds_known),
                weights.rule_binds,
            ),
        ];
        // Not `+=`, which would write into the memory that `policy` shares.
        let total = others
            .iter()
            .fold(policy.shallow_clone(), |total, (loss, weight)| total + loss * *weight);
        let entropy = -(&batch.policy * batch.policy.clamp_min(1e-12).log())
            .sum_dim_intlist(1i64, false, Kind::Float)
            .mean(Kind::Float);
        let mut parts = vec![total.detach(), policy.detach()];
        parts.extend(others.iter().map(|(loss, _)| loss.detach()));
        parts.push(entropy);
        LossTensors { total, parts: Tensor::stack(&parts, 0) }
    }

    /// Fetches the numbers.
    pub fn read(&self) -> Result<Losses, ModelError> {
        let parts = Vec::<f32>::try_from(&self.parts)?;
        let mut losses = Losses::default();
        losses.figures().into_iter().zip(parts).for_each(|(figure, part)| *figure = part);
        Ok(losses)
    }
}

/// Logits of the policy in f32, with no chance for illegal actions.
pub(crate) fn masked(logits: &Tensor, batch: &BatchTensors) -> Tensor {
    logits.to_kind(Kind::Float).masked_fill(&batch.illegal, ILLEGAL)
}

/// A policy to the power ¼: KataGo's soft target, at temperature 4.
fn softened(policy: &Tensor) -> Tensor {
    let powers = policy.sqrt().sqrt();
    let sums = powers.sum_dim_intlist(1i64, true, Kind::Float);
    powers / sums
}

/// Mean cross-entropy of chances against the logits that foretell them, where they are known.
fn chances(logits: &Tensor, chances: &Tensor, known: &Tensor) -> Tensor {
    // −y·ln σ(x) − (1 − y)·ln(1 − σ(x)), in the form that never overflows.
    let losses = logits.clamp_min(0.0) - logits * chances + (-logits.abs()).exp().log1p();
    (losses * known).mean(Kind::Float)
}

fn margin(found: &Tensor, targets: &AuxiliaryTensors) -> Tensor {
    let losses = found.smooth_l1_loss(&targets.margin, tch::Reduction::None, MARGIN_BEND);
    (losses * &targets.margin_known).mean(Kind::Float)
}

/// Mean over the batch of the cross-entropy against a distribution.
fn cross_entropy(logits: &Tensor, target: &Tensor) -> Tensor {
    -(logits.log_softmax(1, Kind::Float) * target)
        .sum_dim_intlist(1i64, false, Kind::Float)
        .mean(Kind::Float)
}

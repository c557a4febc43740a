//! How wrong a network is about a batch.

use tch::{Kind, Tensor};

use crate::ModelError;
use crate::batch::BatchTensors;
use crate::forward::{Layers, Outputs};

/// Weight of the result's cross-entropy. KataGo: 1.2.
const VALUE_WEIGHT: f64 = 1.2;
/// Weight of the occupancy's cross-entropy, averaged over points. KataGo: 1.5.
const OCCUPANCY_WEIGHT: f64 = 1.5;
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
    pub fn named(&self) -> [(&'static str, f32); 6] {
        [
            ("loss/total", self.total),
            ("loss/policy", self.policy),
            ("loss/value", self.value),
            ("loss/occupancy", self.occupancy),
            ("loss/target_entropy", self.target_entropy),
            ("loss/gradient", self.gradient),
        ]
    }

    fn update(&mut self, combine: impl Fn(f32, f32) -> f32, other: &Losses) {
        let Losses { total, policy, value, occupancy, target_entropy, gradient } = self;
        let mine = [total, policy, value, occupancy, target_entropy, gradient];
        for (figure, (_, theirs)) in mine.into_iter().zip(other.named()) {
            *figure = combine(*figure, theirs);
        }
    }
}

/// The losses as tensors, of which `total` carries the gradient.
pub(crate) struct LossTensors {
    pub total: Tensor,
    parts: Tensor,
}

impl LossTensors {
    pub fn of(layers: &Layers, outputs: &Outputs, batch: &BatchTensors) -> LossTensors {
        let logits = outputs.policy.to_kind(Kind::Float).masked_fill(&batch.illegal, ILLEGAL);
        let policy = cross_entropy(&logits, &batch.policy);
        let value = cross_entropy(&outputs.result.to_kind(Kind::Float), &batch.result);
        let occupancy = layers.occupancy(outputs).to_kind(Kind::Float);
        let occupancy = occupancy.cross_entropy_for_logits(&batch.occupancy);
        let entropy = -(&batch.policy * batch.policy.clamp_min(1e-12).log())
            .sum_dim_intlist(1i64, false, Kind::Float)
            .mean(Kind::Float);
        let total = &policy + &value * VALUE_WEIGHT + &occupancy * OCCUPANCY_WEIGHT;
        let parts = [&total, &policy, &value, &occupancy, &entropy].map(Tensor::detach);
        LossTensors { total, parts: Tensor::stack(&parts, 0) }
    }

    /// Fetches the numbers.
    pub fn read(&self) -> Result<Losses, ModelError> {
        let parts = Vec::<f32>::try_from(&self.parts)?;
        Ok(Losses {
            total: parts[0],
            policy: parts[1],
            value: parts[2],
            occupancy: parts[3],
            target_entropy: parts[4],
            gradient: 0.0,
        })
    }
}

/// Mean over the batch of the cross-entropy against a distribution.
fn cross_entropy(logits: &Tensor, target: &Tensor) -> Tensor {
    -(logits.log_softmax(1, Kind::Float) * target)
        .sum_dim_intlist(1i64, false, Kind::Float)
        .mean(Kind::Float)
}

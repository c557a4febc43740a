//! The part of a batch that each thread of a learner computes.

use tch::Tensor;

use crate::libtorch::batch::BatchTensors;
use crate::libtorch::forward::{Layers, Outputs};
use crate::libtorch::losses::LossTensors;
use crate::network::NamedParameters;
use crate::{Architecture, LossWeights, Losses, ModelError, Precision};

/// A part of a batch, with the weights to compute it.
pub(crate) struct Part {
    pub architecture: Architecture,
    /// The part's own copy: a tensor's memory belongs to one thread.
    pub weights: Tensor,
    pub batch: BatchTensors,
    pub precision: Precision,
    /// Whether convolutions in f32 multiply in bf16.
    pub rounds: bool,
    pub losses: LossWeights,
    /// Its fraction of the batch's samples.
    pub share: f32,
}

impl Part {
    /// The network's outputs and their losses; `observe` gets the outputs of ReLUs.
    pub fn forward(&self, observe: &mut dyn FnMut(&Tensor)) -> (Outputs, LossTensors) {
        let named = NamedParameters::of(self.architecture.learner_parameters(), &self.weights);
        let kind = self.precision.kind();
        let layers = Layers::named(&self.architecture, &named, kind, self.rounds);
        let outputs = layers.forward_observed(&self.batch.planes, &self.batch.globals, observe);
        let predictions = outputs.predictions(&named, kind);
        let losses = LossTensors::of(&outputs, &predictions, &self.batch, &self.losses);
        (outputs, losses)
    }

    /// Gradient and losses, weighted by the part's share of the batch.
    pub fn gradient(self) -> Result<(Tensor, Losses), ModelError> {
        let part = Part { weights: self.weights.set_requires_grad(true), ..self };
        let (_, tensors) = part.forward(&mut |_| {});
        (&tensors.total * f64::from(part.share)).backward();
        let mut found = tensors.read()?;
        found.scale(part.share);
        Ok((part.weights.grad(), found))
    }
}

//! AdamW and an exponential average, over one flat buffer.
//!
//! tch's optimizers do not hand out their moments, without which a run cannot be resumed exactly.
//! With all parameters in one buffer a step is a dozen operations, whatever the network.

use tch::{Device, Kind, Tensor, no_grad};

use crate::LossWeights;

/// Settings of the learner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerSettings {
    /// Decoupled weight decay, not on biases and scales. KataGo: 0.02.
    pub weight_decay: f64,
    /// Steps after which an old weight counts half in the average that plays.
    pub average_half_life: f64,
    /// Longest gradient that is used as it is; longer ones are shortened to it.
    pub clip: f64,
    /// Decay of the first moment. Kingma and Ba: 0.9.
    pub first_decay: f64,
    /// Decay of the second moment. Kingma and Ba: 0.999; less follows changing targets faster.
    pub second_decay: f64,
    /// Cores that learning uses; 0 means all.
    pub threads: usize,
    /// What each loss counts.
    pub losses: LossWeights,
}

impl Default for LearnerSettings {
    fn default() -> LearnerSettings {
        LearnerSettings {
            weight_decay: 0.02,
            average_half_life: 700.0,
            clip: 1.0,
            first_decay: 0.9,
            second_decay: 0.99,
            threads: 0,
            losses: LossWeights::default(),
        }
    }
}

/// Keeps a division by an empty second moment finite.
const EPSILON: f64 = 1e-8;

/// The state that, with the weights, decides all later steps.
pub(crate) struct Optimizer {
    pub weights: Tensor,
    pub average: Tensor,
    pub first: Tensor,
    pub second: Tensor,
    pub step: u64,
    /// The first so many parameters decay.
    decaying: i64,
}

impl Optimizer {
    pub fn new(weights: &Tensor, decaying: i64) -> Optimizer {
        let own = || weights.detach().copy();
        let (first, second) = (weights.zeros_like(), weights.zeros_like());
        Optimizer { weights: own(), average: own(), first, second, step: 0, decaying }
    }

    /// One step with a gradient of this length.
    pub fn update(&mut self, gradient: &Tensor, length: f64, rate: f64, s: &LearnerSettings) {
        self.step += 1;
        let steps = self.step as f64;
        let scale = if length > s.clip { s.clip / length } else { 1.0 };
        no_grad(|| {
            let gradient = gradient * scale;
            let _ = self.first.g_mul_scalar_(s.first_decay);
            let _ = self.first.g_add_(&(&gradient * (1.0 - s.first_decay)));
            let _ = self.second.g_mul_scalar_(s.second_decay);
            let _ = self.second.g_add_(&(gradient.square() * (1.0 - s.second_decay)));
            let correction = 1.0 - s.second_decay.powf(steps);
            let deviation = (&self.second / correction).sqrt() + EPSILON;
            let change = &self.first / deviation * (rate / (1.0 - s.first_decay.powf(steps)));
            let mut decaying = self.weights.narrow(0, 0, self.decaying);
            let _ = decaying.g_mul_scalar_(1.0 - rate * s.weight_decay);
            let _ = self.weights.g_sub_(&change);
            // At first the average follows closely, or it would remember the random start.
            let keep = 0.5f64.powf(1.0 / s.average_half_life).min((1.0 + steps) / (10.0 + steps));
            let difference = (&self.weights - &self.average) * (1.0 - keep);
            let _ = self.average.g_add_(&difference);
        });
    }

    /// The buffers by name, for saving.
    pub fn buffers(&self) -> [(&'static str, &Tensor); 4] {
        [
            ("weights", &self.weights),
            ("average", &self.average),
            ("first_moment", &self.first),
            ("second_moment", &self.second),
        ]
    }

    /// Replaces the buffers, in the order of [`Optimizer::buffers`].
    pub fn set(&mut self, values: &[Vec<f32>; 4], step: u64, device: Device) {
        let tensor = |values: &Vec<f32>| Tensor::from_slice(values).to_device(device);
        self.weights = tensor(&values[0]);
        self.average = tensor(&values[1]);
        self.first = tensor(&values[2]);
        self.second = tensor(&values[3]);
        self.step = step;
    }
}

/// Length of a vector.
pub(crate) fn length(gradient: &Tensor) -> f64 {
    gradient.square().sum(Kind::Double).sqrt().double_value(&[])
}

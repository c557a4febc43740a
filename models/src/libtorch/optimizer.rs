//! AdamW or Muon, and an exponential moving average, over one flat buffer.
//!
//! tch's optimizers do not expose their moments, which exact resumption needs. With all parameters
//! in one buffer, a step takes a dozen operations for any network.

use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor, no_grad};

use crate::LossWeights;
use crate::architecture::Parameter;

/// How gradients are turned into steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
    #[default]
    AdamW,
    /// Orthogonalised momentum for the matrices of the trunk's blocks (Jordan et al. 2024), AdamW
    /// for everything else.
    Muon,
}

/// Settings of the learner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerSettings {
    /// How gradients are turned into steps. KataGo has used SGD, AdamW and, since 2026, Muon.
    pub optimizer: OptimizerKind,
    /// Decoupled weight decay, not applied to biases and scales. KataGo: 0.02.
    pub weight_decay: f64,
    /// Half-life in steps of the weight average used in play. KataGo: about 2,400 (a snapshot every
    /// 250,000 samples, of which the average keeps 0.75).
    pub average_half_life: f64,
    /// Cores used for training; 0 means all.
    pub threads: usize,
    /// The weight of each loss.
    pub losses: LossWeights,
}

impl Default for LearnerSettings {
    fn default() -> LearnerSettings {
        LearnerSettings {
            optimizer: OptimizerKind::AdamW,
            weight_decay: 0.02,
            average_half_life: 200.0,
            threads: 0,
            losses: LossWeights::default(),
        }
    }
}

/// Maximum norm of a gradient; longer ones are clipped.
const CLIP: f64 = 1.0;
/// Decay of the first moment. Kingma and Ba: 0.9.
const FIRST_DECAY: f64 = 0.9;
/// Decay of the second moment. Kingma and Ba: 0.999; a smaller one follows changing targets faster.
const SECOND_DECAY: f64 = 0.99;

/// Keeps division by a zero second moment finite.
const EPSILON: f64 = 1e-8;

/// Decay of Muon's momentum. Jordan et al., KataGo: 0.95.
const MUON_DECAY: f64 = 0.95;
/// Steps of the Newton–Schulz iteration. Jordan et al., KataGo: 5.
const MUON_ITERATIONS: usize = 5;
/// Length of Muon's step per √(longer side of the matrix), at learning rate 1. With 0.2 it is about
/// as long as AdamW's (Liu et al. 2025); KataGo uses twice that for hidden matrices.
const MUON_LENGTH: f64 = 0.4;

impl Parameter {
    /// Whether it is a matrix of the trunk's blocks, for which Muon orthogonalises steps; matrices
    /// at either end are not.
    fn is_hidden_matrix(&self) -> bool {
        self.decays() && self.name.starts_with("block")
    }
}

/// A matrix in the flat buffer.
struct Matrix {
    offset: i64,
    rows: i64,
    columns: i64,
}

impl Matrix {
    /// The hidden matrices among consecutive parameters. A convolution is a matrix of its outputs
    /// by everything that each of them reads.
    fn hidden(parameters: &[Parameter]) -> Vec<Matrix> {
        let mut offset = 0;
        let mut list = Vec::new();
        for parameter in parameters {
            if parameter.is_hidden_matrix() {
                let rows = parameter.shape[0];
                list.push(Matrix { offset, rows, columns: parameter.elements() / rows });
            }
            offset += parameter.elements();
        }
        list
    }

    /// A view of the matrix in a buffer.
    fn of(&self, flat: &Tensor) -> Tensor {
        flat.narrow(0, self.offset, self.rows * self.columns).view([self.rows, self.columns])
    }

    /// The momentum after a gradient, and the resulting step at learning rate 1.
    fn step(&self, momentum: &Tensor, gradient: &Tensor) -> (Tensor, Tensor) {
        let gradient = self.of(gradient) * (1.0 - MUON_DECAY);
        let momentum = self.of(momentum) * MUON_DECAY + &gradient;
        // Nesterov momentum: as if the same gradient came once more.
        let ahead = &momentum * MUON_DECAY + gradient;
        let length = MUON_LENGTH * (self.rows.max(self.columns) as f64).sqrt();
        (momentum, orthogonalised(&ahead) * length)
    }
}

/// Approximately U·Vᵀ of a matrix U·S·Vᵀ: its singular values become 0.7 to 1.2, by a polynomial
/// that is steepest at 0 (Jordan et al. 2024).
fn orthogonalised(matrix: &Tensor) -> Tensor {
    const POLYNOMIAL: [f64; 3] = [3.4445, -4.7750, 2.0315];
    let tall = matrix.size()[0] > matrix.size()[1];
    let mut x = if tall { matrix.tr() } else { matrix.shallow_clone() };
    x = &x / (norm(&x) + 1e-7);
    let [first, third, fifth] = POLYNOMIAL;
    for _ in 0..MUON_ITERATIONS {
        let square = x.matmul(&x.tr());
        let odd = &square * third + square.matmul(&square) * fifth;
        x = &x * first + odd.matmul(&x);
    }
    if tall { x.tr() } else { x }
}

/// The state that, together with the weights, determines all later steps.
pub(crate) struct Optimizer {
    pub weights: Tensor,
    pub average: Tensor,
    pub first: Tensor,
    pub second: Tensor,
    pub step: u64,
    /// Number of parameters with weight decay, which come first.
    decaying: i64,
    hidden: Vec<Matrix>,
}

impl Optimizer {
    /// For parameters stored consecutively in `weights`, with those that decay first.
    pub fn new(weights: &Tensor, parameters: &[Parameter]) -> Optimizer {
        let own = || weights.detach().copy();
        Optimizer {
            weights: own(),
            average: own(),
            first: weights.zeros_like(),
            second: weights.zeros_like(),
            step: 0,
            decaying: parameters.iter().filter(|p| p.decays()).map(Parameter::elements).sum(),
            hidden: Matrix::hidden(parameters),
        }
    }

    /// Takes one step with a gradient whose norm is `norm`.
    pub fn update(&mut self, gradient: &Tensor, norm: f64, rate: f64, settings: &LearnerSettings) {
        self.step += 1;
        let steps = self.step as f64;
        let scale = if norm > CLIP { CLIP / norm } else { 1.0 };
        no_grad(|| {
            let change = self.change(&(gradient * scale), rate, settings.optimizer);
            let mut decaying = self.weights.narrow(0, 0, self.decaying);
            let _ = decaying.g_mul_scalar_(1.0 - rate * settings.weight_decay);
            let _ = self.weights.g_sub_(&change);
            // At first the average follows closely, to forget the random initialisation.
            let keep = 0.5f64.powf(1.0 / settings.average_half_life);
            let keep = keep.min((1.0 + steps) / (10.0 + steps));
            let difference = (&self.weights - &self.average) * (1.0 - keep);
            let _ = self.average.g_add_(&difference);
        });
    }

    /// Updates the moments with a gradient, and returns what to subtract from the weights.
    fn change(&mut self, gradient: &Tensor, rate: f64, optimizer: OptimizerKind) -> Tensor {
        let hidden: &[Matrix] = match optimizer {
            OptimizerKind::AdamW => &[],
            OptimizerKind::Muon => &self.hidden,
        };
        let steps_of_hidden: Vec<_> =
            hidden.iter().map(|matrix| matrix.step(&self.first, gradient)).collect();
        let _ = self.first.g_mul_scalar_(FIRST_DECAY);
        let _ = self.first.g_add_(&(gradient * (1.0 - FIRST_DECAY)));
        let _ = self.second.g_mul_scalar_(SECOND_DECAY);
        let _ = self.second.g_add_(&(gradient.square() * (1.0 - SECOND_DECAY)));
        let steps = self.step as f64;
        let deviation = (&self.second / (1.0 - SECOND_DECAY.powf(steps))).sqrt() + EPSILON;
        let change = &self.first / deviation * (rate / (1.0 - FIRST_DECAY.powf(steps)));
        // AdamW has stepped everywhere; for Muon's matrices, replace its step and momentum.
        for (matrix, (momentum, step)) in hidden.iter().zip(&steps_of_hidden) {
            matrix.of(&self.first).copy_(momentum);
            matrix.of(&change).copy_(&(step * rate));
        }
        change
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

/// The Euclidean norm of a vector.
pub(crate) fn norm(gradient: &Tensor) -> f64 {
    gradient.square().sum(Kind::Double).sqrt().double_value(&[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    /// A matrix that looks random but is the same everywhere.
    fn matrix(rows: i64, columns: i64) -> Tensor {
        let values = (0..rows * columns).map(|i| ((i * i * 7919 + i * 31) % 1009) as f32 - 504.0);
        Tensor::from_slice(&values.collect::<Vec<_>>()).view([rows, columns])
    }

    #[test]
    fn orthogonalised_matrices_have_singular_values_near_one() {
        for (rows, columns) in [(16, 144), (144, 16), (32, 32), (4, 4)] {
            for scale in [1e-6, 1.0] {
                let found = orthogonalised(&(matrix(rows, columns) * scale));
                let (_, values, _) = found.svd(true, false);
                let (least, most) =
                    (values.min().double_value(&[]), values.max().double_value(&[]));
                assert!(least > 0.4 && most < 1.3, "{rows}×{columns}: {least} to {most}");
            }
        }
    }

    #[test]
    fn muon_steps_in_the_blocks_and_adamw_elsewhere() {
        let parameters = Architecture { blocks: 2, channels: 16 }.learner_parameters();
        let elements = parameters.iter().map(Parameter::elements).sum();
        let start = matrix(1, elements).view([-1]) * 1e-4;
        let gradient = matrix(elements, 1).view([-1]) * 1e-6;
        let stepped = |optimizer| {
            let mut state = Optimizer::new(&start, &parameters);
            let settings = LearnerSettings { optimizer, weight_decay: 0.0, ..Default::default() };
            (0..2).for_each(|_| state.update(&gradient, norm(&gradient), 1e-2, &settings));
            state.weights
        };
        let (adamw, muon) = (stepped(OptimizerKind::AdamW), stepped(OptimizerKind::Muon));
        assert_eq!(muon, stepped(OptimizerKind::Muon), "equal steps on equal input");
        let mut offset = 0;
        for parameter in &parameters {
            let part = |flat: &Tensor| flat.narrow(0, offset, parameter.elements());
            let same = part(&adamw) == part(&muon);
            assert_eq!(same, !parameter.is_hidden_matrix(), "{}", parameter.name);
            if parameter.is_hidden_matrix() {
                let change = (part(&muon) - part(&start)).view([parameter.shape[0], -1]);
                let (_, values, _) = change.svd(true, false);
                let longest = values.max().double_value(&[]);
                let side = change.size().into_iter().max().unwrap_or_default() as f64;
                let expected = 2.0 * 1e-2 * MUON_LENGTH * side.sqrt();
                assert!((0.6..1.3).contains(&(longest / expected)), "{longest} for {expected}");
            }
            offset += parameter.elements();
        }
    }
}

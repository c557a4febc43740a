//! Training samples as plain numbers, so that `train` does not need libtorch.

use engine::{Encoding, Size, actions};
use tch::Tensor;

use crate::input::Input;
use crate::libtorch::heads::{Head, PerHead};
use crate::{Device, ModelError, Precision};

/// One position of a finished game, from the perspective of the player to move.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingSample {
    /// The position.
    pub encoding: Encoding,
    /// The policy target: a probability for each action, 0 for illegal ones.
    pub policy: Vec<f32>,
    /// Which actions are legal.
    pub legal: Vec<bool>,
    /// The target of each head, in the order of its predictions: distributions (value, reply,
    /// plies, and future, point by point), the class of each point (occupancy), probabilities
    /// (short term, rule binds), a number (margin). Empty where it is unknown, and always for the
    /// soft policy, whose target is derived from `policy`.
    pub targets: PerHead<Vec<f32>>,
}

impl TrainingSample {
    /// The class of a point that belongs to the player to move.
    pub const MINE: u8 = 0;
    /// The class of a point that belongs to the opponent.
    pub const THEIRS: u8 = 1;
    /// The class of a point that belongs to neither player.
    pub const NEITHER: u8 = 2;
}

/// The samples of one training step, all of one board size.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingBatch {
    /// Width and height of the board.
    pub size: Size,
    /// The samples.
    pub samples: Vec<TrainingSample>,
}

/// A batch as tensors.
pub(crate) struct BatchTensors {
    /// `[batch, PLANES, size, size]` and `[batch, GLOBALS]`.
    pub planes: Tensor,
    pub globals: Tensor,
    /// `[batch, actions]`, f32 and bool.
    pub policy: Tensor,
    pub illegal: Tensor,
    pub targets: PerHead<TargetTensors>,
}

/// The targets of one head.
pub(crate) struct TargetTensors {
    /// `[batch, numbers]`, f32; rows of zeros where the target is unknown.
    pub values: Tensor,
    /// `[batch, 1]`, f32: 1 where the target is known, otherwise 0.
    pub known: Tensor,
}

impl TrainingBatch {
    /// A batch.
    pub fn new(size: Size, samples: Vec<TrainingSample>) -> TrainingBatch {
        TrainingBatch { size, samples }
    }

    /// # Errors
    /// A sample has targets for another board size, or classes that do not exist.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let bad = |reason: String| Err(ModelError::BadBatch(reason));
        if self.samples.is_empty() {
            return bad("it is empty".to_owned());
        }
        let wanted = actions(self.size);
        for (index, sample) in self.samples.iter().enumerate() {
            if [sample.policy.len(), sample.legal.len()] != [wanted; 2] {
                return bad(format!("sample {index} is not of size {}", self.size));
            }
            for head in Head::ALL {
                if !head.accepts(&sample.targets[head], self.size) {
                    return bad(format!(
                        "sample {index} has an impossible target of {}",
                        head.key()
                    ));
                }
            }
        }
        Ok(())
    }
}

impl BatchTensors {
    pub fn of(
        samples: &[TrainingSample],
        size: Size,
        device: Device,
        precision: Precision,
    ) -> BatchTensors {
        let count = samples.len();
        let mut input = Input::new(size, count);
        let mut policy: Vec<f32> = Vec::with_capacity(count * actions(size));
        let mut illegal: Vec<bool> = Vec::with_capacity(policy.capacity());
        for sample in samples {
            input.push(&sample.encoding);
            policy.extend_from_slice(&sample.policy);
            illegal.extend(sample.legal.iter().map(|legal| !legal));
        }
        let (planes, globals) = input.tensors(device, precision);
        let rows = [count as i64, -1];
        let to = device.torch();
        BatchTensors {
            planes,
            globals,
            policy: Tensor::from_slice(&policy).reshape(rows).to_device(to),
            illegal: Tensor::from_slice(&illegal).reshape(rows).to_device(to),
            targets: PerHead::new(|head| TargetTensors::of(head, samples, size, to)),
        }
    }
}

impl TargetTensors {
    fn of(
        head: Head,
        samples: &[TrainingSample],
        size: Size,
        device: tch::Device,
    ) -> TargetTensors {
        let (count, numbers) = (samples.len(), head.target_numbers(size));
        let (mut values, mut known) =
            (Vec::with_capacity(count * numbers), Vec::with_capacity(count));
        for (row, sample) in samples.iter().enumerate() {
            let target = &sample.targets[head];
            values.extend_from_slice(target);
            values.resize((row + 1) * numbers, 0.0);
            known.push(if target.is_empty() { 0.0_f32 } else { 1.0 });
        }
        let tensor = |values: &[f32], numbers: usize| {
            Tensor::from_slice(values).reshape([count as i64, numbers as i64]).to_device(device)
        };
        TargetTensors { values: tensor(&values, numbers), known: tensor(&known, 1) }
    }
}

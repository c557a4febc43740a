//! What there is to learn from a position, in plain numbers: `train` needs no libtorch.

use engine::{Encoding, Size, actions};
use tch::{Kind, Tensor};

use crate::auxiliary::{Auxiliary, AuxiliaryTensors};
use crate::input::Input;
use crate::{Device, ModelError, Precision};

/// Classes of what a point is.
pub(crate) const CLASSES: usize = 3;

/// One position of a finished game, from the view of the player to move.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingSample {
    /// The position.
    pub encoding: Encoding,
    /// The policy to learn: a probability for each action, 0 for illegal ones.
    pub policy: Vec<f32>,
    /// Which actions are legal.
    pub legal: Vec<bool>,
    /// Probabilities of win, draw and loss: one of them 1, or a softer target.
    pub result: [f32; 3],
    /// What each point is at the end, by `Point::index`: one of the three classes below.
    pub occupancy: Vec<u8>,
    /// What else the finished game tells.
    pub auxiliary: Auxiliary,
}

impl TrainingSample {
    /// The point is the player's at the end.
    pub const MINE: u8 = 0;
    /// It is the opponent's.
    pub const THEIRS: u8 = 1;
    /// It is nobody's.
    pub const NEITHER: u8 = 2;
}

/// Samples that are learnt from in one step, all of one board size.
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
    /// `[batch, 3]`, f32.
    pub result: Tensor,
    /// `[batch · points]`, classes.
    pub occupancy: Tensor,
    pub auxiliary: AuxiliaryTensors,
}

impl TrainingBatch {
    /// A batch.
    pub fn new(size: Size, samples: Vec<TrainingSample>) -> TrainingBatch {
        TrainingBatch { size, samples }
    }

    /// # Errors
    /// A sample has targets of another board size, or classes that do not exist.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let bad = |reason: String| Err(ModelError::BadBatch(reason));
        if self.samples.is_empty() {
            return bad("it is empty".to_owned());
        }
        let (points, wanted) = (self.size.area(), actions(self.size));
        for (index, sample) in self.samples.iter().enumerate() {
            let lengths = [sample.policy.len(), sample.legal.len(), sample.occupancy.len()];
            if lengths != [wanted, wanted, points] {
                return bad(format!("sample {index} is not one of size {}", self.size));
            }
            if ![0, wanted].contains(&sample.auxiliary.reply.len()) {
                return bad(format!("sample {index} has a reply of another size"));
            }
            let future = sample.auxiliary.future.iter().flatten();
            if future.clone().any(|classes| classes.len() != points) {
                return bad(format!("sample {index} has a future of another size"));
            }
            let mut classes = sample.occupancy.iter().chain(future.flatten());
            if classes.any(|&class| class > TrainingSample::NEITHER) {
                return bad(format!("sample {index} has an occupancy class above 2"));
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
        let mut result: Vec<f32> = Vec::with_capacity(3 * count);
        let mut occupancy: Vec<u8> = Vec::with_capacity(count * size.area());
        for sample in samples {
            input.push(&sample.encoding);
            policy.extend_from_slice(&sample.policy);
            illegal.extend(sample.legal.iter().map(|legal| !legal));
            result.extend_from_slice(&sample.result);
            occupancy.extend_from_slice(&sample.occupancy);
        }
        let (planes, globals) = input.tensors(device, precision);
        let count = count as i64;
        let to = device.torch();
        BatchTensors {
            planes,
            globals,
            policy: Tensor::from_slice(&policy).reshape([count, -1]).to_device(to),
            illegal: Tensor::from_slice(&illegal).reshape([count, -1]).to_device(to),
            result: Tensor::from_slice(&result).reshape([count, 3]).to_device(to),
            occupancy: Tensor::from_slice(&occupancy).to_device(to).to_kind(Kind::Int64),
            auxiliary: AuxiliaryTensors::of(samples, actions(size), to),
        }
    }
}

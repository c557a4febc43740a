//! Layers that act on each point separately.

use crate::lane::Lane;
use crate::matrix::Packed;
use crate::processor::{Processor, Task};

/// A matrix and a bias.
#[derive(Debug, Clone)]
pub struct Linear {
    processor: Processor,
    inputs: usize,
    /// A packed matrix.
    weights: Vec<f32>,
    /// Padded to whole lanes.
    bias: Vec<f32>,
}

impl Linear {
    /// From weights `[outputs, inputs]` and one bias per output.
    ///
    /// # Panics
    /// There are no outputs, or the lengths of weights and biases do not match.
    pub fn new(processor: Processor, weights: &[f32], bias: &[f32]) -> Linear {
        let outputs = bias.len();
        let inputs = weights.len() / outputs;
        assert_eq!(weights.len(), outputs * inputs, "weights of {outputs} outputs");
        let (width, mut bias) = (processor.width(), bias.to_vec());
        bias.resize(outputs.next_multiple_of(width), 0.0);
        let mut packed = vec![0.0; inputs * bias.len()];
        for output in 0..outputs {
            for input in 0..inputs {
                let place = Packed::place(width, inputs, bias.len(), input, output);
                packed[place] = weights[output * inputs + input];
            }
        }
        Linear { processor, inputs, weights: packed, bias }
    }

    /// Length of a row of results: the outputs padded to whole lanes ([`Processor::width`]).
    pub fn padded(&self) -> usize {
        self.bias.len()
    }

    /// Computes `x · weights + bias`: from rows `[count, inputs]` to rows `[count, padded]`.
    ///
    /// # Panics
    /// The lengths do not match.
    pub fn apply(&self, x: &[f32], result: &mut [f32]) {
        assert!(x.len().is_multiple_of(self.inputs), "whole rows");
        let count = x.len() / self.inputs;
        assert_eq!(result.len(), count * self.padded(), "results");
        self.processor.run(Apply { it: self, count, x, result });
    }
}

struct Apply<'a> {
    it: &'a Linear,
    count: usize,
    x: &'a [f32],
    result: &'a mut [f32],
}

impl Task for Apply<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Linear { inputs, weights, bias, .. } = self.it;
        let matrix = Packed { inputs: *inputs, padded: bias.len(), values: weights };
        matrix.multiply::<L>(self.x, (self.count, *inputs), Some(bias), self.result);
    }
}

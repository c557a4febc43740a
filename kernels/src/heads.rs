//! The output heads at the end of the trunk.

use crate::lane::Lane;
use crate::linear::Linear;
use crate::pool::{Points, pool};
use crate::processor::{Processor, Task};

/// Channels of the heads' features: as many for the policy's points as for pooling.
pub const HEAD_CHANNELS: usize = 32;

/// Width of the hidden layer before the result and the pass.
pub const HIDDEN: usize = 64;

/// Outputs besides the logits of moves: win, draw, loss and margin.
pub const RESULTS: usize = 4;

/// All heads of a network. Matrices are `[outputs, inputs]`.
#[derive(Debug, Clone)]
pub struct Heads {
    /// From the trunk to the policy's features, followed by the features to be pooled: `2 ·
    /// HEAD_CHANNELS` outputs.
    pub features: Linear,
    /// From the pooled features, `3 · HEAD_CHANNELS`, to what is added to the policy's features,
    /// followed by the hidden layer: `HEAD_CHANNELS + HIDDEN` outputs.
    pub context: Linear,
    /// From the policy's features to the logits of placing and starred placing on a point.
    pub moves: [[f32; HEAD_CHANNELS]; 2],
    /// The biases of `moves`.
    pub moves_bias: [f32; 2],
    /// From the hidden layer to pass, win, draw, loss and margin.
    pub last: Linear,
}

/// Working memory of the heads.
#[derive(Debug, Default)]
pub struct HeadsScratch {
    features: Vec<f32>,
    pooled: Vec<f32>,
    context: Vec<f32>,
    hidden: Vec<f32>,
    last: Vec<f32>,
}

impl Heads {
    /// From the trunk, `[batch, points, channels]`, computes for each board the logits of all
    /// placements, of the pass and of all starred placements, then the [`RESULTS`]. `scale` is the
    /// factor for the means in the second part of the pooled features.
    ///
    /// # Panics
    /// The lengths do not match.
    pub fn apply(
        &self,
        processor: Processor,
        trunk: Points<'_>,
        scale: f32,
        scratch: &mut HeadsScratch,
        result: &mut [f32],
    ) {
        let batch = trunk.boards().len();
        let (points, places) = (trunk.points, 2 * trunk.points + 1);
        assert_eq!(result.len(), batch * (places + RESULTS), "results");
        let HeadsScratch { features, pooled, context, hidden, last } = scratch;
        let length = self.features.padded();
        features.resize(batch * points * length, 0.0);
        self.features.apply(trunk.numbers, features);
        let features = Points { numbers: features, points, length };
        pooled.resize(batch * 3 * HEAD_CHANNELS, 0.0);
        pool(processor, features, HEAD_CHANNELS..2 * HEAD_CHANNELS, scale, pooled);
        context.resize(batch * self.context.padded(), 0.0);
        self.context.apply(pooled, context);
        processor.run(Moves { it: self, features, context, result });

        hidden.clear();
        for context in context.chunks_exact(self.context.padded()) {
            let layer = &context[HEAD_CHANNELS..HEAD_CHANNELS + HIDDEN];
            // Unlike `max`, this keeps NaN.
            hidden.extend(layer.iter().map(|&x| if x < 0.0 { 0.0 } else { x }));
        }
        last.resize(batch * self.last.padded(), 0.0);
        self.last.apply(hidden, last);
        let last = last.chunks_exact(self.last.padded());
        for (last, result) in last.zip(result.chunks_exact_mut(places + RESULTS)) {
            result[points] = last[0];
            result[places..].copy_from_slice(&last[1..=RESULTS]);
        }
    }
}

/// The logits of placements and of starred placements, with the pass between them.
struct Moves<'a> {
    it: &'a Heads,
    features: Points<'a>,
    context: &'a [f32],
    result: &'a mut [f32],
}

impl Task for Moves<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Moves { it, features, context, result } = self;
        let points = features.points;
        let context = context.chunks_exact(it.context.padded());
        let result = result.chunks_exact_mut(2 * points + 1 + RESULTS);
        for ((board, context), result) in features.boards().zip(context).zip(result) {
            for (point, numbers) in board.chunks_exact(features.length).enumerate() {
                let mut sums = [L::splat(0.0); 2];
                let mut channel = 0;
                while channel < HEAD_CHANNELS {
                    let value = L::load(&numbers[channel..]) + L::load(&context[channel..]);
                    for kind in 0..2 {
                        let factors = L::load(&it.moves[kind][channel..]);
                        sums[kind] = sums[kind].add_product(value.relu(), factors);
                    }
                    channel += L::WIDTH;
                }
                result[point] = sums[0].sum() + it.moves_bias[0];
                result[points + 1 + point] = sums[1].sum() + it.moves_bias[1];
            }
        }
    }
}

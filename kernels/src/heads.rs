//! What is read off the end of the trunk.

use crate::lane::Lane;
use crate::linear::Linear;
use crate::pool::{Points, pool};
use crate::processor::{Processor, Task};

/// Channels that the heads read the trunk with: as many for the policy's points as for pooling.
pub const HEAD_CHANNELS: usize = 32;

/// Width of the hidden layer before the result and the pass.
pub const HIDDEN: usize = 64;

/// Outputs beside the logits of moves: win, draw and loss, and the margin.
pub const RESULTS: usize = 4;

/// All heads of a network. Matrices are `[outputs, inputs]`.
#[derive(Debug, Clone)]
pub struct Heads {
    /// From the trunk to the policy's features, and after them to those that are pooled, `2 · HEAD_CHANNELS`.
    pub features: Linear,
    /// From pooled features, `3 · HEAD_CHANNELS`, to what is added to the policy's, and after it to the hidden layer,
    /// `HEAD_CHANNELS + HIDDEN`.
    pub context: Linear,
    /// From the policy's features to the logits of a place and of a starred place.
    pub moves: [[f32; HEAD_CHANNELS]; 2],
    /// Their biases.
    pub moves_bias: [f32; 2],
    /// From the hidden layer to the pass, then win, draw, loss and margin.
    pub last: Linear,
}

/// What heads compute with on their way.
#[derive(Debug, Default)]
pub struct HeadsScratch {
    features: Vec<f32>,
    pooled: Vec<f32>,
    context: Vec<f32>,
    hidden: Vec<f32>,
    last: Vec<f32>,
}

impl Heads {
    /// From the trunk of boards, `[batch, points, channels]`: for each the logits of all places, of the pass and of all starred
    /// places, then [`RESULTS`]. `scale` is what means are multiplied with for the second part of pooled features.
    ///
    /// # Panics
    /// The lengths do not fit together.
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
            // Keeps what is not a number.
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

/// Logits of places and of starred places; the pass stands between them.
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

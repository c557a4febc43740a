//! Pooling over whole boards.

use crate::lane::{Lane, lanes};
use crate::processor::{Processor, Task};

/// The points of boards as rows of numbers: `[batch, points, length]`.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    /// All numbers.
    pub numbers: &'a [f32],
    /// Points per board.
    pub points: usize,
    /// Numbers per point.
    pub length: usize,
}

impl<'a> Points<'a> {
    pub(crate) fn boards(self) -> std::slice::ChunksExact<'a, f32> {
        let boards = self.numbers.chunks_exact(self.points * self.length);
        assert!(boards.remainder().is_empty(), "whole boards");
        boards
    }
}

/// KataGo's pooling of some channels of each point, after a ReLU. For each board it gives the
/// means, the means times `scale`, and the maxima: `[batch, 3 · channels]`.
///
/// # Panics
/// The lengths do not match.
pub fn pool(
    processor: Processor,
    x: Points<'_>,
    channels: std::ops::Range<usize>,
    scale: f32,
    result: &mut [f32],
) {
    assert!(channels.end <= x.length, "channels of a point");
    assert_eq!(result.len(), x.boards().len() * 3 * channels.len(), "results");
    processor.run(Pool { x, channels, scale, result });
}

struct Pool<'a> {
    x: Points<'a>,
    channels: std::ops::Range<usize>,
    scale: f32,
    result: &'a mut [f32],
}

impl Task for Pool<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Pool { x, channels, scale, result } = self;
        let share = 1.0 / x.points as f32;
        let count = channels.len();
        for (board, result) in x.boards().zip(result.chunks_exact_mut(3 * count)) {
            let (mean, rest) = result.split_at_mut(count);
            let (scaled, largest) = rest.split_at_mut(count);
            for channel in lanes(count, L::WIDTH) {
                let (mut sum, mut most) = (L::splat(0.0), L::splat(0.0));
                for point in board.chunks_exact(x.length) {
                    let value =
                        L::load_partial(&point[channels.start..channels.end][channel..]).relu();
                    sum = sum + value;
                    most = most.max(value);
                }
                let average = L::splat(0.0).add_scaled(share, sum);
                average.store_partial(&mut mean[channel..]);
                L::splat(0.0).add_scaled(scale, average).store_partial(&mut scaled[channel..]);
                most.store_partial(&mut largest[channel..]);
            }
        }
    }
}

//! Gradients of convolutions. The gradient of the weights is a sum over tiles of products of the
//! same transformed inputs with transformed gradients of the results. The gradient of the inputs is
//! a convolution with the flipped kernel.

use crate::convolution::{
    Boards, GROUP, Scratch, Tile, Tiling, grow_to, stride, transform_square, uses_bf16_pairs,
    with_filter,
};
use crate::lane::{Lane, WIDEST, lanes};
use crate::processor::{Processor, Task};
use crate::views::{Rows, RowsMut};
use crate::winograd::{Filter, Five, Four, Six, Three};

/// Given the weights `[outputs, inputs, 3, 3]` of a convolution, returns the weights `[inputs,
/// outputs, 3, 3]` of the convolution that maps the gradients of its results to those of its
/// inputs.
///
/// # Panics
/// The number of weights does not match.
pub fn input_gradient_weights(weights: &[f32], outputs: usize, inputs: usize) -> Vec<f32> {
    assert_eq!(weights.len(), outputs * inputs * 9, "weights of {outputs} outputs");
    let mut rotated = vec![0.0; weights.len()];
    for (place, kernel) in weights.chunks_exact(9).enumerate() {
        let (output, input) = (place / inputs, place % inputs);
        let result = &mut rotated[(input * outputs + output) * 9..][..9];
        for index in 0..9 {
            result[index] = kernel[8 - index];
        }
    }
    rotated
}

/// The gradient of a convolution's weights, `[outputs, inputs, 3, 3]`, from its inputs `[batch,
/// size, size, inputs]` and the gradients of its results `[batch, size, size, outputs]`.
///
/// # Panics
/// The lengths do not match.
pub fn weight_gradient(
    processor: Processor,
    size: usize,
    (x, inputs): (&[f32], usize),
    (gradients, outputs): (&[f32], usize),
    scratch: &mut Scratch,
    result: &mut [f32],
) {
    let batch = x.len() / (size * size * inputs);
    assert_eq!(x.len(), batch * size * size * inputs, "inputs");
    assert_eq!(gradients.len(), batch * size * size * outputs, "gradients");
    let x = Boards { size, channels: inputs, values: x };
    let gradients = Boards { size, channels: outputs, values: gradients };
    assert_eq!(result.len(), outputs * inputs * 9, "gradients of weights");
    let uses_pairs = uses_bf16_pairs(processor, size);
    let tiling = Tiling::of(size, uses_pairs);
    processor.run(Gradient { batch, tiling, uses_pairs, x, gradients, scratch, result });
}

struct Gradient<'a> {
    batch: usize,
    tiling: Tiling,
    /// Whether products are taken of pairs of tiles in bf16.
    uses_pairs: bool,
    x: Boards<'a>,
    gradients: Boards<'a>,
    scratch: &'a mut Scratch,
    result: &'a mut [f32],
}

impl Task for Gradient<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        with_filter!(self.tiling, gradient::<L>(self));
    }
}

#[inline(always)]
fn gradient<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    it: Gradient<'_>,
) {
    let Gradient { batch, uses_pairs, x, gradients, scratch, result, .. } = it;
    let inputs = x.channels.next_multiple_of(L::WIDTH).next_multiple_of(rows::<L>());
    let outputs = gradients.channels.next_multiple_of(L::WIDTH);
    let Scratch { inputs: group, products, zeros, sums, pairs } = scratch;
    let group = grow_to(group, EDGE * EDGE * stride(inputs));
    let mut group = RowsMut::new(group, EDGE * EDGE, stride(inputs));
    let products = grow_to(products, EDGE * EDGE * stride(outputs));
    let mut products = RowsMut::new(products, EDGE * EDGE, stride(outputs));
    let zeros = &*grow_to(zeros, x.channels.max(gradients.channels));
    let sums = grow_to(sums, EDGE * EDGE * inputs * outputs);
    sums.fill(0.0);
    let mut sums = RowsMut::new(sums, EDGE * EDGE, inputs * outputs);
    let pairs = grow_to(pairs, GROUP / 2 * (inputs + outputs));

    let tiles = batch * x.size.div_ceil(RESULTS).pow(2);
    for first in (0..tiles).step_by(GROUP) {
        let count = GROUP.min(tiles - first);
        for index in 0..count {
            let tile = Tile::new(x.size, RESULTS, first + index);
            x.read::<F, L, false, RESULTS, EDGE>(&tile, zeros, index * inputs, &mut group);
            read::<F, L, RESULTS, EDGE>(&gradients, &tile, zeros, index * outputs, &mut products);
        }
        for product in 0..EDGE * EDGE {
            let x = Rows::new(group.get(product), count, inputs);
            let gradients = Rows::new(products.get(product), count, outputs);
            let sums = RowsMut::new(sums.get(product), inputs, outputs);
            if uses_pairs {
                let (of_x, of_gradients) = pairs.split_at_mut(GROUP / 2 * inputs);
                let half = count.div_ceil(2);
                let x = pair_tiles::<L>(x, (count, inputs), of_x);
                let gradients = pair_tiles::<L>(gradients, (count, outputs), of_gradients);
                add_products::<L::Pairs>(x, gradients, sums, half, (inputs, outputs));
            } else {
                add_products::<L>(x, gradients, sums, count, (inputs, outputs));
            }
        }
    }
    weights_of::<F, L, RESULTS, EDGE>(&mut sums, outputs, (x.channels, gradients.channels), result);
}

/// The numbers of every two tiles as pairs in bf16; an odd last tile is paired with zeros.
#[inline(always)]
fn pair_tiles<'a, L: Lane>(
    tiles: Rows<'_>,
    (count, length): (usize, usize),
    pairs: &'a mut [f32],
) -> Rows<'a> {
    let half = count.div_ceil(2);
    let mut rows = RowsMut::new(pairs, half, length);
    for index in 0..half {
        let row = rows.get(index);
        for place in (0..length).step_by(L::WIDTH) {
            let first = L::load(&tiles.get(2 * index)[place..]);
            let second = match 2 * index + 1 < count {
                true => L::load(&tiles.get(2 * index + 1)[place..]),
                false => L::splat(0.0),
            };
            first.paired(second).store(&mut row[place..]);
        }
    }
    Rows::new(pairs, half, length)
}

/// Writes the gradients of a tile's results, for all channels, into a group.
#[inline(always)]
fn read<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    it: &Boards<'_>,
    tile: &Tile,
    zeros: &[f32],
    place: usize,
    group: &mut RowsMut<'_>,
) {
    let points = it.square::<RESULTS>(tile, 0, zeros);
    for channel in lanes(it.channels, L::WIDTH) {
        transform_square!(
            RESULTS => EDGE, F::transform_gradients,
            from |row, column| L::load_partial(&points.get(row, column)[channel..]),
            to |row, column, sum| sum.store(&mut group.get(row * EDGE + column)[place + channel..])
        );
    }
}

/// Number of rows of weights whose sums stay in registers.
const fn rows<L: Lane>() -> usize {
    if L::ROWS >= 8 { 8 } else { 4 }
}

/// Number of lanes of a row that are computed at once.
const LANES: usize = 2;

/// Adds one product of a group's tiles to the sums `[inputs, outputs]`: inputs `[count, inputs]`
/// times gradients `[count, outputs]`.
#[inline(always)]
fn add_products<L: Lane>(
    x: Rows<'_>,
    gradients: Rows<'_>,
    mut sums: RowsMut<'_>,
    count: usize,
    (inputs, outputs): (usize, usize),
) {
    let mut output = 0;
    while output + LANES * L::WIDTH <= outputs {
        for input in (0..inputs).step_by(rows::<L>()) {
            add_block::<L, LANES>(x, gradients, &mut sums, count, (input, output));
        }
        output += LANES * L::WIDTH;
    }
    if output < outputs {
        for input in (0..inputs).step_by(rows::<L>()) {
            add_block::<L, 1>(x, gradients, &mut sums, count, (input, output));
        }
    }
}

#[inline(always)]
fn add_block<L: Lane, const LANES: usize>(
    x: Rows<'_>,
    gradients: Rows<'_>,
    places: &mut RowsMut<'_>,
    count: usize,
    (input, output): (usize, usize),
) {
    let mut sums = [[L::splat(0.0); LANES]; 8];
    for row in 0..rows::<L>() {
        for lane in 0..LANES {
            sums[row][lane] = L::load(&places.get(input + row)[output + lane * L::WIDTH..]);
        }
    }
    for tile in 0..count {
        let gradients = &gradients.get(tile)[output..][..LANES * L::WIDTH];
        let numbers = &x.get(tile)[input..][..rows::<L>()];
        let mut factors = [L::splat(0.0); LANES];
        for lane in 0..LANES {
            factors[lane] = L::load(&gradients[lane * L::WIDTH..]);
        }
        for row in 0..rows::<L>() {
            let number = L::splat(numbers[row]);
            for lane in 0..LANES {
                sums[row][lane] = sums[row][lane].add_product(number, factors[lane]);
            }
        }
    }
    for row in 0..rows::<L>() {
        for lane in 0..LANES {
            sums[row][lane].store(&mut places.get(input + row)[output + lane * L::WIDTH..]);
        }
    }
}

/// Converts the gradients of the transformed weights back to gradients of the weights.
#[inline(always)]
fn weights_of<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    sums: &mut RowsMut<'_>,
    padded: usize,
    (inputs, outputs): (usize, usize),
    result: &mut [f32],
) {
    for input in 0..inputs {
        for output in (0..outputs).step_by(L::WIDTH) {
            let mut kernels = [[0.0; WIDEST]; 9];
            let place = input * padded + output;
            transform_square!(
                EDGE => 3, F::transform_weights_transposed,
                from |row, column| L::load(&sums.get(row * EDGE + column)[place..]),
                to |row, column, sum| sum.store(&mut kernels[row * 3 + column])
            );
            for lane in 0..L::WIDTH.min(outputs - output) {
                let kernel = &mut result[((output + lane) * inputs + input) * 9..][..9];
                for place in 0..9 {
                    kernel[place] = kernels[place][lane];
                }
            }
        }
    }
}

//! 3×3 convolutions by minimal filtering. A batch goes through three steps (transforming the
//! inputs, multiplying, transforming the products into results), a few tiles at a time.
//!
//! A board is cut into tiles of 3×3 or 4×4 results; boards of 5×5 and 6×6 may be a single tile.
//! Tiles take 25, 36, 49 or 64 products instead of 81, 144, 225 or 324, at the cost of the sums
//! before and after them. The channels of a board are innermost: `[batch, size, size, channels]`.

use crate::lane::{Lane, WIDEST, lanes};
use crate::matrix::Packed;
use crate::processor::{Processor, Task};
use crate::views::{Rows, RowsMut, Scattered};
use crate::winograd::{Filter, Five, Four, Six, Three};

/// Tiles processed at a time, so that intermediate results stay in the cache: a multiple of the
/// number of rows that are multiplied at once.
pub(crate) const GROUP: usize = 24;

/// Whether products on boards of this size use pairs in bf16. On boards up to 5×5, which are one
/// tile in f32, that would be no faster.
pub(crate) fn uses_bf16_pairs(processor: Processor, size: usize) -> bool {
    processor.multiplies_pairs() && size > 5
}

/// The distance between two products in a buffer: a little more than a group's numbers, so that
/// they do not all map to the same few cache lines.
pub(crate) fn stride(padded: usize) -> usize {
    GROUP * padded + 16
}

/// The edge length, in results, of the tiles that a board is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tiling {
    Three,
    Four,
    Five,
    Six,
}

/// Calls a function that is generic over the filter, the lane, and the filter's results and
/// products in one dimension.
macro_rules! with_filter {
    ($tiling:expr, $function:ident::<$lane:ident>($($argument:expr),*)) => {
        match $tiling {
            Tiling::Three => $function::<Three, $lane, 3, 5>($($argument),*),
            Tiling::Four => $function::<Four, $lane, 4, 6>($($argument),*),
            Tiling::Five => $function::<Five, $lane, 5, 7>($($argument),*),
            Tiling::Six => $function::<Six, $lane, 6, 8>($($argument),*),
        }
    };
}

pub(crate) use with_filter;

impl Tiling {
    /// A board that is a single tile takes half as many products. When a board is cut up, larger
    /// tiles save too little to pay for their sums and for weights that no longer fit into the
    /// cache: on 9×9, tiles of 5×5 were slower. The sums for a board that is one tile would also
    /// make the error of bf16 factors ten times as large.
    pub fn of(size: usize, uses_pairs: bool) -> Tiling {
        let products = |results: usize| (size.div_ceil(results) * (results + 2)).pow(2);
        match size {
            5 if !uses_pairs => Tiling::Five,
            6 if !uses_pairs => Tiling::Six,
            _ if products(3) <= products(4) => Tiling::Three,
            _ => Tiling::Four,
        }
    }

    /// Number of products per tile.
    pub fn products(self) -> usize {
        match self {
            Tiling::Three => 25,
            Tiling::Four => 36,
            Tiling::Five => 49,
            Tiling::Six => 64,
        }
    }
}

/// Working memory that one computation can leave to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) inputs: Vec<f32>,
    pub(crate) products: Vec<f32>,
    pub(crate) zeros: Vec<f32>,
    pub(crate) sums: Vec<f32>,
    pub(crate) pairs: Vec<f32>,
}

/// The first `length` numbers of a buffer, which grows if necessary.
pub(crate) fn grow_to(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

/// What is added to the results of a convolution.
#[derive(Debug, Clone, Copy)]
pub enum Addend<'a> {
    /// Nothing.
    Nothing,
    /// An array of the results' shape, `[batch, size, size, outputs]`.
    PerPoint(&'a [f32]),
    /// One row per board, added to all of its points.
    PerBoard {
        /// The rows, `[batch, length]`.
        numbers: &'a [f32],
        /// The length of a row, at least the number of outputs.
        length: usize,
    },
}

/// A convolution for boards of one size.
#[derive(Debug, Clone)]
pub struct Convolution {
    processor: Processor,
    size: usize,
    tiling: Tiling,
    inputs: usize,
    outputs: usize,
    /// One packed matrix for each product of a tile.
    weights: Vec<f32>,
    /// Whether the matrices hold pairs in bf16.
    uses_pairs: bool,
    /// Padded to whole lanes.
    bias: Vec<f32>,
}

impl Convolution {
    /// From weights `[outputs, inputs, 3, 3]` and one bias per output.
    ///
    /// # Panics
    /// There are no channels, or the lengths of weights and biases do not match.
    pub fn new(processor: Processor, size: usize, weights: &[f32], bias: &[f32]) -> Convolution {
        let outputs = bias.len();
        let inputs = weights.len() / (9 * outputs);
        assert_eq!(weights.len(), outputs * inputs * 9, "weights of {outputs} outputs");
        let uses_pairs = uses_bf16_pairs(processor, size) && inputs.is_multiple_of(2);
        let tiling = Tiling::of(size, uses_pairs);
        let padded = outputs.next_multiple_of(processor.width());
        let mut bias = bias.to_vec();
        bias.resize(padded, 0.0);
        let mut packed = vec![0.0; tiling.products() * inputs * padded];
        processor.run(Prepare { tiling, inputs, outputs, weights, packed: &mut packed });
        if uses_pairs {
            let matrices = packed.chunks_exact(inputs * padded);
            let matrices = matrices.map(|values| Packed { inputs, padded, values });
            packed = matrices.flat_map(|it| it.to_pairs(processor.width())).collect();
        }
        Convolution { processor, size, tiling, inputs, outputs, weights: packed, uses_pairs, bias }
    }

    /// Channels of its results.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Computes `result = x · weights + bias + added`, with negative results replaced by 0 if
    /// `relu` is set: from boards `[batch, size, size, inputs]` to boards `[batch, size, size,
    /// outputs]`.
    ///
    /// # Panics
    /// The lengths do not match.
    pub fn apply(
        &self,
        x: &[f32],
        added: Addend<'_>,
        relu: bool,
        result: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let batch = x.len() / (self.size * self.size * self.inputs);
        assert_eq!(x.len(), batch * self.size * self.size * self.inputs, "whole boards");
        assert_eq!(result.len(), batch * self.size * self.size * self.outputs, "results");
        let fits = match added {
            Addend::Nothing => true,
            Addend::PerPoint(numbers) => numbers.len() == result.len(),
            Addend::PerBoard { numbers, length } => {
                length >= self.outputs && numbers.len() == batch * length
            }
        };
        assert!(fits, "what is added");
        self.processor.run(Apply { it: self, batch, x, added, relu, result, scratch });
    }
}

/// Transforms both dimensions of a square: `$transform` turns `$from` lanes into `$to` in one of
/// them. A macro, because the compiler would not use the processor's own instructions in a closure.
macro_rules! transform_square {
    (
        $from:expr => $to:expr, $transform:path,
        from |$row:ident, $column:ident| $x:expr,
        to |$result_row:ident, $result_column:ident, $result:ident| $store:expr
    ) => {{
        let mut half = [[L::splat(0.0); $from]; $to];
        for $column in 0..$from {
            let mut line = [L::splat(0.0); $from];
            for $row in 0..$from {
                line[$row] = $x;
            }
            let line = $transform(line);
            for row in 0..$to {
                half[row][$column] = line[row];
            }
        }
        for $result_row in 0..$to {
            let line = $transform(half[$result_row]);
            for $result_column in 0..$to {
                let $result = line[$result_column];
                $store;
            }
        }
    }};
}

pub(crate) use transform_square;

struct Prepare<'a> {
    tiling: Tiling,
    inputs: usize,
    outputs: usize,
    weights: &'a [f32],
    packed: &'a mut [f32],
}

impl Task for Prepare<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        with_filter!(self.tiling, prepare::<L>(self));
    }
}

#[inline(always)]
fn prepare<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    it: Prepare<'_>,
) {
    let Prepare { inputs, outputs, weights, packed, .. } = it;
    let padded = outputs.next_multiple_of(L::WIDTH);
    for input in 0..inputs {
        for output in (0..outputs).step_by(L::WIDTH) {
            let mut kernels = [[0.0; WIDEST]; 9];
            for lane in 0..L::WIDTH.min(outputs - output) {
                let kernel = &weights[((output + lane) * inputs + input) * 9..][..9];
                for place in 0..9 {
                    kernels[place][lane] = kernel[place];
                }
            }
            let place = Packed::place(L::WIDTH, inputs, padded, input, output);
            transform_square!(
                3 => EDGE, F::transform_weights,
                from |row, column| L::load(&kernels[row * 3 + column]),
                to |row, column, sum| {
                    let product = row * EDGE + column;
                    sum.store(&mut packed[product * inputs * padded + place..])
                }
            );
        }
    }
}

/// The position of a tile in a batch.
pub(crate) struct Tile {
    pub board: usize,
    pub row: usize,
    pub column: usize,
}

impl Tile {
    #[inline(always)]
    pub fn new(size: usize, results: usize, index: usize) -> Tile {
        let side = size.div_ceil(results);
        Tile {
            board: index / (side * side),
            row: index / side % side * results,
            column: index % side * results,
        }
    }
}

/// A batch of boards, `[batch, size, size, channels]`.
#[derive(Clone, Copy)]
pub(crate) struct Boards<'a> {
    pub size: usize,
    pub channels: usize,
    pub values: &'a [f32],
}

impl<'a> Boards<'a> {
    /// All channels of a point.
    #[inline(always)]
    pub fn point(&self, board: usize, row: usize, column: usize) -> &'a [f32] {
        let point = (board * self.size + row) * self.size + column;
        &self.values[point * self.channels..][..self.channels]
    }

    /// The points of a square that begins `before` points before a tile's corner; `zeros` stands in
    /// for points off the board.
    #[inline(always)]
    pub fn square<const EDGE: usize>(
        &self,
        tile: &Tile,
        before: usize,
        zeros: &'a [f32],
    ) -> Scattered<'a, EDGE> {
        let mut points = [[zeros; EDGE]; EDGE];
        let on_board = before..before + self.size;
        for row in 0..EDGE {
            for column in 0..EDGE {
                let (below, beside) = (tile.row + row, tile.column + column);
                if on_board.contains(&below) && on_board.contains(&beside) {
                    points[row][column] = self.point(tile.board, below - before, beside - before);
                }
            }
        }
        Scattered::new(points, self.channels)
    }

    /// Writes the transformed inputs of a tile, for all channels, into a group, where the tile's
    /// numbers begin at `place`, optionally in pairs; `zeros` stands in for points off the board.
    #[inline(always)]
    pub fn read<
        F: Filter<RESULTS, EDGE>,
        L: Lane,
        const USES_PAIRS: bool,
        const RESULTS: usize,
        const EDGE: usize,
    >(
        &self,
        tile: &Tile,
        zeros: &'a [f32],
        place: usize,
        group: &mut RowsMut<'_>,
    ) {
        let points = self.square::<EDGE>(tile, 1, zeros);
        if self.channels < L::WIDTH {
            transform_square!(
                EDGE => EDGE, F::transform_inputs,
                from |row, column| L::load_partial(points.get(row, column)),
                to |row, column, sum| {
                    let group = &mut group.get(row * EDGE + column)[place..];
                    if USES_PAIRS { sum.store_pairs(group) } else { sum.store(group) }
                }
            );
            return;
        }
        for channel in lanes(self.channels, L::WIDTH) {
            transform_square!(
                EDGE => EDGE, F::transform_inputs,
                from |row, column| L::load(&points.get(row, column)[channel..]),
                to |row, column, sum| {
                    let group = &mut group.get(row * EDGE + column)[place..];
                    if USES_PAIRS {
                        sum.store_pairs(&mut group[channel / 2..])
                    } else {
                        sum.store(&mut group[channel..])
                    }
                }
            );
        }
    }
}

struct Apply<'a> {
    it: &'a Convolution,
    batch: usize,
    x: &'a [f32],
    added: Addend<'a>,
    relu: bool,
    result: &'a mut [f32],
    scratch: &'a mut Scratch,
}

impl Task for Apply<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        with_filter!(self.it.tiling, apply::<L>(self));
    }
}

#[inline(always)]
fn apply<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    task: Apply<'_>,
) {
    let Apply { it, batch, x, added, relu, result, scratch } = task;
    let Convolution { size, inputs, outputs, .. } = *it;
    let boards = Boards { size, channels: inputs, values: x };
    let (padded_inputs, padded) =
        (inputs.next_multiple_of(L::WIDTH), outputs.next_multiple_of(L::WIDTH));
    let group = grow_to(&mut scratch.inputs, EDGE * EDGE * stride(padded_inputs));
    let mut group = RowsMut::new(group, EDGE * EDGE, stride(padded_inputs));
    let products = grow_to(&mut scratch.products, EDGE * EDGE * stride(padded));
    let mut products = RowsMut::new(products, EDGE * EDGE, stride(padded));
    let zeros = &*grow_to(&mut scratch.zeros, inputs);
    // How many numbers of a row are multiplied, and the row's full length.
    let (factors, length) = match it.uses_pairs {
        true => (inputs / 2, padded_inputs / 2),
        false => (inputs, padded_inputs),
    };

    let tiles = batch * size.div_ceil(RESULTS).pow(2);
    for first in (0..tiles).step_by(GROUP) {
        let count = GROUP.min(tiles - first);
        for index in 0..count {
            let tile = Tile::new(size, RESULTS, first + index);
            let place = index * length;
            if it.uses_pairs {
                boards.read::<F, L, true, RESULTS, EDGE>(&tile, zeros, place, &mut group);
            } else {
                boards.read::<F, L, false, RESULTS, EDGE>(&tile, zeros, place, &mut group);
            }
        }
        let matrices = it.weights.chunks_exact(factors * padded);
        for (product, values) in (0..EDGE * EDGE).zip(matrices) {
            let count = count.next_multiple_of(L::ROWS);
            let rows = &*group.get(product);
            let result = products.get(product);
            let matrix = Packed { inputs: factors, padded, values };
            if it.uses_pairs {
                matrix.multiply::<L::Pairs>(rows, (count, length), None, result);
            } else {
                matrix.multiply::<L>(rows, (count, length), None, result);
            }
        }
        let products = Rows::new(products.all(), EDGE * EDGE, stride(padded));
        for index in 0..count {
            let tile = Tile::new(size, RESULTS, first + index);
            let place = index * padded;
            write::<F, L, RESULTS, EDGE>(it, &tile, products, place, added, relu, result);
        }
    }
}

/// Transforms a tile's products into results for all channels, and adds bias, addend and ReLU.
#[inline(always)]
fn write<F: Filter<RESULTS, EDGE>, L: Lane, const RESULTS: usize, const EDGE: usize>(
    it: &Convolution,
    tile: &Tile,
    products: Rows<'_>,
    place: usize,
    added: Addend<'_>,
    relu: bool,
    result: &mut [f32],
) {
    let Convolution { size, outputs, .. } = *it;
    let columns = RESULTS.min(size - tile.column);
    for channel in lanes(outputs, L::WIDTH) {
        let mut bias = L::load(&it.bias[channel..]);
        if let Addend::PerBoard { numbers, length } = added {
            bias = bias + L::load_partial(&numbers[tile.board * length..][..outputs][channel..]);
        }
        transform_square!(
            EDGE => RESULTS, F::transform_products,
            from |row, column| L::load(&products.get(row * EDGE + column)[place + channel..]),
            to |row, column, sum| if tile.row + row < size && column < columns {
                let first = (tile.board * size + tile.row + row) * size + tile.column;
                let mut sum = sum + bias;
                if let Addend::PerPoint(added) = added {
                    let added = Rows::new(&added[first * outputs..], columns, outputs);
                    sum = sum + L::load_partial(&added.get(column)[channel..]);
                }
                if relu {
                    sum = sum.relu();
                }
                let mut result = RowsMut::new(&mut result[first * outputs..], columns, outputs);
                sum.store_partial(&mut result.get(column)[channel..]);
            }
        );
    }
}

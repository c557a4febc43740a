//! Matrix products.

use crate::lane::{Lane, pair};
use crate::views::{Rows, RowsMut};

/// Lanes of a row that are computed at once.
const LANES: usize = 2;

/// The largest [`Lane::ROWS`] of any lane.
const MAX_ROWS: usize = 12;

/// A matrix with a row for each input, packed for products: the outputs, padded to whole lanes, are
/// split into blocks of two lanes (the last one may have one lane), and each block contains a row
/// for every input.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a> {
    pub inputs: usize,
    pub padded: usize,
    pub values: &'a [f32],
}

impl Packed<'_> {
    /// The index of the weight for an input and an output, given the lane width; the weights of one
    /// lane are contiguous.
    #[inline(always)]
    pub fn place(width: usize, inputs: usize, padded: usize, input: usize, output: usize) -> usize {
        let wide = LANES * width;
        let first = output / wide * wide;
        first * inputs + input * wide.min(padded - first) + (output - first)
    }

    /// The same matrix, which must have an even number of inputs, with pairs of them in bf16: for
    /// [`Lane::Pairs`] of a lane of this width it has half as many inputs.
    pub fn to_pairs(self, width: usize) -> Vec<f32> {
        let Packed { inputs, padded, values } = self;
        let mut packed = Vec::with_capacity(inputs / 2 * padded);
        for first in (0..padded).step_by(LANES * width) {
            let wide = (LANES * width).min(padded - first);
            for rows in values[first * inputs..][..wide * inputs].chunks_exact(2 * wide) {
                let (one, other) = rows.split_at(wide);
                packed.extend(one.iter().zip(other).map(|(&one, &other)| pair(one, other)));
            }
        }
        packed
    }

    /// Computes `start + rows · self`, from rows of at least `inputs` numbers to rows of `padded`
    /// numbers.
    #[inline(always)]
    pub fn multiply<L: Lane>(
        self,
        rows: &[f32],
        (count, length): (usize, usize),
        start: Option<&[f32]>,
        result: &mut [f32],
    ) {
        let mut output = 0;
        while output + LANES * L::WIDTH <= self.padded {
            self.columns::<L, LANES>(output, rows, (count, length), start, result);
            output += LANES * L::WIDTH;
        }
        if output < self.padded {
            self.columns::<L, 1>(output, rows, (count, length), start, result);
        }
    }

    /// Computes the columns of the block that begins with this output.
    #[inline(always)]
    fn columns<L: Lane, const LANES: usize>(
        self,
        output: usize,
        rows: &[f32],
        (count, length): (usize, usize),
        start: Option<&[f32]>,
        result: &mut [f32],
    ) {
        let Packed { inputs, padded, values } = self;
        let matrix = &values[output * inputs..][..inputs * LANES * L::WIDTH];
        let mut lanes = [L::splat(0.0); LANES];
        if let Some(start) = start {
            for lane in 0..LANES {
                lanes[lane] = L::load(&start[output + lane * L::WIDTH..]);
            }
        }
        let mut first = 0;
        while first < count {
            let step = if first + L::ROWS <= count { L::ROWS } else { 1 };
            let (rows, result) = (&rows[first * length..], &mut result[first * padded..]);
            if step == L::ROWS {
                let rows = Rows::new(rows, L::ROWS, length);
                let result = RowsMut::new(result, L::ROWS, padded);
                block(matrix, inputs, rows, lanes, L::ROWS, result, output);
            } else {
                let rows = Rows::new(rows, 1, length);
                let result = RowsMut::new(result, 1, padded);
                block(matrix, inputs, rows, lanes, 1, result, output);
            }
            first += step;
        }
    }
}

/// Computes `count` rows of a block. Once inlined, `count` is known to the compiler, so that their
/// sums stay in registers.
#[inline(always)]
fn block<L: Lane, const LANES: usize>(
    matrix: &[f32],
    inputs: usize,
    rows: Rows<'_>,
    start: [L; LANES],
    count: usize,
    mut result: RowsMut<'_>,
    output: usize,
) {
    let mut numbers: [&[f32]; MAX_ROWS] = [&[]; MAX_ROWS];
    for row in 0..count {
        numbers[row] = &rows.get(row)[..inputs];
    }
    let mut sums = [start; MAX_ROWS];
    for (input, factors) in (0..inputs).zip(matrix.chunks_exact(LANES * L::WIDTH)) {
        let mut lanes = [L::splat(0.0); LANES];
        for lane in 0..LANES {
            lanes[lane] = L::load(&factors[lane * L::WIDTH..]);
        }
        for row in 0..count {
            let number = L::splat(numbers[row][input]);
            for lane in 0..LANES {
                sums[row][lane] = sums[row][lane].add_product(number, lanes[lane]);
            }
        }
    }
    for row in 0..count {
        for lane in 0..LANES {
            sums[row][lane].store(&mut result.get(row)[output + lane * L::WIDTH..]);
        }
    }
}

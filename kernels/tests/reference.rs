//! Everything against the plain sums that it stands for, on boards of all sizes, with channels that fill lanes and
//! such that do not, and with every kind of instructions that this machine has.

use kernels::{
    Addend, Convolution, HEAD_CHANNELS, HIDDEN, Heads, HeadsScratch, Linear, Points, Processor,
    RESULTS, Scratch, input_gradient_weights, pool, unpack, weight_gradient,
};

/// Numbers between −1 and 1 that look random.
struct Numbers(u64);

impl Numbers {
    fn one(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn many(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.one()).collect()
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.one() + 1.0) / 2.0 * end as f32) as usize % end
    }
}

/// Batch, size, inputs and outputs.
type Shape = [usize; 4];

/// Sizes whose tiles fill the board and such that do not, channels that fill lanes and such that do not, more tiles than
/// are taken at once.
fn shapes(numbers: &mut Numbers) -> Vec<Shape> {
    let mut shapes = vec![
        [1, 1, 1, 1],
        [2, 2, 3, 5],
        [30, 5, 16, 48],
        [26, 6, 24, 20],
        [8, 7, 32, 32],
        [5, 9, 31, 64],
        [2, 13, 12, 40],
    ];
    shapes.extend((2..=19).map(|size| {
        let batch = 1 + numbers.below(1 + 150 / (size * size));
        [batch, size, 1 + numbers.below(100), 1 + numbers.below(100)]
    }));
    shapes
}

/// The operands of a convolution.
struct Operands {
    shape: Shape,
    x: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
    added: Vec<f32>,
}

impl Operands {
    fn new(shape: Shape, numbers: &mut Numbers) -> Operands {
        let [batch, size, inputs, outputs] = shape;
        let boards = batch * size * size;
        let weights = numbers.many(outputs * inputs * 9);
        let share = 1.0 / (9.0 * inputs as f32).sqrt();
        Operands {
            shape,
            x: numbers.many(boards * inputs),
            weights: weights.into_iter().map(|weight| weight * share).collect(),
            bias: numbers.many(outputs),
            added: numbers.many(boards * outputs),
        }
    }

    /// Calls with each product of the convolution: a place among the inputs, the weights and the results.
    fn products(&self, mut call: impl FnMut(usize, usize, usize)) {
        let [batch, size, inputs, outputs] = self.shape;
        for result in 0..batch * size * size * outputs {
            let (point, output) = (result / outputs, result % outputs);
            let (board, row, column) = (point / (size * size), point / size % size, point % size);
            for place in 0..9 {
                let (from_row, from_column) = (row + place / 3, column + place % 3);
                let on_board = 1..=size;
                if !on_board.contains(&from_row) || !on_board.contains(&from_column) {
                    continue;
                }
                let from = (board * size + from_row - 1) * size + from_column - 1;
                for input in 0..inputs {
                    call(from * inputs + input, (output * inputs + input) * 9 + place, result);
                }
            }
        }
    }

    fn convolved(&self) -> Vec<f64> {
        let mut sums: Vec<f64> =
            (0..self.added.len()).map(|at| f64::from(self.bias[at % self.bias.len()])).collect();
        self.products(|x, weight, result| {
            sums[result] += f64::from(self.x[x]) * f64::from(self.weights[weight]);
        });
        sums
    }
}

/// The largest difference, relative to the largest number; NaN where a result is none or is missing.
fn difference(expected: &[f64], found: &[f32]) -> f64 {
    assert_eq!(expected.len(), found.len());
    let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let differences = expected.iter().zip(found).map(|(a, &b)| (a - f64::from(b)).abs());
    differences.max_by(f64::total_cmp).unwrap_or_default() / largest.max(f64::MIN_POSITIVE)
}

fn rectified(sums: Vec<f64>) -> Vec<f64> {
    sums.into_iter().map(|sum| sum.max(0.0)).collect()
}

#[test]
fn convolutions_are_sums_of_products() {
    let mut numbers = Numbers(1);
    // What is left there from another convolution changes nothing.
    let mut scratch = Scratch::default();
    for shape in shapes(&mut numbers) {
        let it = Operands::new(shape, &mut numbers);
        let [batch, size, _, outputs] = shape;
        let plain = it.convolved();
        let to_points: Vec<f64> =
            plain.iter().zip(&it.added).map(|(sum, &added)| sum + f64::from(added)).collect();
        let rows = &it.added[..batch * outputs];
        let to_boards = plain.iter().enumerate().map(|(place, sum)| {
            let board = place / (size * size * outputs);
            sum + f64::from(rows[board * outputs + place % outputs])
        });
        let to_boards: Vec<f64> = to_boards.collect();
        for processor in Processor::available() {
            let convolution = Convolution::new(processor, size, &it.weights, &it.bias);
            let mut found = vec![f32::NAN; it.added.len()];
            let mut check = |added, relu, expected: &[f64]| {
                convolution.apply(&it.x, added, relu, &mut found, &mut scratch);
                let error = difference(expected, &found);
                assert!(error < 2e-5, "{shape:?} with {processor}: {error:e}");
            };
            check(Addend::Nothing, false, &plain);
            check(Addend::PerPoint(&it.added), true, &rectified(to_points.clone()));
            let added = Addend::PerBoard { numbers: rows, length: outputs };
            check(added, true, &rectified(to_boards.clone()));
        }
    }
}

#[test]
fn convolutions_in_bf16_are_near() {
    let Some(processor) = Processor::in_bf16() else { return };
    let mut numbers = Numbers(7);
    let mut shapes = shapes(&mut numbers);
    shapes.extend([[4, 6, 32, 48], [5, 7, 12, 20], [3, 8, 96, 96], [6, 9, 64, 64]]);
    for shape in shapes {
        let it = Operands::new(shape, &mut numbers);
        let expected = it.convolved();
        let [_, size, inputs, _] = shape;
        let convolution = Convolution::new(processor, size, &it.weights, &it.bias);
        let mut found = vec![f32::NAN; it.added.len()];
        convolution.apply(&it.x, Addend::Nothing, false, &mut found, &mut Scratch::default());
        let error = difference(&expected, &found);
        let squares = expected.iter().zip(&found).map(|(a, &b)| (a - f64::from(b)).powi(2));
        let usual = (squares.sum::<f64>() / expected.iter().map(|x| x * x).sum::<f64>()).sqrt();
        assert!(error < 6e-2 && usual < 2e-2, "{shape:?}: {error:e}, usually {usual:e}");
        let is_rounded = size > 5 && inputs % 2 == 0;
        assert_eq!(error > 2e-5, is_rounded, "{shape:?}: {error:e}");
    }
}

#[test]
fn gradients_are_sums_of_products() {
    let mut numbers = Numbers(2);
    let mut scratch = Scratch::default();
    for shape in shapes(&mut numbers) {
        let it = Operands::new(shape, &mut numbers);
        let [_, size, inputs, outputs] = shape;
        let gradients = &it.added;
        let mut of_weights = vec![0.0; it.weights.len()];
        let mut of_inputs = vec![0.0; it.x.len()];
        it.products(|x, weight, result| {
            let gradient = f64::from(gradients[result]);
            of_weights[weight] += f64::from(it.x[x]) * gradient;
            of_inputs[x] += f64::from(it.weights[weight]) * gradient;
        });
        for processor in Processor::available().into_iter().chain(Processor::in_bf16()) {
            let most = if Some(processor) == Processor::in_bf16() { 0.1 } else { 2e-5 };
            let mut found = vec![f32::NAN; it.weights.len()];
            let (x, gradients) = ((&it.x[..], inputs), (&gradients[..], outputs));
            weight_gradient(processor, size, x, gradients, &mut scratch, &mut found);
            let error = difference(&of_weights, &found);
            assert!(error < most, "weights of {shape:?} with {processor}: {error:e}");

            let rotated = input_gradient_weights(&it.weights, outputs, inputs);
            let back = Convolution::new(processor, size, &rotated, &vec![0.0; inputs]);
            let mut found = vec![f32::NAN; it.x.len()];
            back.apply(gradients.0, Addend::Nothing, false, &mut found, &mut scratch);
            let error = difference(&of_inputs, &found);
            assert!(error < most, "inputs of {shape:?} with {processor}: {error:e}");
        }
    }
}

/// `x · weights + bias`.
fn product(x: &[f64], weights: &[f32], bias: &[f32]) -> Vec<f64> {
    let inputs = weights.len() / bias.len();
    let rows = x.chunks_exact(inputs).flat_map(|x| {
        weights.chunks_exact(inputs).zip(bias).map(|(weights, &bias)| {
            f64::from(bias) + x.iter().zip(weights).map(|(x, &w)| x * f64::from(w)).sum::<f64>()
        })
    });
    rows.collect()
}

fn exact(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn linear_layers_are_products() {
    let mut numbers = Numbers(3);
    for [count, _, inputs, outputs] in shapes(&mut numbers) {
        let (x, weights) = (numbers.many(count * inputs), numbers.many(outputs * inputs));
        let bias = numbers.many(outputs);
        let expected = product(&exact(&x), &weights, &bias);
        for processor in Processor::available() {
            let layer = Linear::new(processor, &weights, &bias);
            let mut found = vec![f32::NAN; count * layer.padded()];
            layer.apply(&x, &mut found);
            let rows = found.chunks_exact(layer.padded());
            let found: Vec<f32> = rows.flat_map(|row| row[..outputs].to_vec()).collect();
            let error = difference(&expected, &found);
            assert!(error < 1e-5, "{count} × {inputs} × {outputs} with {processor}: {error:e}");
        }
    }
}

/// Pooling of some channels of one board's points.
fn pooled(board: &[f64], length: usize, from: usize, channels: usize, scale: f64) -> Vec<f64> {
    let values =
        |channel: usize| board.chunks_exact(length).map(move |x| x[from + channel].max(0.0));
    let means: Vec<f64> =
        (0..channels).map(|c| values(c).sum::<f64>() / (board.len() / length) as f64).collect();
    let scaled = means.iter().map(|mean| mean * scale).collect();
    let largest = (0..channels).map(|c| values(c).fold(0.0, f64::max)).collect();
    [means, scaled, largest].concat()
}

#[test]
fn pooling_knows_means_and_maxima() {
    let mut numbers = Numbers(4);
    for [batch, size, from, channels] in shapes(&mut numbers) {
        let (points, length) = (size * size, from + channels + 2);
        let x = numbers.many(batch * points * length);
        let boards = exact(&x);
        let boards = boards.chunks_exact(points * length);
        let expected: Vec<f64> =
            boards.flat_map(|board| pooled(board, length, from, channels, -0.2)).collect();
        for processor in Processor::available() {
            let mut found = vec![f32::NAN; batch * 3 * channels];
            let x = Points { numbers: &x, points, length };
            pool(processor, x, from..from + channels, -0.2, &mut found);
            let error = difference(&expected, &found);
            assert!(error < 1e-5, "{size}, {channels} channels with {processor}: {error:e}");
        }
    }
}

#[test]
fn heads_read_the_trunk() {
    const CONTEXT: usize = HEAD_CHANNELS + HIDDEN;
    let mut numbers = Numbers(5);
    for [batch, size, channels, _] in shapes(&mut numbers) {
        let points = size * size;
        let x = numbers.many(batch * points * channels);
        let mut layer =
            |inputs: usize, outputs: usize| (numbers.many(inputs * outputs), numbers.many(outputs));
        let (features, context) =
            (layer(channels, 2 * HEAD_CHANNELS), layer(3 * HEAD_CHANNELS, CONTEXT));
        let (moves, last) = (layer(HEAD_CHANNELS, 2), layer(HIDDEN, 1 + RESULTS));

        let mut expected = Vec::new();
        for board in exact(&x).chunks_exact(points * channels) {
            let read = product(board, &features.0, &features.1);
            let pooled = pooled(&read, 2 * HEAD_CHANNELS, HEAD_CHANNELS, HEAD_CHANNELS, 0.3);
            let context = product(&pooled, &context.0, &context.1);
            let policy = read.chunks_exact(2 * HEAD_CHANNELS).flat_map(|point| {
                point.iter().zip(&context[..HEAD_CHANNELS]).map(|(x, added)| (x + added).max(0.0))
            });
            let moves = product(&policy.collect::<Vec<_>>(), &moves.0, &moves.1);
            let last = product(&rectified(context[HEAD_CHANNELS..].to_vec()), &last.0, &last.1);
            expected.extend(moves.chunks_exact(2).map(|point| point[0]));
            expected.push(last[0]);
            expected.extend(moves.chunks_exact(2).map(|point| point[1]));
            expected.extend(&last[1..]);
        }
        for processor in Processor::available() {
            let linear =
                |(weights, bias): &(Vec<f32>, Vec<f32>)| Linear::new(processor, weights, bias);
            let mut factors = [[0.0; HEAD_CHANNELS]; 2];
            factors.as_flattened_mut().copy_from_slice(&moves.0);
            let heads = Heads {
                features: linear(&features),
                context: linear(&context),
                moves: factors,
                moves_bias: [moves.1[0], moves.1[1]],
                last: linear(&last),
            };
            let mut found = vec![f32::NAN; expected.len()];
            let trunk = Points { numbers: &x, points, length: channels };
            heads.apply(processor, trunk, 0.3, &mut HeadsScratch::default(), &mut found);
            let error = difference(&expected, &found);
            assert!(error < 1e-5, "{size}, {channels} channels with {processor}: {error:e}");
        }
    }
}

#[test]
fn bits_become_numbers() {
    let mut numbers = Numbers(6);
    for [batch, _, planes, words] in [[1, 0, 1, 1], [3, 0, 31, 2], [2, 0, 20, 12]] {
        let bytes = 4 * words;
        let mut some =
            |count: usize| (0..count).map(|_| numbers.below(256) as u8).collect::<Vec<_>>();
        let (bits, on_board) = (some(batch * planes * bytes), some(bytes));
        let is_set = |bytes: &[u8], bit: usize| bytes[bit / 8] >> (bit % 8) & 1 == 1;
        let mut expected = Vec::new();
        for board in bits.chunks_exact(planes * bytes) {
            for bit in (0..8 * bytes).filter(|&bit| is_set(&on_board, bit)) {
                let planes = board.chunks_exact(bytes);
                expected.extend(planes.map(|plane| f32::from(u8::from(is_set(plane, bit)))));
            }
        }
        for processor in Processor::available() {
            let mut found = vec![f32::NAN; expected.len()];
            unpack(processor, &bits, planes, &on_board, &mut found);
            assert_eq!(found, expected, "{planes} planes with {processor}");
        }
    }
}

#[test]
fn what_is_not_a_number_stays_so() {
    for processor in Processor::available().into_iter().chain(Processor::in_bf16()) {
        let broken = vec![f32::NAN; 36 * 8];
        let convolution = Convolution::new(processor, 6, &[0.0; 8 * 8 * 9], &[0.0; 8]);
        let mut found = vec![0.0; broken.len()];
        let added = Addend::PerPoint(&broken);
        convolution.apply(&broken, added, true, &mut found, &mut Scratch::default());
        assert!(found.iter().all(|x| x.is_nan()), "{processor}");

        let mut found = vec![0.0; 3 * 8];
        pool(processor, Points { numbers: &broken, points: 36, length: 8 }, 0..8, 1.0, &mut found);
        assert!(found.iter().any(|x| x.is_nan()), "{processor}");
    }
}

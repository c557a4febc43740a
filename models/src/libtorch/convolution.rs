//! Trainable 3×3 convolutions in f32 on a CPU: libtorch does the bookkeeping of gradients
//! (`convolution.cpp`), `kernels` computes.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::slice;

use kernels::{Addend, Convolution, Processor, Scratch, input_gradient_weights, weight_gradient};
use tch::Tensor;
use torch_sys::C_tensor;

use crate::libtorch::shim;

// SAFETY: the signature is that of `convolution.cpp`, which this package's build script compiles. A
// `C_tensor` is an `at::Tensor`.
unsafe extern "C" {
    fn hotstone_convolution(
        x: *const C_tensor,
        weights: *const C_tensor,
        bias: *const C_tensor,
        functions: *const Functions,
    ) -> *mut C_tensor;
}

/// `x` is `[batch, inputs, size, size]`, the weights `[outputs, inputs, 3, 3]`, the bias
/// `[outputs]`. If `rounds` is set, the factors of the products of the convolution and of its
/// gradients are rounded to bf16 wherever that is faster.
///
/// # Panics
/// If libtorch refuses, like all of [`tch`]'s plain operations.
pub fn convolution(x: &Tensor, weights: &Tensor, bias: &Tensor, rounds: bool) -> Tensor {
    static EXACT: Functions = Functions::new::<false>();
    static ROUNDED: Functions = Functions::new::<true>();
    let functions = if rounds { &ROUNDED } else { &EXACT };
    // SAFETY: the operands live until it returns, the functions always; it keeps what it needs of
    // the operands by itself.
    let result =
        unsafe { hotstone_convolution(x.as_ptr(), weights.as_ptr(), bias.as_ptr(), functions) };
    shim::into_tensor(result)
}

/// The functions that C++ calls back.
#[repr(C)]
struct Functions {
    forward: unsafe extern "C" fn(&Operands, *mut f32),
    input_gradient: unsafe extern "C" fn(&Operands, *mut f32),
    weight_gradients: unsafe extern "C" fn(&Operands, *mut f32),
}

impl Functions {
    const fn new<const ROUNDS: bool>() -> Functions {
        Functions {
            forward: forward::<ROUNDS>,
            input_gradient: input_gradient::<ROUNDS>,
            weight_gradients: weight_gradients::<ROUNDS>,
        }
    }
}

/// The processor that computes convolutions.
fn processor(rounds: bool) -> Processor {
    Processor::in_bf16().filter(|_| rounds).unwrap_or_else(Processor::fastest)
}

/// The operands of a convolution: `x` is `[batch, size, size, inputs]`, gradients are `[batch,
/// size, size, outputs]`, weights `[outputs, inputs, 3, 3]`, the bias `[outputs]`. Those that a
/// function does not use are null.
#[repr(C)]
struct Operands {
    batch: usize,
    size: usize,
    inputs: usize,
    outputs: usize,
    x: *const f32,
    gradients: *const f32,
    weights: *const f32,
    bias: *const f32,
}

impl Operands {
    fn points(&self) -> usize {
        self.batch * self.size * self.size
    }

    fn kernels(&self) -> usize {
        self.outputs * self.inputs * 9
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

// SAFETY, for the three functions below: C++ passes tensors of the shapes that it writes down in
// `Operands`, and they live until the function returns.

/// The results, `[batch, size, size, outputs]`.
unsafe extern "C" fn forward<const ROUNDS: bool>(it: &Operands, result: *mut f32) {
    let (x, weights, bias, result) = unsafe {
        (
            slice::from_raw_parts(it.x, it.points() * it.inputs),
            slice::from_raw_parts(it.weights, it.kernels()),
            slice::from_raw_parts(it.bias, it.outputs),
            slice::from_raw_parts_mut(result, it.points() * it.outputs),
        )
    };
    let convolution = Convolution::new(processor(ROUNDS), it.size, weights, bias);
    SCRATCH.with_borrow_mut(|scratch| {
        convolution.apply(x, Addend::Nothing, false, result, scratch);
    });
}

/// The gradients of `x`.
unsafe extern "C" fn input_gradient<const ROUNDS: bool>(it: &Operands, result: *mut f32) {
    let (gradients, weights, result) = unsafe {
        (
            slice::from_raw_parts(it.gradients, it.points() * it.outputs),
            slice::from_raw_parts(it.weights, it.kernels()),
            slice::from_raw_parts_mut(result, it.points() * it.inputs),
        )
    };
    let weights = input_gradient_weights(weights, it.outputs, it.inputs);
    let no_bias = vec![0.0; it.inputs];
    let back = Convolution::new(processor(ROUNDS), it.size, &weights, &no_bias);
    SCRATCH.with_borrow_mut(|scratch| {
        back.apply(gradients, Addend::Nothing, false, result, scratch);
    });
}

/// The gradients of the weights.
unsafe extern "C" fn weight_gradients<const ROUNDS: bool>(it: &Operands, result: *mut f32) {
    let (x, gradients, result) = unsafe {
        (
            slice::from_raw_parts(it.x, it.points() * it.inputs),
            slice::from_raw_parts(it.gradients, it.points() * it.outputs),
            slice::from_raw_parts_mut(result, it.kernels()),
        )
    };
    let (x, gradients) = ((x, it.inputs), (gradients, it.outputs));
    SCRATCH.with_borrow_mut(|scratch| {
        weight_gradient(processor(ROUNDS), it.size, x, gradients, scratch, result);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Random;
    use tch::Kind;

    /// Normally distributed numbers in double precision. libtorch's own generator is shared by all
    /// threads, so a test's numbers would depend on the tests running beside it.
    fn normal(shape: &[i64], random: &mut Random) -> Tensor {
        let count = shape.iter().product::<i64>() as usize;
        let mut unit = || f64::from(random.uniform());
        let mut number =
            || (-2.0 * (1.0 - unit()).ln()).sqrt() * (2.0 * std::f64::consts::PI * unit()).cos();
        let numbers: Vec<f64> = (0..count).map(|_| number()).collect();
        Tensor::from_slice(&numbers).reshape(shape)
    }

    /// A convolution and the gradients of a function of all its results.
    fn convolved(
        way: impl Fn(&Tensor, &Tensor, &Tensor) -> Tensor,
        operands: &[Tensor; 3],
    ) -> [Tensor; 4] {
        let operands = operands.each_ref().map(|x| x.copy().set_requires_grad(true));
        let [x, weights, bias] = &operands;
        let result = way(x, weights, bias);
        (&result * (&result * 3.0).sin()).sum(Kind::Float).backward();
        [result.detach(), x.grad(), weights.grad(), bias.grad()]
    }

    #[test]
    fn convolutions_and_their_gradients_are_those_of_libtorch() {
        let mut random = Random::new(1);
        // Sizes whose tiles fill the board and sizes whose tiles do not, channels that fill lanes
        // and channels that do not, and more tiles than one group.
        let shapes: [[i64; 4]; 11] = [
            [1, 1, 1, 1],
            [2, 2, 3, 5],
            [1, 3, 16, 8],
            [3, 4, 7, 24],
            [9, 5, 33, 6],
            [30, 5, 16, 48],
            [26, 6, 24, 20],
            [8, 7, 32, 32],
            [5, 9, 48, 12],
            [2, 13, 12, 40],
            [2, 19, 8, 17],
        ];
        for [batch, size, inputs, outputs] in shapes {
            let exact = [
                normal(&[batch, inputs, size, size], &mut random),
                normal(&[outputs, inputs, 3, 3], &mut random) / (inputs as f64 * 9.0).sqrt(),
                normal(&[outputs], &mut random),
            ];
            let expected = convolved(
                |x, weights, bias| x.conv2d(weights, Some(bias), [1, 1], [1, 1], [1, 1], 1),
                &exact,
            );
            let operands = exact.map(|x| x.to_kind(Kind::Float));
            let shape = [batch, size, inputs, outputs];
            let found = convolved(|x, w, bias| convolution(x, w, bias, false), &operands);
            for (part, (expected, found)) in expected.iter().zip(&found).enumerate() {
                let error = (expected - found).abs().max() / expected.abs().max();
                let error = error.double_value(&[]);
                assert!(error < 2e-5, "part {part} of {shape:?}: {error:e}");
            }
            let rounded = convolved(|x, w, bias| convolution(x, w, bias, true), &operands);
            for (part, (expected, found)) in expected.iter().zip(&rounded).enumerate() {
                let error = ((expected - found).norm() / expected.norm()).double_value(&[]);
                // The function of the results makes the errors of gradients several times as large
                // as those of results.
                let most = if part == 0 { 0.02 } else { 0.1 };
                assert!(error < most, "part {part} of {shape:?} in bf16: {error:e}");
            }
        }
    }
}

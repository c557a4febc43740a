//! The network's arithmetic on a CPU: convolutions by minimal filtering with their gradients, and
//! the layers between and after them. All of it is in f32, except the factors of convolutions with
//! [`Processor::in_bf16`].
//!
//! All functions work on slices of numbers, on the calling thread. The channels of boards are
//! innermost, `[batch, size, size, channels]`. A [`Processor`] determines which vector instructions
//! are used; every kind computes the same sums in the same order, so that only rounding differs.

// Where sums have to stay in registers, loops run over indices: the compiler unrolls such loops.
#![allow(clippy::needless_range_loop)]

mod convolution;
mod gradient;
mod heads;
mod lane;
mod linear;
mod matrix;
mod pool;
mod processor;
mod unpack;
mod views;
mod winograd;

pub use convolution::{Addend, Convolution, Scratch};
pub use gradient::{input_gradient_weights, weight_gradient};
pub use heads::{HEAD_CHANNELS, HIDDEN, Heads, HeadsScratch, RESULTS};
pub use linear::Linear;
pub use pool::{Points, pool};
pub use processor::Processor;
pub use unpack::unpack;

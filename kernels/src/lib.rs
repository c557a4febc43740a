//! The arithmetic of the network on a processor, in f32: convolutions by minimal filtering with what they learn from, and
//! what lies between and after them.
//!
//! All of it are functions of numbers in slices, on the thread that calls them. Boards have the channels innermost,
//! `[batch, size, size, channels]`. A [`Processor`] says which vector instructions are used; each kind computes the
//! same sums in the same order, only their rounding differs.

// Where sums have to stay in registers, loops count: the compiler takes such loops apart.
#![allow(clippy::needless_range_loop)]

mod convolution;
mod gradient;
mod heads;
mod lane;
mod linear;
mod matrix;
mod pool;
mod processor;
mod sums;
mod unpack;
mod views;

pub use convolution::{Added, Convolution, Scratch};
pub use gradient::{turned, weight_gradient};
pub use heads::{HEAD_CHANNELS, HIDDEN, Heads, HeadsScratch, RESULTS};
pub use linear::Linear;
pub use pool::{Points, pool};
pub use processor::Processor;
pub use unpack::unpack;

//! The named variants. Nothing outside this folder names one.

mod about;
mod example;
mod named;

pub use about::About;
pub use example::{Example, Scene};
pub use named::Variant;

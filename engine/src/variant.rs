//! The named variants. Nothing outside this folder names a variant.

mod about;
mod example;
mod named;

pub use about::About;
pub use example::{Example, Scene};
pub use named::Variant;

//! Many players on one scale of strength.

mod algebra;
mod bounds;
mod encounters;
mod fit;
mod residuals;
#[cfg(test)]
mod simulated;
mod standings;

pub use encounters::{Encounter, Ladder, PairResult};
pub use residuals::{Cycle, Residual};
pub use standings::{Standing, Standings};

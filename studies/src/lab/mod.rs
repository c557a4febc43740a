//! The laboratory: measures rule sets side by side, by games of several networks against
//! themselves.
//!
//! Games are played in batches, the same number for each network and rule set, and every batch
//! sharpens the results. All games are on disk, so a laboratory can be interrupted and deepened
//! later.

mod budget;
mod calibration;
mod claim;
mod comparisons;
mod difference;
mod examination;
mod fair;
mod folder;
mod games;
mod json;
mod known;
mod laboratory;
mod networks;
mod openings;
mod page;
mod plan;
mod results;
mod sentences;
mod solved;

pub use budget::Budget;
pub use calibration::{Bin, Calibration, Reliability};
pub use claim::{Claim, ClaimError, ClaimVerdict};
pub use difference::Difference;
pub use examination::Examination;
pub use fair::FairPoints;
pub use games::ChosenGame;
pub use laboratory::{Batch, Laboratory};
pub use page::Source;
pub use plan::{LabError, LabPlan};
pub use results::{Results, RuleSetResults};
pub use solved::Solved;
#[cfg(test)]
pub(crate) use {difference::differences, fair::together};

//! A rule set as a choice of parts, and what follows from them.
//!
//! Code outside this crate never names a part: it asks one of the [`questions`], or destructures
//! [`Rules`] without `..`.

mod axes;
mod combined;
mod compensation;
mod consequences;
mod distinctive_parts;
mod field;
pub(crate) mod fields;
mod identity;
mod named;
mod parts;
mod plain_go;
mod questions;
pub(crate) mod restrictions;
mod ruleset;
mod scope;
mod text;

pub use axes::{Ban, Captures, Choice, Ending, Family, Komi, Repetition, Scoring, TileRule};
pub use compensation::Compensation;
pub use distinctive_parts::DistinctivePart;
pub use parts::{Part, PartChoices};
pub use plain_go::KoRule;
pub use questions::HistoryDependence;
pub use ruleset::Rules;
pub use scope::Scope;

//! A game in progress: the single type that plays every rule set, its setup, and its text form.

mod common;
mod pending_effects;
mod play;
mod setup;
mod state;
mod text;

pub(crate) use common::{Common, Placements};
pub use pending_effects::PendingEffect;
pub use setup::SetupError;
pub(crate) use state::FamilyState;
pub use state::Position;
pub use text::PositionError;

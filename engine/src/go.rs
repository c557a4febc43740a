//! The `go` family: capture, suicide, bans, repetition rules, tiles and prisoners.

mod bans;
mod candidates;
mod capture;
mod hot_stone;
mod pass_alive;
mod repetition;
mod state;
mod territory;
mod tiles;
mod turn;

pub(crate) use candidates::Candidates;
pub(crate) use capture::{Effect, effect, playable_for};
pub(crate) use pass_alive::pass_alive;
pub(crate) use repetition::drawing_points;
pub(crate) use state::{GoState, LastTurn};
pub(crate) use territory::{area, territories};

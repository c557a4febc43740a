//! Conquest: regions walled off by stones.

mod choice;
mod quadrants;
mod scoring;
mod settle;
mod state;

pub(crate) use state::ConquestState;

//! Matches, ratings, statistics and reference players.

mod playout;
mod random;
mod sprt;
mod statistics;
mod uct;

pub use playout::playout;
pub use random::Random;
pub use sprt::{Sprt, Verdict};
pub use statistics::{Elo, Pentanomial, elo_of_score, score_of_elo};

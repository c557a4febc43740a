//! Matches, statistics and reference players.
//!
//! A [`Match`] plays two players against each other: every opening twice with colours swapped, all games side by side,
//! so that each evaluator gets one large batch at a time. Players that need no network are here; networks come as
//! [`search::Evaluator`]s from whoever opened them. A match is the same games for the same seed.

mod matches;
mod openings;
mod player;
mod playout;
mod random;
mod record;
mod report;
mod spec;
mod sprt;
mod statistics;
mod uct;

pub use matches::{Match, MatchError, PLAYERS, Progress};
pub use openings::Openings;
pub use player::{Player, PlayerSetup, greedy_move, random_move};
pub use playout::playout;
pub use random::Random;
pub use record::GameRecord;
pub use report::{MatchReport, Score, Tally};
pub use spec::{PLAYER_FORMS, PlayerSpec, PlayerSpecError};
pub use sprt::{Sprt, Verdict};
pub use statistics::{Elo, Pentanomial, elo_of_score, score_of_elo};
pub use uct::{Growth, choose as monte_carlo_move};

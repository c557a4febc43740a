//! Matches, statistics and reference players.
//!
//! A [`Match`] plays two players against each other: every opening twice with colours swapped, and
//! all games in parallel, so that each evaluator gets one large batch at a time. Players without a
//! network are defined here; networks are supplied by the caller as [`search::Evaluator`]s. Equal
//! seeds give equal games.

mod error;
mod estimate;
mod even_openings;
mod external;
mod journal;
pub mod ladder;
mod matches;
mod openings;
mod player;
mod playout;
mod playout_evaluator;
pub mod plot;
mod record;
mod record_folder;
mod record_json;
mod report;
mod rules_override;
mod running_game;
mod self_play;
mod spec;
mod sprt;
mod statistics;
mod table;
mod uct;
mod unit;

pub use error::MatchError;
pub use estimate::{Estimate, student_critical_value};
pub use external::{CommandLineError, DEFAULT_PATIENCE, EngineCommand};
pub use journal::Journal;
pub use matches::Match;
pub use openings::{BoardKey, Openings, position_after, stones_up_to_symmetry};
pub use player::{Player, PlayerSetup, ReferencePlayer, greedy_move, random_move};
pub use playout::playout;
pub use playout_evaluator::{CachedPlayoutEvaluator, PlayoutEvaluator};
pub use record::{MatchGame, PLAYERS};
pub use record_folder::{RecordError, RecordFolder};
pub use report::{MatchReport, PairMoves, Score, Tally};
pub use rules_override::RulesOverride;
pub use self_play::{SelfPlayedGame, SelfPlayer, self_play};
pub use spec::{MAX_SIMULATIONS, PlayerSpec, PlayerSpecError, Strength};
pub use sprt::{Sprt, SprtParseError, Verdict};
pub use statistics::{
    Pentanomial, elo_json, elo_of_score, elo_text, elo_texts, logistic, normal_critical_value,
};
pub use table::{Progress, Table};
pub use unit::UNIT_GAMES;

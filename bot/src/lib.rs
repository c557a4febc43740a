//! One player behind the protocols that people and programs use.
//!
//! A [`game::Game`] is what has been played so far, with unlimited undo. A [`Player`] is a game,
//! the search that finds moves for it, and the rule sets that it can be asked to play
//! ([`SupportedRules`]). The protocols are thin layers over a player: [`gtp::Engine`] for GTP 2,
//! [`terminal::play`] for a person, and the crate `server` for HTTP. [`analysis::Engine`] needs no
//! player: its positions come with each query.
//!
//! Nothing here opens a network: a player takes any [`search::Evaluator`].

pub mod analysis;
mod choice;
mod choosing;
mod clock;
mod consequences;
mod diagram;
mod effect;
mod explain;
mod files;
pub mod gtp;
mod katago_rules;
mod komi;
mod level;
mod lines;
mod ownership;
mod player;
mod report;
mod review;
mod search_runner;
mod seed;
mod settings;
mod supported_rules;
pub mod terminal;
mod words;

pub use choice::{Choice, GenerateError};
pub use clock::{Clock, TimeControl};
pub use consequences::consequences;
pub use diagram::{board, diagram};
pub use effect::Effect;
pub use explain::{explain, list_parts, list_variants};
pub use files::write_file;
pub use katago_rules::{RulesMismatch, go_name};
pub use level::{EvaluatorChoice, Level, Strength, UnknownLevel};
pub use lines::Lines;
pub use ownership::{
    Ownership, PlayoutGames, PlayoutSettings, final_ownership, final_ownership_while,
};
pub use player::Player;
pub use review::{Review, Swing};
pub use search_runner::{AnySearch, Watch};
pub use settings::{Effort, Resignation, Settings};
pub use supported_rules::{SupportedRules, SupportedRulesError, UnknownSize};

//! The JSON interface: what clients can ask about games and what they are told, independent of the
//! transport.
//!
//! A [`Table`] is a game with its players; [`GameView`] is what clients see of it. Requests are
//! parsed into [`NewGame`], [`UploadedGame`], [`NewTurn`], [`AnalysisOptions`] and [`Comparison`];
//! each is answered with one of the views, or with a [`Refusal`]. From these, clients learn what is
//! legal, why something is not, and what things are called: clients do not know the rules.
//!
//! This crate transports no requests, stores no games, runs no threads and reads no clock: the
//! crate `server` does that over HTTP, and `browser` inside a page.

mod analysis;
mod catalogue;
mod description;
mod examples;
mod laboratory;
mod language;
mod playable;
mod position;
mod preview;
mod puzzles;
mod refusal;
mod requests;
mod secret;
mod sides;
mod table;
mod variants;
mod view;

pub use analysis::{
    ANALYSIS_SIMULATIONS, AnalysisOptions, AnalysisView, GraphView, analysis_settings,
    playing_settings, values,
};
pub use catalogue::{Catalogue, DuplicateName, EvaluatorSource, Knowledge, Model};
pub use description::GameDescription;
pub use examples::ExampleView;
pub use laboratory::{
    ComparedBoards, ComparedGames, Comparison, ComparisonView, LARGEST_COMPARISON,
    LargestComparison, PositionFindings,
};
pub use language::{Language, Value, Words, template};
pub use position::{PositionView, StepView};
pub use puzzles::{AnswerView, PuzzleList, PuzzleView, explained};
pub use refusal::{ErrorBody, Refusal};
pub use requests::{NewGame, NewTurn, PlayerChoice, StartedGame, UploadedGame};
pub use secret::{InvalidSecret, Secret};
pub use sides::Sides;
pub use table::{Seat, StoredGame, Table};
pub use variants::{Offer, RulesExamination, Text};
pub use view::{GameView, PlayerView, ViewContext};

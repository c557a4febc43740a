//! The HTTP server: a JSON interface with events, and a page that plays by it.
//!
//! A game is a `Room` with a `Table` in it. Handlers change tables by `Application::change`, which saves, announces,
//! and puts a search into the queue where a program is to move; the searching threads answer by the same way. Everybody
//! who follows a game gets it whole after every change, so nothing has to arrive in order or at all. The page and other
//! clients learn from that view what is legal, why something is not, and what things are called: they know no rules.
//!
//! Everything that a client can make the server do is bounded: see [`Limits`]. No address leads to the file system; the
//! page is part of the program, and games lie in one SQLite file, as SGF.

mod analysis;
mod application;
mod catalogue;
mod extract;
mod games;
mod ledger;
mod listen;
mod page;
mod patience;
mod problem;
mod room;
mod routes;
mod secret;
mod settings;
mod storage;
mod table;
mod thinking;
mod told;
mod turns;
mod variants;
mod view;
mod workers;

pub use application::StartError;
pub use catalogue::{Catalogue, EvaluatorSource, Knowledge, Model, SameName};
pub use listen::{ServeError, Server};
pub use settings::{ClientLimits, Limits, Rate, ServerSettings};
pub use storage::StorageError;

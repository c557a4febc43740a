//! The HTTP server: a JSON interface with events, and a page that uses it.
//!
//! A game is a `Room` with a `Table` in it. Handlers change tables through `Application::change`,
//! which saves, announces, and queues a search if a program is to move; the search threads answer
//! in the same way. Every follower of a game receives the whole game after every change, so updates
//! may arrive late or be skipped. From that view, the page and other clients learn what is legal,
//! why something is not, and what things are called: they do not know the rules. The crate
//! `interface` defines what requests mean; HTTP, threads, quotas and storage are here.
//!
//! Everything that a client can make the server do is bounded: see [`Limits`]. No URL leads to the
//! file system; the page is embedded in the program, and games are stored in a single SQLite file,
//! as SGF.

mod analysis;
mod application;
mod client_counter;
mod extract;
mod games;
mod host;
mod laboratory;
#[cfg(test)]
mod languages;
mod listen;
mod page;
mod problem;
mod puzzles;
mod rate_limiter;
mod room;
mod routes;
mod save_state;
mod settings;
mod storage;
mod timed_search;
mod turns;
mod variants;
mod workers;
mod write_timeout;

pub use application::StartError;
pub use interface::{
    Catalogue, DuplicateName, EvaluatorSource, Knowledge, LargestComparison, Model,
};
pub use listen::{ServeError, Server};
pub use settings::{ClientLimits, Limits, Rate, ServerSettings};
pub use storage::StorageError;

//! The page without a server: what `server` answers over HTTP, answered in the page itself, in WebAssembly.
//!
//! A [`Host`] takes the same requests as text and has the same replies, from the crate `interface`. It keeps games in memory
//! only; the page keeps them in its address. What are events and files there is told unasked here, whenever a game changes.
//! There is one thread, so a search advances by one batch with each call of [`Host::think`], and requests are answered
//! between them. There is no clock, and randomness is passed in.
//!
//! `page/` has the files that the static site adds to those of the server's page: the worker in which this runs, the module
//! through which the page talks to it in the place of the server's, and what makes the site work offline.

#[cfg(target_family = "wasm")]
mod exports;
mod host;
mod message;
mod programs;
mod task;

pub use host::Host;
pub use message::Message;
pub use programs::{ProgramsError, programs};

//! The page without a server: what `server` answers over HTTP is answered inside the page, in
//! WebAssembly.
//!
//! A [`Host`] accepts the same requests as text and gives the same replies, from the crate
//! `interface`. It keeps games only in memory; the page keeps them in its URL. What the server
//! sends as events and files is sent here unasked whenever a game changes. There is a single
//! thread, so a search advances by one batch with each call of [`Host::think`], and requests are
//! answered in between. There is no clock, and randomness is passed in.
//!
//! `page/` contains the files that the static site adds to those of the server's page: the worker
//! in which this runs, the module through which the page talks to it instead of to a server, and
//! what makes the site work offline.

#[cfg(target_family = "wasm")]
mod exports;
mod host;
mod message;
mod programs;
mod task;

pub use host::Host;
pub use message::Message;
pub use programs::{ProgramsError, programs};

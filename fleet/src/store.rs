//! The object store: a folder that machines share, or a bucket.

mod address;
mod cause;
mod error;
mod folder;
mod json;
mod listed;
mod listing;
mod objects;
mod patience;
mod requests;

pub use error::StoreError;
pub(crate) use folder::Leftovers;
pub(crate) use json::{from_json, json, read_json};
pub use listed::Listed;
pub(crate) use listing::PartialListing;
pub use objects::{Created, Fetched, Store};
pub use requests::Requests;

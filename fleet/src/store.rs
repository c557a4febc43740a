//! The object store: a folder that machines share, or a bucket.

mod address;
mod error;
mod objects;

pub use error::StoreError;
pub use objects::{Created, Fetched, Listed, Requests, Store};

//! The object store: a folder that machines share, or a bucket.

mod address;
mod cause;
mod error;
mod objects;
mod patience;
mod requests;

pub use error::StoreError;
pub use objects::{Created, Fetched, Listed, Store};
pub use requests::Requests;

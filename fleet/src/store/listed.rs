//! An object as a listing names it.

use std::time::SystemTime;

use object_store::path::Path;

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Path,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

//! What can go wrong with a store.

use object_store::path::Path;
use thiserror::Error;

/// Errors of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The address is none of a store.
    #[error(
        "{url} is not the address of a store ({why}): expected file:///FOLDER, s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or memory://"
    )]
    Address {
        /// As it was given.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// A request failed, and would fail again.
    #[error("the store does not let {verb} {name}: {cause}")]
    Forbidden {
        /// What was to be done.
        verb: &'static str,
        /// With which object.
        name: Path,
        /// The store's error; part of the message, so not a source.
        cause: Box<object_store::Error>,
    },
    /// A request failed, and so did its repetitions.
    #[error("the store fails to {verb} {name}: {cause}")]
    Failed {
        /// What was to be done.
        verb: &'static str,
        /// With which object.
        name: Path,
        /// The store's error; part of the message, so not a source.
        cause: Box<object_store::Error>,
    },
    /// An object is larger than it may be.
    #[error("{name} has {size} bytes: expected at most {most}")]
    TooLarge {
        /// The object.
        name: Path,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        most: u64,
    },
    /// An object holds something else than its name says.
    #[error("{name} cannot be read: {why}")]
    Damaged {
        /// The object.
        name: Path,
        /// What is wrong.
        why: String,
    },
}

impl StoreError {
    /// Whether the same request may succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            StoreError::Failed { .. } => true,
            StoreError::Address { .. }
            | StoreError::Forbidden { .. }
            | StoreError::TooLarge { .. }
            | StoreError::Damaged { .. } => false,
        }
    }

    pub(super) fn of(verb: &'static str, name: &Path, cause: object_store::Error) -> StoreError {
        let (name, is_final) = (name.clone(), is_final(&cause));
        let cause = Box::new(cause);
        if is_final {
            StoreError::Forbidden { verb, name, cause }
        } else {
            StoreError::Failed { verb, name, cause }
        }
    }
}

/// Whether repeating the request is useless.
pub(super) fn is_final(error: &object_store::Error) -> bool {
    use object_store::Error;
    matches!(
        error,
        Error::PermissionDenied { .. }
            | Error::Unauthenticated { .. }
            | Error::NotSupported { .. }
            | Error::NotImplemented { .. }
            | Error::InvalidPath { .. }
            | Error::UnknownConfigurationKey { .. }
    )
}

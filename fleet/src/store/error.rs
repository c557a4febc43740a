//! What can go wrong with a store.

use std::io;

use object_store::path::Path;
use thiserror::Error;

use super::cause::Cause;
use crate::exit::Exit;

/// Errors of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The address is not that of a store.
    #[error(
        "{url} is not the address of a store ({why}): expected file:///FOLDER, s3://BUCKET/FOLDER or gs://BUCKET/FOLDER"
    )]
    Address {
        /// The address as given.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// The environment's settings for the store cannot be used.
    #[error(
        "the environment does not say how to use {url} ({why}): correct its variables AWS_… or GOOGLE_…"
    )]
    Environment {
        /// The store's address.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// A request failed, and would fail again.
    #[error("the store refuses to {verb} {name}: {why}")]
    Refused {
        /// What was attempted.
        verb: &'static str,
        /// The object concerned.
        name: Path,
        /// The reason, and what to do.
        why: String,
    },
    /// A request failed, and so did its repetitions.
    #[error("the store fails to {verb} {name}: {why}")]
    Failed {
        /// What was attempted.
        verb: &'static str,
        /// The object concerned.
        name: Path,
        /// The reason.
        why: String,
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
    /// An object does not contain what its name says.
    #[error("{name} cannot be read: {why}")]
    Damaged {
        /// The object.
        name: Path,
        /// What is wrong.
        why: String,
    },
}

impl StoreError {
    /// An object whose content is not what its name says.
    pub(crate) fn damaged(name: &Path, why: impl ToString) -> StoreError {
        StoreError::Damaged { name: name.clone(), why: why.to_string() }
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            StoreError::Failed { .. } => true,
            StoreError::Address { .. }
            | StoreError::Environment { .. }
            | StoreError::Refused { .. }
            | StoreError::TooLarge { .. }
            | StoreError::Damaged { .. } => false,
        }
    }

    /// How a process ends if the error outlasts its patience.
    pub fn exit(&self) -> Exit {
        if self.is_transient() { Exit::Unreachable } else { Exit::Unfit }
    }

    /// Whether it is the store's answer about this object or this folder of objects.
    pub(super) fn is_about(&self, other: &Path) -> bool {
        match self {
            StoreError::Address { .. } | StoreError::Environment { .. } => false,
            StoreError::Refused { name, .. }
            | StoreError::Failed { name, .. }
            | StoreError::TooLarge { name, .. }
            | StoreError::Damaged { name, .. } => name == other,
        }
    }

    pub(super) fn of(verb: &'static str, name: &Path, error: &object_store::Error) -> StoreError {
        StoreError::because(verb, name, Cause::of(error))
    }

    /// An I/O error in a folder.
    pub(super) fn of_system(verb: &'static str, name: &Path, error: &io::Error) -> StoreError {
        StoreError::because(verb, name, Cause::of_system(error, &error.to_string()))
    }

    fn because(verb: &'static str, name: &Path, Cause { why, is_final }: Cause) -> StoreError {
        let name = name.clone();
        if is_final {
            StoreError::Refused { verb, name, why }
        } else {
            StoreError::Failed { verb, name, why }
        }
    }
}

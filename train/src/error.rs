//! What keeps a run from going on.

use std::io;
use std::path::{Path, PathBuf};

use models::ModelError;
use search::EvaluatorError;
use selfplay::{StoreError, disk_advice};
use thiserror::Error;

use crate::ConfigError;

/// What can go wrong with a run folder.
#[derive(Debug, Error)]
pub enum RunError {
    /// A run is there already.
    #[error("{0} holds a run: add --resume to go on with it, or choose another folder with --run")]
    Exists(PathBuf),
    /// No run is there.
    #[error("{0} holds no run: leave out --resume to begin one")]
    Missing(PathBuf),
    /// Another process is at work on it.
    #[error("{0} is in use by another process: wait for it or stop it first")]
    InUse(PathBuf),
    /// The configuration differs from the run's own.
    #[error("{0} was begun with another configuration: resume without --config and --set")]
    OtherConfig(PathBuf),
    /// Its checkpoints.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Reading or writing failed.
    #[error("{path}: {cause}{}", disk_advice(.cause))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said; part of the message, so no source of its own.
        cause: io::Error,
    },
    /// The game records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file that is not what was written.
    #[error("{path} cannot be understood: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// What ends a run before its budget.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The game records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The network or its files.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Self-play.
    #[error("self-play: {0}")]
    Evaluator(#[from] EvaluatorError),
    /// A rating match.
    #[error("rating: {0}")]
    Match(#[from] arena::MatchError),
    /// Losses that were no numbers, time and again.
    #[error(
        "learning fails even after going back {times} times ({error}): begin again with a smaller learning.learning_rate"
    )]
    Diverged {
        /// Times that the run has gone back.
        times: u32,
        /// The last failure.
        error: ModelError,
    },
    /// The curves.
    #[error("the log or table cannot be written: {0}{advice}", advice = disk_advice(.0))]
    Log(io::Error),
}

/// Says of which file or folder an error is.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    |cause| RunError::Io { path, cause }
}

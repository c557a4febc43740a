//! Errors that stop a run.

use std::io;
use std::path::{Path, PathBuf};

use models::ModelError;
use search::EvaluatorError;
use selfplay::{StoreError, disk_advice};
use thiserror::Error;

use crate::ConfigError;
use crate::source::SourceError;

/// Errors of a run folder.
#[derive(Debug, Error)]
pub enum RunError {
    /// The folder already holds a run.
    #[error("{0} already holds a run")]
    Exists(PathBuf),
    /// The folder holds no run.
    #[error("{0} holds no run")]
    Missing(PathBuf),
    /// Another process is using it.
    #[error("{0} is in use by another process: wait for it or stop it first")]
    InUse(PathBuf),
    /// All checkpoints lack the files needed for resuming.
    #[error(
        "{0} has checkpoints, but none with the learner's state (learner.safetensors): bring the file back, or begin another \
         run from its newest model with --from {0} and --run"
    )]
    NothingToResume(PathBuf),
    /// The run has learnt from games of which none is here.
    #[error(
        "{0} has none of the games that its run has learnt from. Those of a run in a store are there: go on with --store, or \
         get them with `hotstone fleet fetch --run`. Otherwise bring them back, or begin another run from the newest \
         model with --from {0} and --run"
    )]
    NoGames(PathBuf),
    /// The configuration differs from the run's own.
    #[error("{0} was begun with another configuration")]
    OtherConfig(PathBuf),
    /// An attempt to start a run was interrupted before it became one, and left files behind.
    #[error("{0} has checkpoints, games or a log, but no config.toml")]
    Leftover(PathBuf),
    /// A run in a store would replace the checkpoints of the run in the folder.
    #[error(
        "{0} holds a run with games of its own, whose checkpoints those of the store would replace"
    )]
    OwnGames(PathBuf),
    /// An arm of an ablation that continues from a different state of the run than the arms before
    /// it.
    #[error(
        "{0} was forked when the run was at another step than the other arms: remove it, or give another folder"
    )]
    OtherOrigin(PathBuf),
    /// The run cannot be forked with this configuration.
    #[error("{run} cannot be forked into this configuration: {problem}")]
    Unforkable {
        /// The run.
        run: PathBuf,
        /// What does not match, and what was expected.
        problem: String,
    },
    /// A checkpoint's model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Reading or writing failed.
    #[error("{path}: {cause}{}", disk_advice(.cause))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error; part of the message, so not a source.
        cause: io::Error,
    },
    /// The game records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A damaged file.
    #[error("{path} is damaged: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A file that is as it was written, but not by this version of the program.
    #[error("{path} is of another version of the program ({message}): use the one that wrote it")]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// What this version does not read.
        message: String,
    },
}

/// Errors that end a run before its budget.
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
    /// A match of the run.
    #[error("rating: {0}")]
    Match(#[from] arena::MatchError),
    /// Losses that were repeatedly not finite.
    #[error(
        "learning still fails after {times} rollbacks ({error}): begin again with a smaller learning.learning_rate"
    )]
    Diverged {
        /// Rollbacks so far.
        times: u32,
        /// The last failure.
        error: ModelError,
    },
    /// The source that games come from and weights go to.
    #[error("the run's store")]
    Source(#[source] SourceError),
    /// A checkpoint in the store lacks a file.
    #[error("checkpoint {step} in the run's store has no {name}: bring the file back")]
    Incomplete {
        /// Training step of the checkpoint.
        step: u64,
        /// The file.
        name: &'static str,
    },
    /// The counts in the store differ from this learner's.
    #[error(
        "the newest checkpoint and the games after it hold {found} positions, the run's store has counted {counted}: \
         the checkpoint is of another run, or damaged"
    )]
    Miscounted {
        /// Positions of the checkpoint and the games.
        found: u64,
        /// Positions that the store has counted.
        counted: u64,
    },
    /// The curves.
    #[error("cannot write the log: {0}{advice}", advice = disk_advice(.0))]
    Log(io::Error),
}

/// Attaches a path to an I/O error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    |cause| RunError::Io { path, cause }
}

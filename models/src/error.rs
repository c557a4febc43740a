//! What can go wrong with a model, each in one line that says what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a network cannot be loaded, saved, run or taught.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A folder or file of the model is not there.
    #[error("{}: no such file; a model is a folder with weights.safetensors and card.toml", .0.display())]
    Missing(PathBuf),
    /// A run has no model yet.
    #[error("{} has no checkpoint yet", .0.display())]
    NoCheckpoint(PathBuf),
    /// The system refused.
    #[error("{}: {cause}{}", .path.display(), advice(.cause))]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What the system said; part of the message, so no source of its own.
        cause: io::Error,
    },
    /// The card is not a card.
    #[error("{}: not a model card ({reason}); copy the model folder again", .path.display())]
    BadCard {
        /// The card.
        path: PathBuf,
        /// What is wrong, in one line.
        reason: String,
    },
    /// The weights are shorter or longer than the card says.
    #[error("{}: {found} bytes where the card says {expected}: an interrupted copy; copy the file again", .path.display())]
    Truncated {
        /// The weights.
        path: PathBuf,
        /// Bytes that the card promises.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The digest differs.
    #[error("{}: the contents differ from their SHA-256 digest: the file is damaged; copy it again", .0.display())]
    Damaged(PathBuf),
    /// The file is whole but holds something else.
    #[error("{}: not the weights that are expected ({reason}); the file comes from another program version", .path.display())]
    BadWeights {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one line.
        reason: String,
    },
    /// The model plays another game.
    #[error("{}: a model for `{model}` cannot play `{wanted}`; give a model trained for those rules", .path.display())]
    OtherRules {
        /// The model folder.
        path: PathBuf,
        /// Rules of the card.
        model: String,
        /// Rules asked for.
        wanted: String,
    },
    /// The model has learnt many rule sets, and none with this value.
    #[error("{}: has learnt no rules with {field}={value}, only {}; choose among those or another model", .path.display(), known.join(", "))]
    OutOfScope {
        /// The model folder.
        path: PathBuf,
        /// The field of the rules.
        field: &'static str,
        /// Its value in the rules asked for.
        value: String,
        /// The values that the model knows.
        known: Vec<String>,
    },
    /// The model reads an input that this program does not have.
    #[error("{}: reads an input named '{input}', which this program does not have; use the program version that made the model", .path.display())]
    UnknownInput {
        /// The model folder or checkpoint.
        path: PathBuf,
        /// The input's name.
        input: String,
    },
    /// A checkpoint was made with other inputs.
    #[error("{}: learnt from other inputs than this program has; use the program version that made it, or start a new run", .0.display())]
    OtherInputs(PathBuf),
    /// The model has not learnt this board size.
    #[error("{}: knows board sizes {}, not {wanted}; choose one of those or another model", .path.display(), listed(known))]
    UnknownSize {
        /// The model folder.
        path: PathBuf,
        /// Sizes of the card.
        known: Vec<engine::Size>,
        /// Size asked for.
        wanted: engine::Size,
    },
    /// A network was asked about a board that is not square.
    #[error("networks play square boards, and this one is {0}")]
    NotSquare(engine::Size),
    /// No network can be built so.
    #[error("network: {0}")]
    Architecture(String),
    /// The device or precision is not to be had.
    #[error("{0}")]
    Device(String),
    /// It takes libtorch, and this program was built without.
    #[error(
        "{0} takes libtorch, which this program was built without; build it with its default features (`cargo xtask setup`, then `cargo build --release`)"
    )]
    WithoutLibtorch(String),
    /// A loss or gradient is not a number; the weights are as they were before the step.
    #[error(
        "step {step}: the {what} is not finite; go back to the last checkpoint and lower the learning rate"
    )]
    NotFinite {
        /// The step that failed.
        step: u64,
        /// `loss` or `gradient`.
        what: &'static str,
    },
    /// A training batch contradicts itself.
    #[error("training batch: {0}")]
    BadBatch(String),
    /// The batching server has ended.
    #[error("the network server has stopped; an earlier message says why")]
    Stopped,
    /// libtorch reported an error.
    #[error("libtorch: {0}")]
    Torch(String),
}

impl ModelError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> ModelError + '_ {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => ModelError::Missing(path.to_path_buf()),
            _ => ModelError::Io { path: path.to_path_buf(), cause: source },
        }
    }
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; make room and go on with --resume: nothing recorded so far is lost"
        }
        _ => "",
    }
}

fn listed(sizes: &[engine::Size]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

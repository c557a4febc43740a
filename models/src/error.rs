//! Errors of models, each a single line that says what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a network cannot be loaded, saved, run or trained.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A folder or file of the model is missing.
    #[error("{}: not found: expected a folder with weights.safetensors and card.toml", .0.display())]
    Missing(PathBuf),
    /// A run without a checkpoint.
    #[error("{} has no checkpoint yet", .0.display())]
    NoCheckpoint(PathBuf),
    /// A system error.
    #[error("{}: {cause}{}", .path.display(), advice(.cause))]
    Io {
        /// File or folder.
        path: PathBuf,
        /// The system's error; part of the message, so not a source.
        cause: io::Error,
    },
    /// The card file is not a valid card.
    #[error(
        "{}: not a model card ({reason}); copy the model folder again, or use the program version that made it",
        .path.display()
    )]
    BadCard {
        /// The card.
        path: PathBuf,
        /// What is wrong, in one line.
        reason: String,
    },
    /// The weights file is shorter or longer than the card says.
    #[error("{}: {found} bytes, expected {expected}; copy the file again", .path.display())]
    Truncated {
        /// The weights.
        path: PathBuf,
        /// Bytes according to the card.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// The digest of the weights differs from the card's.
    #[error("{}: damaged (wrong SHA-256 digest); copy the file again", .0.display())]
    Damaged(PathBuf),
    /// The file is intact but does not hold what was expected.
    #[error("{}: unexpected weights ({reason}): the file is damaged, or from another program version", .path.display())]
    BadWeights {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one line.
        reason: String,
    },
    /// The network is too small to continue the training of a model.
    #[error(
        "{}: the model has {} blocks of {} channels where the run has {} of {}: set network.blocks and network.channels to at \
         least those of the model",
        .path.display(),
        .model[0],
        .model[1],
        .run[0],
        .run[1]
    )]
    TooLarge {
        /// The model folder.
        path: PathBuf,
        /// The blocks of the model's network, and its channels.
        model: [usize; 2],
        /// The same of the network that is to continue from it.
        run: [usize; 2],
    },
    /// The model plays another game.
    #[error(
        "{}: a model for `{model}` cannot play `{wanted}`; choose a model trained for those rules",
        .path.display()
    )]
    OtherRules {
        /// The model folder.
        path: PathBuf,
        /// Rules of the card.
        model: String,
        /// Rules asked for.
        wanted: String,
    },
    /// The model has learnt many rule sets, but none with this value.
    #[error(
        "{}: not trained with {field}={value}, only with {}; choose among those or another model",
        .path.display(),
        known.join(", ")
    )]
    OutOfScope {
        /// The model folder.
        path: PathBuf,
        /// The field of the rules.
        field: &'static str,
        /// Its value in the rules asked for.
        value: String,
        /// The values that the model has learnt, ranges of numbers in one.
        known: Vec<String>,
    },
    /// The model reads an input that this program does not have.
    #[error("{}: unknown input '{input}'; use the program version that made the model", .path.display())]
    UnknownInput {
        /// The model folder or checkpoint.
        path: PathBuf,
        /// The input's name.
        input: String,
    },
    /// A checkpoint was made with other inputs.
    #[error(
        "{}: trained on inputs other than this program's; use the program version that made it, or start a new run",
        .0.display()
    )]
    OtherInputs(PathBuf),
    /// The model has not learnt this board size.
    #[error(
        "{}: trained for board sizes {}, not {wanted}; choose one of those or another model",
        .path.display(),
        listed(known)
    )]
    UnknownSize {
        /// The model folder.
        path: PathBuf,
        /// Sizes of the card.
        known: Vec<engine::Size>,
        /// Size asked for.
        wanted: engine::Size,
    },
    /// A board that is not square.
    #[error("networks play only square boards, not {0}")]
    NotSquare(engine::Size),
    /// An impossible architecture.
    #[error("network: {0}")]
    Architecture(String),
    /// The device or precision is unknown or unavailable.
    #[error("{0}")]
    Device(String),
    /// A computation that needs libtorch, in a program without it.
    #[error(
        "{0} needs libtorch, and this program was built without it: build it with `cargo xtask setup` and \
         `cargo build --release`"
    )]
    WithoutLibtorch(String),
    /// A loss or gradient is not finite; the weights are as they were before the step.
    #[error(
        "step {step}: the {what} is not finite; go back to the last checkpoint and lower the learning rate"
    )]
    NotFinite {
        /// The step that failed.
        step: u64,
        /// `loss` or `gradient`.
        what: &'static str,
    },
    /// A training batch is inconsistent.
    #[error("training batch: {0}")]
    BadBatch(String),
    /// The batching server has ended.
    #[error("the network server has stopped; an earlier message says why")]
    Stopped,
    /// Positions were not evaluated.
    #[error(transparent)]
    Evaluator(#[from] search::EvaluatorError),
    /// libtorch reported an error.
    #[error("libtorch: {0}")]
    Torch(String),
}

impl ModelError {
    /// Whether a file differs from what was written, so that another copy or checkpoint may be
    /// intact.
    pub fn is_damage(&self) -> bool {
        match self {
            ModelError::BadCard { .. }
            | ModelError::Truncated { .. }
            | ModelError::Damaged(_)
            | ModelError::BadWeights { .. } => true,
            ModelError::Missing(_)
            | ModelError::NoCheckpoint(_)
            | ModelError::Io { .. }
            | ModelError::TooLarge { .. }
            | ModelError::OtherRules { .. }
            | ModelError::OutOfScope { .. }
            | ModelError::UnknownInput { .. }
            | ModelError::OtherInputs(_)
            | ModelError::UnknownSize { .. }
            | ModelError::NotSquare(_)
            | ModelError::Architecture(_)
            | ModelError::Device(_)
            | ModelError::WithoutLibtorch(_)
            | ModelError::NotFinite { .. }
            | ModelError::BadBatch(_)
            | ModelError::Stopped
            | ModelError::Evaluator(_)
            | ModelError::Torch(_) => false,
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> ModelError + '_ {
        move |source| match source.kind() {
            // The latter where a file is named in place of a model's folder.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                ModelError::Missing(path.to_path_buf())
            }
            _ => ModelError::Io { path: path.to_path_buf(), cause: source },
        }
    }
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; make room and resume: nothing recorded so far is lost"
        }
        _ => "",
    }
}

fn listed(sizes: &[engine::Size]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

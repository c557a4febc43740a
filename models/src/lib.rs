//! The network, its weights and the batching server.
//!
//! - [`Network`] is an architecture and its weights; [`save`] and [`load`] keep it in a folder with
//!   a [`Card`] that says what it is for.
//! - [`Server`] evaluates positions for many clients at once; [`Client`] is a
//!   [`search::Evaluator`]. [`Direct`] is an evaluator without a server.
//! - `Learner` trains a network on `TrainingBatch`es of plain numbers.
//! - [`doctor`](doctor()) and [`bench_forward`] report how well this machine is used.
//!
//! Internally, results are those of the player to move; a [`Client`] returns Black's.
//!
//! Playing on a CPU, in f32 or with bf16 by vectors, needs only the crate `kernels`. The feature
//! `libtorch` adds training, bf16 by tiles (AMX) and GPUs; all code that needs it is in one folder,
//! and nothing else in this program links libtorch.

mod answer_decoder;
mod architecture;
#[cfg(not(target_family = "wasm"))]
mod bench;
mod card;
mod checkpoints;
mod client;
mod device;
mod direct;
mod doctor;
mod error;
mod files;
mod inference;
mod input;
mod inputs;
#[cfg(feature = "libtorch")]
mod libtorch;
mod network;
mod playing;
mod server;
mod stored;
mod weights;

pub use architecture::Architecture;
#[cfg(not(target_family = "wasm"))]
pub use bench::{Speed, bench_forward, bench_network};
pub use card::{CARD, Card};
pub use checkpoints::{
    CHECKPOINTS, Rated, STATE, best_model_folder, checkpoint_folder, checkpoint_steps, model_folder,
};
pub use client::{Client, Pending};
pub use device::{Device, Precision, available_threads};
pub use direct::Direct;
pub use doctor::{Doctor, Libtorch, doctor};
pub use error::ModelError;
pub use inputs::Inputs;
#[cfg(feature = "libtorch")]
pub use libtorch::{
    Diagnostics, FUTURES, HORIZONS, Head, Learner, LearnerSettings, LossWeights, Losses,
    OptimizerKind, PLIES_CLASSES, PerHead, TrainingBatch, TrainingSample, bench_learner,
    bench_product,
};
pub use network::Network;
pub use server::{Server, ServerSettings, ServerStats};
pub use stored::{StoredModel, load};
pub use weights::{WEIGHTS, save};

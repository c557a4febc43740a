//! The network, its weights and the batching server: the only crate that links libtorch.
//!
//! * [`Network`] is an architecture and its weights; [`save`] and [`load`] keep it in a folder with
//!   a [`Card`] that says what it is for.
//! * [`Server`] evaluates positions for many clients at once; [`Client`] is a [`search::Evaluator`].
//! * [`Learner`] teaches a network from [`TrainingBatch`]es of plain numbers.
//! * [`doctor`](doctor()) and [`bench_forward`] tell how well this machine is used.
//!
//! Inside, results are those of the player to move; a [`Client`] answers with Black's.

mod architecture;
mod batch;
mod bench;
mod card;
mod client;
mod device;
mod diagnostics;
mod doctor;
mod error;
mod files;
mod forward;
mod fused;
mod heads;
mod inference;
mod input;
mod inputs;
mod learner;
mod losses;
mod network;
mod optimizer;
mod server;
mod shim;
mod stored;
mod weights;

pub use architecture::Architecture;
pub use batch::{TrainingBatch, TrainingSample};
pub use bench::{Speed, bench_forward, bench_learner, bench_network, bench_product};
pub use card::{CARD, Card};
pub use client::{Client, Pending};
pub use device::{Device, Precision, available_threads};
pub use diagnostics::Diagnostics;
pub use doctor::{Doctor, doctor};
pub use error::ModelError;
pub use heads::{FUTURES, HORIZONS, Head, LossWeights, PLIES_CLASSES, PerHead};
pub use inputs::Inputs;
pub use learner::Learner;
pub use losses::Losses;
pub use network::Network;
pub use optimizer::{LearnerSettings, OptimizerKind};
pub use server::{Server, ServerSettings, ServerStats};
pub use stored::StoredModel;
pub use weights::{WEIGHTS, load, save};

//! Everything that is computed with libtorch: training, bf16, and GPUs.

mod batch;
mod bench;
mod convolution;
pub(crate) mod cuda;
pub(crate) mod device;
mod diagnostics;
mod forward;
mod fused;
mod growth;
mod guard;
mod heads;
pub(crate) mod inference;
mod input;
mod learner;
mod losses;
mod optimizer;
mod parameters;
mod part;
mod shim;

pub use batch::{TrainingBatch, TrainingSample};
pub use bench::{bench_learner, bench_product};
pub use diagnostics::Diagnostics;
pub use heads::{FUTURES, HORIZONS, Head, LossWeights, PLIES_CLASSES, PerHead};
pub use learner::Learner;
pub use losses::Losses;
pub use optimizer::{LearnerSettings, OptimizerKind};

//! The learner and the complete self-play training loop.
//!
//! Self-play and learning alternate in one process, or run side by side: games are recorded on disk
//! and taken into a window, the network learns from them, and the averaged weights play the next
//! games. A run is a folder, and its process can be killed and restarted at any time.

mod ablation;
mod clock;
mod config;
mod curves;
mod error;
mod fork;
mod history;
mod kinds;
mod progress;
mod rating;
mod replay;
mod run;
mod sealed;
mod source;
mod starting_model;
mod state;
mod statistics;
mod suite;
mod targets;
mod training;

pub mod command;

pub use ablation::{Ablation, Arms};
pub use config::{
    Budget, ConfigError, EvaluationSettings, FleetSettings, LearningSettings, MixtureSettings,
    RunConfig, standard_names,
};
pub use error::{RunError, TrainError};
pub use history::{History, HistoryError};
pub use kinds::{Kind, Kinds};
pub use run::{KINDS, RunFolder};
pub use source::{Archive, Arrived, Counted, Published, SavedFile, Source, SourceError};
pub use starting_model::StartingModel;
pub use state::{Fork, RunState};
pub use targets::FinishedGame;
pub use training::{
    Intake, RemoteTraining, Repertoire, Training, TrainingOptions, encoding_version, fetch_run,
};

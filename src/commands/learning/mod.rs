//! The commands that need the crates for learning.

pub mod ablation;
pub mod fleet;
pub mod progress;
pub mod train;
pub mod worker;

use anyhow::Result;
use clap::Subcommand;

/// A command that learns, or that looks after what learns.
#[derive(Subcommand)]
pub enum Learning {
    Train(train::TrainingArguments),
    Worker(worker::WorkerArguments),
    Fleet(fleet::FleetArguments),
    Progress(progress::ProgressArguments),
    Ablation(ablation::AblationArguments),
}

impl Learning {
    /// Runs the command.
    pub fn execute(self) -> Result<()> {
        match self {
            Learning::Train(arguments) => arguments.execute(),
            Learning::Worker(arguments) => arguments.execute(),
            Learning::Fleet(arguments) => arguments.execute(),
            Learning::Progress(arguments) => arguments.execute(),
            Learning::Ablation(arguments) => arguments.execute(),
        }
    }
}

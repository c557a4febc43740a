//! Replaces the commands of the feature `train` in a program built without it.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;

/// Learning and its results, in programs that are built with `train`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct AbsentArguments {
    /// The arguments of the missing command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _given: Vec<OsString>,
}

impl AbsentArguments {
    /// Explains how to get the command.
    pub fn execute(&self) -> Result<()> {
        bail!(
            "this program was built without `train`, which train, worker, fleet, progress and ablation need: build it in \
             a clone of its repository with `cargo xtask setup` and `cargo build --release`"
        );
    }
}

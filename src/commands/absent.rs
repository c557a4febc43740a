//! What stands in for the commands that a program without learning does not have.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;

/// Learn, and look at what was learnt: in programs that are built with `train`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct AbsentArguments {
    /// Whatever the command takes elsewhere.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _given: Vec<OsString>,
}

impl AbsentArguments {
    /// Says how to come by the command.
    pub fn execute(&self) -> Result<()> {
        bail!(
            "train, progress and ablation take libtorch, and this program was built without `train`: build it with \
             `cargo xtask setup` and `cargo build --release`"
        );
    }
}

//! `hotstone doctor`

use anyhow::Result;
use clap::Args;

/// Show what this machine offers the network, and what to do about each problem.
#[derive(Args)]
pub struct DoctorArguments {}

impl DoctorArguments {
    /// Prints the examination.
    pub fn execute(&self) -> Result<()> {
        print!("{}", models::doctor());
        Ok(())
    }
}

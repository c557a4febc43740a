//! `hotstone man`

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_mangen::Man;

use crate::output::print;

/// Print the manual page, or write one for every command.
#[derive(Args)]
pub struct ManArguments {
    /// A folder for the pages of all commands, hotstone.1, hotstone-train.1 and so on; created if missing.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl ManArguments {
    /// Prints or writes the pages of `program`.
    pub fn execute(&self, program: Command) -> Result<()> {
        match &self.out {
            None => {
                let mut page = Vec::new();
                Man::new(program.disable_help_subcommand(true)).render(&mut page)?;
                print(String::from_utf8(page)?)
            }
            Some(folder) => {
                let written = fs::create_dir_all(folder)
                    .and_then(|()| clap_mangen::generate_to(program, folder));
                written.with_context(|| format!("cannot write to {}", folder.display()))
            }
        }
    }
}

//! `hotstone completions`

use anyhow::Result;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::print;

/// Print the script that completes commands and options in a shell.
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell; its documentation says where the script belongs, for bash for example
    /// ~/.local/share/bash-completion/completions/hotstone.
    shell: Shell,
}

impl CompletionsArguments {
    /// Prints the script for `program`.
    pub fn execute(&self, mut program: Command) -> Result<()> {
        let name = program.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, name, &mut script);
        print(String::from_utf8(script)?)
    }
}

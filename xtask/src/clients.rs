//! Real clients with the stand-in program.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::gogui;
use crate::run::{cargo, run};

/// Installs the clients below `target`, builds the program that they talk to, and runs them. `source` is the Git
/// repository to take GoGui from.
pub fn clients(root: &Path, games: u32, queries: u32, source: &str) -> Result<()> {
    let folder = root.join("target/clients");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // With their pinned dependencies.
    for script in fs::read_dir(root.join("bot/tests/clients")).context("cannot read the scripts")? {
        let script = script?;
        fs::copy(script.path(), folder.join(script.file_name()))
            .with_context(|| format!("cannot copy {}", script.path().display()))?;
    }
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))
        .context("the clients need Node.js with npm")?;
    let example = ["build", "--release", "--package", "bot", "--example", "stand_in"];
    run(cargo(root).args(example).env("CARGO_TARGET_DIR", root.join("target")))?;
    let program = root.join("target/release/examples/stand_in");
    for (script, number) in [("sabaki.js", games), ("katrain.js", queries)] {
        let mut node = Command::new("node");
        run(node.arg(script).arg(&program).arg(number.to_string()).current_dir(&folder))?;
    }
    gogui::check(&folder, source, &program, games)
}

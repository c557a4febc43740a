//! Makes builds of the same source give the same bytes, wherever and whenever they run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::output;

/// The folders with the sources of dependencies, one for each registry.
pub fn registries() -> Result<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folder = home.context("no home folder: set CARGO_HOME")?.join("registry/src");
    let entries = fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
    Ok(entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?)
}

/// Compiler options that keep this machine's folders out of its output.
pub fn without_folders(root: &Path, registries: &[PathBuf]) -> Vec<String> {
    let named = registries.iter().map(|registry| (registry.as_path(), "dependencies"));
    let all = std::iter::once((root, "hotstone")).chain(named);
    all.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display())).collect()
}

/// Options in the form of `CARGO_ENCODED_RUSTFLAGS`, which may contain spaces.
pub fn encoded(options: &[String]) -> String {
    options.join("\x1f")
}

/// The timestamp for released files, in seconds since 1970: `SOURCE_DATE_EPOCH`, or that of the
/// last commit.
pub fn epoch(root: &Path) -> Result<u64> {
    let set = env::var("SOURCE_DATE_EPOCH");
    let text = set.or_else(|_| {
        let mut git = Command::new("git");
        output(git.current_dir(root).args(["log", "-1", "--format=%ct"]))
            .context("without Git, set SOURCE_DATE_EPOCH to the time of the source")
    })?;
    text.trim().parse().context("SOURCE_DATE_EPOCH is not a number of seconds")
}

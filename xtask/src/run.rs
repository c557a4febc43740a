//! Runs other programs.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::libtorch::exported_libtorch;

/// Builds below `target` in the checkout, where the program is expected, whatever
/// `CARGO_TARGET_DIR` says.
pub fn build(root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = cargo(root);
    command.arg("build").arg("--release").args(arguments);
    run(command.env("CARGO_TARGET_DIR", root.join("target")))
}

/// Cargo, as the user would run it in `root`.
pub fn cargo(root: &Path) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root);
    if exported_libtorch(&root.join(".libtorch")).is_none() {
        // Ours comes from cargo's own configuration. Passing it on would count as a change of
        // environment, and every switch between `cargo xtask` and `cargo` would recompile
        // torch-sys.
        command.env_remove("LIBTORCH");
    }
    command
}

/// Runs a command in the foreground; if it fails, the error names it.
pub fn run(command: &mut Command) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let text = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    eprintln!("$ {text}");
    let status = command.status().with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// The name of the Python executable.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// The compiler that cargo uses.
pub fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// The platform on which the compiler runs and for which it compiles.
pub fn host() -> Result<String> {
    let told = output(rustc().arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it compiles for")?.to_owned())
}

/// The first two numbers of a version: 3 and 11 of `3.11.2`.
pub fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim().split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next().and_then(Result::ok).unwrap_or(0)))
}

/// Whether a command succeeds, whatever it prints.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command and returns its output; if it fails, the error quotes its standard error.
pub fn output(command: &mut Command) -> Result<String> {
    let text = format!("{command:?}");
    let output = command.output().with_context(|| format!("cannot run {text}"))?;
    if !output.status.success() {
        bail!("{text} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

//! Running the program.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `hotstone` in the repository to its end.
pub fn hotstone(arguments: &[&str]) -> Output {
    hotstone_with(arguments, "")
}

/// Runs `hotstone` in the repository to its end, with the given standard input.
pub fn hotstone_with(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

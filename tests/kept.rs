//! Nothing is lost with outputs that nobody reads, files that exist already, and input that makes
//! no sense.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::hotstone;

const MATCH: [&str; 9] =
    ["match", "random", "random", "--rules", "go", "--size", "3", "--games", "4"];

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program with an output to which nothing can be written.
fn with_full_output(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

/// The program refuses, and says this.
fn refuses(arguments: &[&str], words: &str) {
    let done = hotstone(arguments);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains(words), "{arguments:?}: {said}");
    assert!(!done.status.success() && !said.contains("panicked"), "{arguments:?}: {said}");
}

#[test]
fn files_are_written_before_an_output_that_may_fail() {
    let folder = tempfile::tempdir().unwrap();
    let (games, picture) = (folder.path().join("games"), folder.path().join("ladder.svg"));
    let done = with_full_output(&[MATCH.as_slice(), &["--sgf", text(&games)]].concat());
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("error: cannot write the output: No space left"), "{said}");
    assert_eq!(fs::read_dir(&games).unwrap().count(), 4);

    let ladder = ["ladder", "random", "greedy", "--rules", "go", "--size", "3", "--games", "4"];
    let done = with_full_output(&[ladder.as_slice(), &["--svg", text(&picture)]].concat());
    assert_eq!(done.status.code(), Some(1));
    assert!(fs::read_to_string(&picture).unwrap().contains("</svg>"));
}

#[test]
fn the_games_of_two_matches_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [MATCH.as_slice(), &["--sgf", text(folder.path())]].concat();
    assert!(hotstone(&arguments).status.success());
    refuses(&arguments, "has the games of a match already");
}

#[test]
fn a_replayed_file_is_not_replaced_by_what_is_left_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    fs::write(&file, "(;SZ[3];B[aa];W[aa];B[bb])").unwrap();
    let arguments = ["replay", text(&file), "--rules", "go", "--write", text(&file)];
    refuses(&arguments, "this is the file that is replayed");
    assert_eq!(fs::read_to_string(&file).unwrap(), "(;SZ[3];B[aa];W[aa];B[bb])");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noise.sgf");
    fs::write(&file, "\u{1}x".repeat(100_000)).unwrap();
    let long = hotstone(&["show", text(&file)]);
    assert!(!long.status.success() && long.stderr.len() < 1000);
    let corpus = ["replay", "--corpus", text(folder.path()), "--rules", "go"];
    refuses(&corpus, "no game of");
    refuses(&["gtp", "--resign", "5"], "above 0 and below 0.5");
    refuses(&["gtp", "--resign", "nan"], "above 0 and below 0.5");
    let games = [&MATCH[..8], &["18446744073709551614"]].concat();
    refuses(&games, "expected an even number from 2 to");
    refuses(&["sprt", "--pentanomial", "1,2,3", "--nelo", "0,10"], "expected 5 counts, not 3");
}

#[cfg(feature = "train")]
#[test]
fn runs_are_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let arguments = ["train", "--config", "universal", "--rules", "stoical", "--run", text(&run)];
    refuses(&arguments, "learns many rule sets");
    assert!(!run.exists());
    refuses(&["progress", text(folder.path())], "expected the folder of a run");
}

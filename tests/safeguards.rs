//! Safeguards: results survive an output that fails, files that exist are not overwritten, and what
//! cannot succeed is refused before any work.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::hotstone;

const MATCH: [&str; 9] =
    ["match", "random", "random", "--rules", "go", "--size", "3", "--games", "4"];

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program with an output to which nothing can be written.
#[cfg(target_os = "linux")]
fn with_full_output(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(fs::File::options().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

/// Runs the program with an output that nobody reads.
fn without_reader(arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

/// The program refuses, and says this; returns all that it said.
fn refuses(arguments: &[&str], words: &str) -> String {
    let done = hotstone(arguments);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains(words), "{arguments:?}: {said}");
    assert!(!done.status.success() && !said.contains("panicked"), "{arguments:?}: {said}");
    said
}

#[cfg(target_os = "linux")]
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
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let (nowhere, record) = (folder.path().join("none/file"), folder.path().join("record"));
    let (nowhere, record) = (text(&nowhere), text(&record));
    let ladder = ["ladder", "random", "greedy", "--rules", "go", "--size", "3", "--games", "4"];
    refuses(&[ladder.as_slice(), &["--record", record, "--svg", nowhere]].concat(), "cannot write");
    assert!(!Path::new(record).exists(), "no game was played");
    // The search would give up first.
    let solve = ["solve", "--rules", "go", "--size", "5", "--nodes", "1000", "--sgf", nowhere];
    refuses(&solve, "cannot write");

    let game = folder.path().join("game.sgf");
    fs::write(&game, "(;SZ[3];B[bb];W[aa])").unwrap();
    let review = ["review", text(&game), "--rules", "go", "--html", nowhere];
    let puzzles = ["puzzles", "--rules", "go", "--size", "3", "--json", nowhere];
    for arguments in [review.as_slice(), &puzzles] {
        let said = refuses(arguments, "cannot write");
        assert!(!said.contains("is played by"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_told_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.sgf");
    fs::write(&game, "(;SZ[3];B[bb];W[aa])").unwrap();
    for arguments in [
        &["rules", "go"][..],
        &["perft", "--rules", "go", "--size", "2", "--depth", "1"],
        &["show", text(&game), "--rules", "go"],
        &["replay", text(&game), "--rules", "go"],
        &["man"],
        &["completions", "bash"],
        &["play"],
    ] {
        let done = with_full_output(arguments);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            said.starts_with("error: cannot write the output: No space left"),
            "{arguments:?}: {said}"
        );
        assert_eq!(done.status.code(), Some(1));
    }
}

/// The disk may fill up during the work.
#[cfg(target_os = "linux")]
#[test]
fn results_are_printed_even_if_their_file_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.sgf");
    fs::write(&game, "(;SZ[3];B[bb];W[aa])").unwrap();
    let solve = ["solve", "--rules", "go,komi=0", "--size", "2", "--sgf"];
    let ladder =
        ["ladder", "random", "greedy", "--rules", "go", "--size", "3", "--games", "4", "--svg"];
    let review = ["review", text(&game), "--rules", "go", "--simulations", "4", "--html"];
    let replay = ["replay", text(&game), "--rules", "go", "--write"];
    let all = [
        (&solve[..], "value  B+1"),
        (&ladder[..], "greedy"),
        (&review[..], "on 3×3, 2 turns"),
        (&replay[..], "2 turns"),
    ];
    for (arguments, result) in all {
        let done = hotstone(&[arguments, &["/dev/full"]].concat());
        let printed = String::from_utf8_lossy(&done.stdout);
        assert!(printed.contains(result), "{arguments:?}: {printed}");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("cannot write /dev/full: No space left"), "{arguments:?}: {said}");
        assert_eq!(done.status.code(), Some(1));
    }
}

#[test]
fn a_reader_may_go_away() {
    for arguments in [
        "solve --rules go --size 2",
        "perft --rules go --size 3 --depth 2",
        "play --rules go --size 5",
    ] {
        let output = without_reader(&arguments.split(' ').collect::<Vec<&str>>());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("panicked"), "{arguments}: {errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_is_told_even_if_nobody_reads_the_results() {
    let done =
        without_reader(&["solve", "--rules", "go,komi=0", "--size", "2", "--sgf", "/dev/full"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("cannot write /dev/full: No space left"), "{said}");
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn what_two_commands_write_is_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [MATCH.as_slice(), &["--sgf", text(folder.path())]].concat();
    assert!(hotstone(&arguments).status.success());
    refuses(&arguments, "has the games of a match already: give another folder to --sgf");

    let puzzles = ["puzzles", "--rules", "go", "--size", "3", "--sgf", text(folder.path())];
    fs::write(folder.path().join("1.sgf"), "an earlier one").unwrap();
    let said = refuses(&puzzles, "has puzzles already: give another folder to --sgf");
    assert!(!said.contains("is played by"), "{said}");
}

#[test]
fn a_file_in_place_of_a_folder_is_told_before_the_work() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let file = text(file.path());
    let learning: &[&[&str]] = &[
        #[cfg(feature = "train")]
        &["train", "--config", "smoke", "--run", file],
        #[cfg(feature = "train")]
        &["ablation", "runs/none", "--arms", "none.toml", "--folder", file],
    ];
    let record = [MATCH.as_slice(), &["--record", file]].concat();
    let games = [MATCH.as_slice(), &["--sgf", file]].concat();
    let ladder = ["ladder", "random", "greedy", "--rules", "go", "--size", "3", "--record", file];
    let lab = ["lab", "go", "--size", "3", "--folder", file];
    let serve = ["serve", "--port", "0", "--data", file];
    let all = [&record[..], &games[..], &ladder[..], &lab[..], &serve[..]];
    for arguments in all.iter().chain(learning) {
        let said = refuses(arguments, &format!("{file}: expected a folder, and this is none"));
        assert!(!said.contains("step "), "no network is opened: {said}");
    }
}

#[test]
fn a_game_is_not_replaced_by_what_is_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let games = [
        ("replay", "--write", "(;SZ[3];B[aa];W[aa];B[bb])", "this is the file that is replayed"),
        ("review", "--html", "(;SZ[3];B[aa];W[bb])", "this is the file that is reviewed"),
    ];
    for (command, option, game, said) in games {
        fs::write(&file, game).unwrap();
        refuses(&[command, text(&file), "--rules", "go", option, text(&file)], said);
        assert_eq!(fs::read_to_string(&file).unwrap(), game);
    }
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
    refuses(&["gtp", "--ponder", "--level", "3"], "cannot be used with");
    refuses(&["rules", "--parts", "--size", "5"], "cannot be used with");
    refuses(&["rules", "--size", "5"], "required arguments were not provided");
    for name in [" ", "two\n\n= lines"] {
        refuses(&["gtp", "--name", name], "expected a name in one line");
    }
    let games = [&MATCH[..8], &["18446744073709551614"]].concat();
    refuses(&games, "expected an even number from 2 to");
    let alone = [MATCH.as_slice(), &["--parallel", "1"]].concat();
    refuses(&alone, "'--parallel <PARALLEL>': 1 is not in 2..");
    for amount in ["0", "65537", "18446744073709551615"] {
        refuses(&["bench", "network", "--batch", amount], "is not in 1..=65536");
    }
    refuses(&["bench", "engine", "--seconds", "2000000"], "above 0 and below 1000000");
    refuses(&["bench", "engine", "--seconds", "nan"], "seconds above 0");
    let judged = [MATCH.as_slice(), &["--judge", "universal"]].concat();
    refuses(&judged, "--judge is for --openings even");
    for command in [&["judge", "universal"][..], &["ladder", "random", "greedy"]] {
        let countless = [command, &["--simulations", "4294967295"]].concat();
        refuses(&countless, "is not in 1..=100000000");
    }
    for option in ["--simulations", "--checkpoints"] {
        refuses(&["ladder", "random", "greedy", option, "0"], "0 is not in 1..");
        refuses(&["ladder", "random", "greedy", option, "8"], "no player is the folder of one");
    }
    refuses(&["sprt", "--pentanomial", "1,2,3", "--nelo", "0,10"], "expected 5 counts, not 3");
    let many = ["sprt", "--pentanomial", "4000000000,400000000,0,0,0", "--nelo", "0,10"];
    refuses(&many, "expected at most 4294967295 pairs");
}

#[test]
fn a_port_that_is_taken_is_told_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["serve", "--port", port.as_str(), "--data", text(folder.path())];
    refuses(&arguments, "choose another port with --port");
}

#[test]
fn without_pairs_nothing_bounds_a_difference() {
    let output = hotstone(&["sprt", "--pentanomial", "0,0,0,0,0", "--nelo", "0,10"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("normalised Elo 0.00 ± ∞") && !told.contains("inf"), "{told}");
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

#[test]
fn networks_are_not_measured_on_boards_that_are_not_square() {
    let measured: &[&str] = if cfg!(feature = "train") {
        &["network", "search", "selfplay"]
    } else {
        &["network", "search"]
    };
    for what in measured {
        refuses(&["bench", what, "--size", "5x7"], "networks play only square boards");
    }
}

#[cfg(feature = "train")]
#[cfg(target_os = "linux")]
#[test]
fn the_table_of_a_run_is_printed_even_if_its_picture_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let log = "{\"step\":7,\"run/evaluations\":900,\"loss/policy\":2.5}\n";
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let done = hotstone(&["progress", text(folder.path()), "--svg", "/dev/full"]);
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(printed.contains("9.000e2") && !printed.contains("curves"), "{printed}");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("cannot write /dev/full: No space left"), "{said}");
    assert_eq!(done.status.code(), Some(1));
}

/// A crash at the first move would otherwise look like a victory.
#[cfg(unix)]
#[test]
fn games_lost_by_a_fault_are_no_silent_victory() {
    let engine = r#"gtp:sh -c 'while read -r line; do case $line in genmove*) exit;; *) printf "= \n\n";; esac; done'"#;
    let crashed = hotstone(&[&["match", "random", engine], &MATCH[3..]].concat());
    let said = String::from_utf8_lossy(&crashed.stderr).into_owned();
    assert!(crashed.status.success() && said.contains("of 4 games, 4 were lost"), "{said}");
    assert!(!String::from_utf8_lossy(&hotstone(&MATCH).stderr).contains("fault"));
}

//! What the program does with and without the feature `train`.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output, Stdio};

use common::hotstone;
use engine::Variant;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn perft_prints_one_line_a_depth() {
    for rules in ["go", "incursion"] {
        let output = hotstone(&["perft", "--rules", rules, "--size", "3", "--depth", "4"]);
        assert_eq!(stdout(&output), "1 10\n2 91\n3 738\n4 5281\n");
    }
}

#[test]
fn the_program_has_its_models_wherever_it_is() {
    let elsewhere = tempfile::tempdir().unwrap();
    let program = elsewhere.path().join("hotstone");
    fs::copy(env!("CARGO_BIN_EXE_hotstone"), &program).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(&program)
            .current_dir(elsewhere.path())
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        (stdout(&output), stderr(&output))
    };
    let (_, told) = run(&["gtp", "--rules", "stoical"]);
    assert!(told.contains("released model universal"), "{told}");

    let (list, told) = run(&["play"]);
    assert_eq!(told, "");
    for variant in Variant::ALL {
        // Each line can be entered as it stands.
        let command = format!("  hotstone play --rules {variant} ");
        assert!(list.contains(&command), "{list}");
    }
    assert!(list.contains("--size 3, 4, 5, 6, 7, 8, 9;"), "{list}");
    assert!(list.contains("random playouts"), "{list}");
    // What is played begins in the same column of every line, two spaces behind the longest command.
    let columns: BTreeSet<usize> = list
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("hotstone play "))
        .map(|line| line.rfind("  ").unwrap())
        .collect();
    assert_eq!(columns.len(), 1, "{list}");
}

#[test]
fn games_begin_on_the_size_that_is_asked_for() {
    let begins = [
        (&["gtp", "--rules", "tile", "--size", "7"][..], "tile on 7×7"),
        (&["gtp", "universal", "--rules", "tile", "--size", "7"], "tile on 7×7"),
        (&["gtp", "universal", "--rules", "tile"], "tile on 9×9"),
        (&["gtp", "--size", "6"], "go on 6×6"),
        (&["gtp"], "go on 9×9"),
    ];
    for (arguments, expected) in begins {
        let output = hotstone(arguments);
        let told = stderr(&output);
        assert!(output.status.success() && told.contains(expected), "{arguments:?}: {told}");
    }
    let refused = stderr(&hotstone(&["gtp", "universal", "--size", "13"]));
    assert!(refused.contains("size 13 is not supported: this model plays 3, 4, 5"), "{refused}");
    assert!(refused.contains("without a model, any size can be played"), "{refused}");
}

#[test]
fn rules_in_the_place_of_a_model_are_told_where_they_belong() {
    for command in ["play", "gtp", "analysis"] {
        let output = hotstone(&[command, "tile,end=area"]);
        let refused = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{refused}");
        assert!(refused.contains("expected --rules tile,end=area"), "{refused}");
    }
}

#[test]
fn a_clock_is_offered_only_where_a_client_can_set_it() {
    let misused = [
        &["play", "--rules", "go", "--clock"][..],
        &["gtp", "--clock", "--level", "3"],
        &["gtp", "--clock", "--seconds", "2"],
    ];
    for arguments in misused {
        let output = hotstone(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("--clock"), "{arguments:?}: {}", stderr(&output));
    }
    assert!(hotstone(&["gtp", "--size", "3", "--clock"]).status.success());
}

#[test]
fn the_doctor_says_whether_the_program_learns() {
    let found = stdout(&hotstone(&["doctor"]));
    assert!(found.contains("vectors "), "{found}");
    let learns = !found.contains("this program plays, but does not learn");
    assert_eq!(learns, cfg!(feature = "train"), "{found}");
}

#[test]
fn nothing_is_measured_or_tested_without_anything_to_do_it_with() {
    let playing = [
        "perft --rules go --size 3 --depth 0",
        "bench network --batch 0",
        "bench search --simulations 0",
        "bench search --leaves 0",
    ];
    let learning = [
        "bench selfplay --games 0",
        "bench selfplay --simulations 0",
        "fleet check --store file:///nowhere --races 0",
    ];
    let learning = learning.into_iter().filter(|_| cfg!(feature = "train"));
    for words in playing.into_iter().chain(learning) {
        let output = hotstone(&words.split(' ').collect::<Vec<_>>());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{words}: {told}");
        assert!(told.contains("0 is not in 1.."), "{words}: {told}");
    }
}

#[test]
fn a_benchmark_tells_the_batch_that_was_computed() {
    for (asked, computed) in [("100", 64), ("3", 3)] {
        let words = "bench network --blocks 1 --channels 8 --size 3 --seconds 0.01 --device cpu --json --batch";
        let words: Vec<&str> = words.split(' ').chain([asked]).collect();
        let told = stdout(&hotstone(&words));
        let report: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(report["batch"], computed, "{told}");
    }
}

#[cfg(not(feature = "train"))]
#[test]
fn what_takes_libtorch_says_how_to_come_by_it() {
    let learning =
        [&["train", "--config", "9"][..], &["progress", "runs/x"], &["ablation", "--help"]];
    let cuda = ["gtp", "--rules", "tile", "--device=cuda"];
    let bf16 = ["gtp", "--rules", "tile", "--precision=bf16"];
    // A CPU that multiplies bf16 in vectors needs no libtorch for it.
    let has_bf16 = hotstone(&bf16).status.success();
    let refused = [Some(&cuda[..]), (!has_bf16).then_some(&bf16[..])];
    for arguments in learning.into_iter().chain(refused.into_iter().flatten()) {
        let output = hotstone(arguments);
        let told = stderr(&output);
        assert!(!output.status.success() && stdout(&output).is_empty(), "{arguments:?}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.starts_with("error: ") && told.contains("cargo xtask setup"), "{told}");
    }
    let help = stdout(&hotstone(&["--help"]));
    assert!(!help.contains("train"), "{help}");
}

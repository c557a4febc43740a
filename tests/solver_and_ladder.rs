//! Perfect play, judgements and ladders from the command line, with nearly untrained models.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use common::hotstone;
use serde_json::Value;
use tempfile::TempDir;

/// Rules that keep games short, so that perfect play is found quickly.
const SCORED: &str = "incursion,max_moves=10";
const UNSCORED: &str = "alter-igo,max_moves=10";

/// Runs of two rule sets on 3×3, one with a score and one without, made once for all tests. Nothing
/// deletes them but `cargo clean`.
static RUNS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/smoke.toml");
    for rules in [SCORED, UNSCORED] {
        let run = folder.path().join(rules);
        let choice = format!("rules={rules}");
        let arguments = ["train", "--config", text(&config), "--run", text(&run)];
        succeeds(&[&arguments[..], &["--set", &choice, "--set", "size=3"]].concat());
    }
    folder
});

fn run_of(rules: &str) -> PathBuf {
    RUNS.path().join(rules)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The output of a command that must succeed.
fn succeeds(arguments: &[&str]) -> String {
    let output = hotstone(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str], expected: &str) {
    let output = hotstone(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{arguments:?} was accepted");
    assert!(error.starts_with("error: ") && error.contains(expected), "{arguments:?}: {error}");
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_solved_position_becomes_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("solved.sgf");
    let solve = ["solve", "--rules", "go,komi=0", "--size", "2", "--json", "--sgf", text(&path)];
    let solution = json(&succeeds(&solve));
    assert_eq!((&solution["value"], &solution["score"]), (&"B+1".into(), &1.0.into()));
    assert_eq!(solution["best"], serde_json::json!(["A1", "B1", "A2", "B2"]));
    assert_eq!(solution["values"]["A1"], "B+1");
    let record = fs::read_to_string(&path).unwrap();
    assert!(record.contains("value B+1, best A1 B1 A2 B2"), "{record}");
    assert!(record.contains("CR[ab][bb][aa][ba]") && record.contains("[aa:B+1]"), "{record}");
    succeeds(&["replay", text(&path)]);

    let three = ["solve", "--rules", "go,komi=0", "--size", "3", "--json"];
    let solution = json(&succeeds(&three));
    assert_eq!(
        (&solution["value"], &solution["best"]),
        (&"B+9".into(), &serde_json::json!(["B2"]))
    );
    let after = json(&succeeds(&[&three[..], &["B2", "pass"]].concat()));
    assert_eq!(after["value"], "B+9");
    assert_eq!(after["end"], Value::Null);
    let won = json(&succeeds(&[&three[..], &["--winners"]].concat()));
    assert_eq!((&won["winner"], &won["score"]), (&solution["winner"], &serde_json::Value::Null));
    assert!(won["best"].as_array().unwrap().contains(&"B2".into()), "{won}");
    refused(&["solve", "--rules", "go", "--size", "3", "B2", "B2"], "turn 2, B2");
    refused(&["solve", "--rules", "go", "--size", "6"], "at most 25 points");
    refused(&["solve", "--rules", "tile", "--size", "3", "--nodes", "1000"], "1000 positions");
}

/// The value is found among 9 positions, those of the moves that lose it are not among 20.
#[test]
fn a_solution_is_told_where_the_values_of_the_moves_are_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("solved.sgf");
    let rules = "go,suicide=false,repetition=simple";
    let solve = ["solve", "--rules", rules, "--size", "2x4", "--nodes", "20"];
    for more in [&["--values"][..], &["--sgf", text(&path)]] {
        let arguments = [&solve[..], more].concat();
        refused(&arguments, "the values of the moves: not solved within 20 positions");
        let told = String::from_utf8(hotstone(&arguments).stdout).unwrap();
        assert!(told.starts_with("value  B+1\nbest   A2 B2 A3 B3\n"), "{told}");
    }
    assert!(!path.exists());
}

#[test]
fn a_solved_game_that_has_ended_is_said_to_be_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("over.sgf");
    let over = ["solve", "--rules", "go,komi=0", "--size", "2", "pass", "pass"];
    let told = succeeds(&[&over[..], &["--sgf", text(&path)]].concat());
    assert!(told.starts_with("value  draw\nover   the game has ended: passes\n"), "{told}");
    let record = fs::read_to_string(&path).unwrap();
    assert!(record.contains("C[value draw, the game has ended: passes, "), "{record}");
    let told = json(&succeeds(&[&over[..], &["--json"]].concat()));
    assert_eq!((&told["best"], &told["end"]), (&serde_json::json!([]), &"passes".into()));
}

#[test]
fn a_model_is_judged_by_perfect_play() {
    let run = run_of(SCORED);
    let judge = ["judge", text(&run), "--positions", "12", "--simulations", "8", "--json"];
    let judgement = json(&succeeds(&judge));
    assert_eq!(judgement["positions"], 12);
    for player in ["policy", "search"] {
        let best = judgement[player]["best"].as_u64().unwrap();
        let loss = judgement[player]["loss"].as_f64().unwrap();
        assert!(best <= 12 && loss >= 0.0 && (best == 12) == (loss == 0.0), "{judgement}");
    }
    for games in ["from_the_start", "from_positions"] {
        let count = |name| judgement[games][name].as_u64().unwrap();
        assert!(count("kept") <= count("games") && count("games") <= 12, "{judgement}");
    }
    assert_eq!(judgement, json(&succeeds(&judge)), "the seed decides");
    refused(&["judge", text(&run), "--size", "4"], "size");
}

#[test]
fn an_interrupted_ladder_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (record, picture) = (folder.path().join("record"), folder.path().join("ladder.svg"));
    let mut arguments = vec!["ladder", "random", "greedy", "uct:20", "--rules", "incursion"];
    arguments.extend(["--size", "4", "--games", "24", "--meeting", "8", "--json"]);
    let whole = succeeds(&arguments);
    arguments.extend(["--record", text(&record), "--svg", text(&picture)]);
    assert_eq!(succeeds(&arguments), whole);
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    assert_eq!(json(&whole)["players"].as_array().unwrap().len(), 3);

    // Two games of the second meeting are left, and of the third nothing.
    let games = record.join("00001/games.jsonl");
    let all = fs::read_to_string(&games).unwrap();
    let first_two: String = all.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(&games, &first_two).unwrap();
    fs::remove_dir_all(record.join("00002")).unwrap();
    assert_eq!(succeeds(&arguments), whole);
    assert!(fs::read_to_string(&games).unwrap().starts_with(&first_two));

    refused(&[&arguments[..], &["--seed", "2"]].concat(), "other seed");
}

#[test]
fn a_ladder_takes_the_checkpoints_of_a_run() {
    let run = run_of(SCORED);
    let mut arguments = vec!["ladder", text(&run), "random", "--checkpoints", "2"];
    arguments.extend(["--simulations", "2", "--games", "12", "--meeting", "4", "--json"]);
    let standings = json(&succeeds(&[&arguments[..], &["--adaptive"]].concat()));
    assert_eq!(standings["players"].as_array().unwrap().len(), 3);
}

#[test]
fn the_solver_does_not_lose_at_three_by_three() {
    let arguments = ["match", "solver", "random", "--rules", "go,komi=8.5", "--size", "3"];
    let report = json(&succeeds(&[&arguments[..], &["--games", "4", "--json"]].concat()));
    // With the right komi Black wins the empty board by half a point, but openings may have thrown
    // that away.
    assert!(report["score"].as_f64().unwrap() >= 0.5, "{report}");
    assert_eq!(report["games"], 4);
}

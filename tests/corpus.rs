//! `hotstone replay --corpus` from the command line.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;

use common::hotstone;

/// A ko on 5×5: Black's second B1 takes back at once, which every rule about repetition forbids.
const KO: &str = "(;GM[1]FF[4]SZ[5];B[ad];W[bd];B[be];W[ce];B[ee];W[ae];B[be];W[ea];B[])";

fn write(folder: &Path) {
    fs::create_dir(folder.join("older")).unwrap();
    fs::write(folder.join("ko.sgf"), KO).unwrap();
    // The same game again, one of another size, one with an invalid move, and one that is cut off.
    let several = format!("{KO}\n(;SZ[3];B[bb];W[ab];B[ba];W[cb])(;SZ[5];B[zz])(;SZ[5];B[cc];W[dd");
    fs::write(folder.join("older/several.SGF"), several).unwrap();
    fs::write(folder.join("older/damaged.sgf"), "(;SZ[40];B[aa])").unwrap();
    fs::write(folder.join("empty.sgf"), "").unwrap();
    fs::write(folder.join("notes.txt"), "no game").unwrap();
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = hotstone(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn named<'a>(list: &'a serde_json::Value, rules: &str) -> &'a serde_json::Value {
    list.as_array().unwrap().iter().find(|one| one["rules"] == rules).unwrap()
}

#[test]
fn a_folder_is_replayed_under_every_variant_and_damage_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let path = folder.path().to_str().unwrap();
    let found = json(&["replay", "--corpus", path, "--rules", "all", "--json"]);
    assert_eq!(
        (&found["files"], &found["games"], &found["copies"]),
        (&4.into(), &3.into(), &1.into())
    );
    let left_out = found["left_out"].as_array().unwrap();
    let reasons: Vec<String> = left_out.iter().map(|one| one.to_string()).collect();
    assert_eq!(left_out.len(), 3, "{reasons:?}");
    for part in ["empty.sgf", "no game found", "40 by 40", "\"game\":3", "invalid move"] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    let damaged = found["damaged"].as_array().unwrap();
    assert_eq!((damaged.len(), &damaged[0]["game"]), (1, &4.into()), "{damaged:?}");
    let defect = damaged[0]["defects"][0].as_str().unwrap();
    assert!(defect.starts_with("damaged: "), "{defect}");
    let rules = &found["rules"];
    assert_eq!(rules.as_array().unwrap().len(), engine::Variant::ALL.len() + 1);

    // What the cut-off game has is played; the ko stops a game of Go, and a capture one of NoGo.
    let go = named(rules, "go,suicide=false");
    assert_eq!((&go["games"], &go["complete"]), (&3.into(), &2.into()));
    assert_eq!(go["stops"][0], serde_json::json!({"why": "superko", "games": 1}));
    assert!(go["different"].is_null());
    let nogo = named(rules, "nogo");
    assert_eq!(nogo["stops"][0]["why"], "capture");
    assert!(nogo["different"]["games"].as_u64().unwrap() >= 1);
    // White's first stone is an incursion, so Black's second one needs a tile; one game is too
    // short for it.
    assert_eq!(named(rules, "tile")["tiles"]["games_by_number"], serde_json::json!([1, 2]));
    assert_eq!(named(rules, "cushion")["tiles"]["total"], 0);
    let share = &nogo["different"]["share_of_games"];
    let [low, value, high] = ["low", "value", "high"].map(|end| share[end].as_f64().unwrap());
    assert!(low < value && value <= high && high <= 1.0, "{share}");
    let pairs = found["pairs"].as_array().unwrap();
    let count = engine::Variant::ALL.len() + 1;
    assert_eq!(pairs.len(), count * (count - 1) / 2);
}

#[test]
fn a_folder_is_told_in_words_under_chosen_rules() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let path = folder.path().to_str().unwrap();
    let chosen = ["--rules", "tile,end=area", "--rules", "stoical", "--against", "go"];
    let arguments = [&["replay", "--corpus", path, "--size", "5"], chosen.as_slice()].concat();
    let output = hotstone(&arguments);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    for part in [
        "2 different games from 4 files; copies of them: 1, read only in part: 1, ",
        "tile,end=area",
        "not 5×5",
        "compared with those of go;",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Equal however the files are shared out among the cores.
    assert_eq!(hotstone(&arguments).stdout, output.stdout);
}

#[test]
fn where_nothing_stops_a_game_or_is_forbidden_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sgf"), "(;SZ[5];B[cc];W[dd])").unwrap();
    let path = folder.path().to_str().unwrap();
    let output = hotstone(&["replay", "--corpus", path, "--rules", "incursion"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("1 different game from 1 file; "), "{text}");
    assert!(text.contains("before the game's end\n\nnothing\n"), "{text}");
    assert!(text.contains("forbade a placement\n\nnone\n"), "{text}");
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let errors = |arguments: &[&str]| {
        let output = hotstone(arguments);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(errors(&["replay", "--corpus", path, "--rules", "all"]).contains("no SGF file"));
    assert!(errors(&["replay", "--corpus", path]).contains("--rules all"));
    assert!(errors(&["replay", "--corpus", path, "--rules", "til"]).contains("did you mean"));
    assert!(errors(&["replay"]).contains("--corpus"));
    assert!(errors(&["replay", "game.sgf", "--size", "9"]).contains("cannot be used with"));
}

/// Nodes are nested in memory: the longest game that is read fits the stacks of the threads.
#[test]
fn the_longest_game_fits() {
    let folder = tempfile::tempdir().unwrap();
    let passes = ";B[];W[]".repeat(3_990);
    fs::write(folder.path().join("long.sgf"), format!("(;SZ[5];B[aa];W[bb]{passes})")).unwrap();
    let path = folder.path().to_str().unwrap();
    let found = json(&["replay", "--corpus", path, "--rules", "go", "--json"]);
    assert_eq!(found["games"], 1);
    assert_eq!(found["turns"], 2);
}

//! `hotstone lab` from the command line.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;

use common::hotstone;

/// A small laboratory in a folder: two networks would take longer.
fn lab(folder: &Path, more: &[&str]) -> std::process::Output {
    lab_of(4, folder, more)
}

/// The same with another number of openings.
fn lab_of(openings: usize, folder: &Path, more: &[&str]) -> std::process::Output {
    let (folder, openings) = (folder.to_str().unwrap(), openings.to_string());
    let mut arguments = vec!["lab", "tile", "--size", "4", "--model", "beginner"];
    arguments.extend(["--openings", &openings, "--simulations", "2", "--folder", folder]);
    arguments.extend(more);
    hotstone(&arguments)
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn problem(output: &std::process::Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_laboratory_keeps_its_page_numbers_and_games() {
    let folder = tempfile::tempdir().unwrap();
    let output = lab(folder.path(), &["--claim", "turns > 1000", "--claim", "tiles < 100"]);
    let text = said(&output);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("Before any game: on the empty board with "), "{text}");
    assert!(
        text.contains("\nturns > 1000: false; ") && text.contains("\ntiles < 100: true; "),
        "{text}"
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (page, numbers) = (read("index.html"), read("results.json"));
    assert!(page.contains("hotstone lab tile --size 4 --model beginner"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&numbers).unwrap();
    assert_eq!(json["rule_sets"][1]["rules"], "go");
    assert_eq!(json["closer_look"]["positions_under_other_rules"][0]["rules"], "go");
    let games = read("games.jsonl").lines().count();
    let records =
        fs::read_dir(folder.path()).unwrap().flatten().filter(|entry| entry.path().is_dir());
    let records: usize = records
        .map(|entry| fs::read_dir(entry.path().join("network-1")).map_or(0, Iterator::count))
        .sum::<usize>()
        + fs::read_dir(folder.path().join("rules-1-at-0")).map_or(0, Iterator::count);
    assert!(records > 0 && games > 8, "{records} records of {games} games");
    // Nothing is left to play, and the numbers are the same to the byte.
    assert!(lab(folder.path(), &[]).status.success());
    assert_eq!(read("results.json"), numbers);
    let other = tempfile::tempdir().unwrap();
    assert!(lab(other.path(), &[]).status.success());
    assert_eq!(fs::read_to_string(other.path().join("results.json")).unwrap(), numbers);
}

/// Other systems have only names that are Unicode.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_may_have_a_name_that_is_not_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(["lab", "tile", "--size", "4", "--model", "beginner", "--openings", "1"])
        .args(["--simulations", "2", "--folder"])
        .arg(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.join("index.html").is_file());
}

#[test]
fn rule_sets_to_compare_with_are_named_in_one_list() {
    let folder = tempfile::tempdir().unwrap();
    assert!(lab(folder.path(), &["--against", "cushion,tile_limit=2,go"]).status.success());
    let numbers = fs::read_to_string(folder.path().join("results.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&numbers).unwrap();
    let rules = json["rule_sets"].as_array().unwrap().iter().map(|one| &one["rules"]);
    assert_eq!(rules.collect::<Vec<_>>(), ["tile", "cushion,tile_limit=2", "go"]);
}

#[test]
fn a_position_is_looked_at_under_several_rule_sets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ko.sgf");
    // White has just taken a ko on 5×5.
    fs::write(&path, "(;GM[1]FF[4]SZ[5];B[ad];W[bd];B[be];W[ce];B[ee];W[ae])").unwrap();
    let path = path.to_str().unwrap();
    let output = hotstone(&[
        "lab",
        path,
        "--rules",
        "go,stoical,go,komi=0",
        "--model",
        "beginner",
        "--simulations",
        "4",
    ]);
    let text = said(&output);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("Black ")).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with("go: Black ") && lines[2].starts_with("go,komi=0: "), "{text}");
}

#[test]
fn the_page_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("index.html");
    fs::write(&page, "mine").unwrap();
    let refused = problem(&lab(folder.path(), &[]));
    assert!(refused.contains("choose another folder with --folder"), "{refused}");
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is there");
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = problem(&lab(folder.path(), &["--claim", "drawn < 1%"]));
    assert!(
        unknown
            .contains("tile has no figure 'drawn': expected one of black-from-the-empty-board, "),
        "{unknown}"
    );
    assert!(problem(&lab(folder.path(), &["--claim", "draws"])).contains("as in 'draws < 1%'"));
    // One game has too few positions to know whether the network's chances come true.
    let evaluated = tempfile::tempdir().unwrap();
    let withheld = said(&lab_of(1, evaluated.path(), &["--claim", "comebacks < 90%"]));
    assert!(withheld.contains("comebacks < 0.9: withheld"), "{withheld}");
    assert!(problem(&lab(folder.path(), &["--sweep", "tile_limit"])).contains("tile_limit=1..3"));
    let twice = ["lab", "tile", "--size", "4", "--model", "beginner", "--model", "beginner"];
    assert!(problem(&hotstone(&twice)).contains("are the same network"));
    let wrong = hotstone(&["lab", "tile", "--size", "13"]);
    assert!(problem(&wrong).contains("train one that has"));
    let oblong = problem(&hotstone(&["lab", "tile", "--size", "5x7"]));
    assert!(oblong.contains("only square boards, not 5×7"), "{oblong}");
    assert!(oblong.contains("--rules tile --size 5x7 "), "{oblong}");
    assert!(problem(&hotstone(&["lab", "tile"])).contains("--size"));
    // What is misspelt is told before any network is looked for.
    for (more, told) in [
        (&["--against", "cushio"][..], "did you mean 'cushion'"),
        (&["--claim", "drawn < 1%"], "no figure 'drawn'"),
        (&["--openings", "401"], "a number from 1 to 400"),
        (&["--opening-plies", "3"], "expected an even number"),
    ] {
        let arguments = [&["lab", "tile", "--size", "4", "--model", "nowhere"], more].concat();
        assert!(problem(&hotstone(&arguments)).contains(told), "{arguments:?}");
    }
    for more in [vec![], vec!["--size", "5"]] {
        let position = hotstone(&[vec!["lab", "nowhere.sgf"], more].concat());
        assert!(problem(&position).contains("a position needs --rules A,B"));
    }
    let measured = problem(&hotstone(&["lab", "tile", "--rules", "go,stoical"]));
    assert!(measured.contains("expected --against go,stoical with --size"), "{measured}");
    let seeded = problem(&hotstone(&["lab", "nowhere.sgf", "--rules", "go", "--seed", "2"]));
    assert!(seeded.contains("cannot be used with"), "{seeded}");
    let many = hotstone(&["lab", "tile", "--size", "4", "--openings", "401"]);
    assert!(problem(&many).contains("a number from 1 to 400"));
    assert!(lab(folder.path(), &[]).status.success());
    assert!(
        problem(&lab(folder.path(), &["--seed", "2"]))
            .contains("with other seed (1 there, 2 here)")
    );
}

//! `hotstone replay` and `hotstone rules` from the command line. Neither needs a model.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{hotstone, hotstone_with};

fn stdout(arguments: &[&str]) -> String {
    let output = hotstone(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(arguments: &[&str]) -> String {
    let output = hotstone(arguments);
    assert!(!output.status.success(), "{arguments:?} should fail");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_game_is_replayed_under_other_rules_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let [file, written] = ["game.sgf", "tile.sgf"].map(|name| folder.path().join(name));
    let [file, written] = [&file, &written].map(|path| path.to_str().unwrap());
    fs::write(file, "(;GM[1]FF[4]SZ[5];B[cc];W[ae];B[dd];W[aa];B[])").unwrap();

    let json = stdout(&["replay", file, "--rules", "tile", "--json", "--write", written]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["tiles"]["stacks"][0]["points"][0], "D2");
    assert_eq!(report["stopped"]["turn"], 5);
    assert!(fs::read_to_string(written).unwrap().contains(";B[dd]SQ[dd]"));
    // The written file names its rules.
    assert!(stdout(&["replay", written]).contains("4 of 4 turns played"));

    assert!(stderr(&["replay", file]).contains("--rules"));
    assert!(stderr(&["replay", file, "--rules", "all"]).contains("expected one rule set"));
    let games = folder.path().to_str().unwrap();
    assert!(stderr(&["replay", games, "--rules", "go"]).contains(&format!("--corpus {games}")));
    fs::write(file, "(;SZ[9:7];B[ig];W[aa])").unwrap();
    assert!(stdout(&["replay", file, "--rules", "go"]).contains("go on 9×7"));
    fs::write(file, "(;SZ[9:27])").unwrap();
    assert!(stderr(&["replay", file, "--rules", "go"]).contains("9 by 27"));
}

#[test]
fn a_review_lists_the_turns_that_cost_most_and_writes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let [file, page] = ["game.sgf", "review.html"].map(|name| folder.path().join(name));
    let [file, page] = [&file, &page].map(|path| path.to_str().unwrap());
    // Black's A3 removes three stones of its own.
    fs::write(file, "(;SZ[3];B[ac];W[bc];B[ca];W[bb];B[ab];W[ba];B[aa];W[cc])").unwrap();
    assert!(stderr(&["review", file]).contains("--rules"));
    let quick = ["review", file, "--rules", "go,komi=0", "--simulations", "16", "--html", page];
    let text = stdout(&quick);
    assert!(text.starts_with("go,komi=0 on 3×3, 8 turns, unfinished"), "{text}");
    let html = fs::read_to_string(page).unwrap();
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        assert!(html.contains(line.trim()), "{line}: {html}");
    }
    assert!(html.contains("<polyline"), "{html}");
    assert!(stderr(&["review", file, "--rules", "nogo"]).contains("hotstone replay"));

    // Nobody is blamed for a pass that the file does not have.
    fs::write(file, "(;SZ[3]KM[0.5];B[aa];B[bb];W[cc]").unwrap();
    let output = hotstone(&["review", file, "--rules", "go", "--simulations", "16"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let first = "go,komi=0.5 on 3×3, 4 turns, one of them a pass put in where a player moves twice";
    assert!(text.starts_with(first) && !text.contains("pass:"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("is damaged"));

    // A game that was resumed is reviewed up to its end.
    fs::write(file, "(;SZ[3];B[bb];W[];B[];W[cc])").unwrap();
    let output = hotstone(&["review", file, "--rules", "go", "--simulations", "16"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("go,komi=9 on 3×3, 3 turns") || text.starts_with("go on 3×3, 3 turns"),
        "{text}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("after the end of the game"));
}

#[test]
fn rules_are_listed_and_explained() {
    assert_eq!(stdout(&["rules"]).lines().count(), engine::Variant::ALL.len());
    assert!(stdout(&["rules", "tile"]).contains("Example"));
    assert!(stdout(&["rules", "tile,end=area"]).contains("end=area"));
    assert!(stdout(&["rules", "--parts"]).contains("prisoner-return"));
    assert!(stderr(&["rules", "til"]).contains("did you mean 'tile'?"));
    assert!(stderr(&["rules", "x"]).contains("expected one of go, incursion"));
    assert!(!stdout(&["rules", "nogo"]).contains("Decided here"));
}

#[test]
fn a_position_is_shown_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let [game, text] = ["game.sgf", "position.txt"].map(|name| folder.path().join(name));
    let [game, text] = [&game, &text].map(|path| path.to_str().unwrap());
    fs::write(game, "(;GM[1]FF[4]SZ[4:3]RU[tile];B[bb];W[ac];B[cb])").unwrap();

    // The white stone encloses no area, and the black one after it does no harm either, so no tile
    // is due.
    let second = stdout(&["show", game, "--turn", "2"]);
    assert!(second.contains("size 4x3\n....\n.X..\nO...\n") && second.contains("black to move"));
    assert!(second.contains("# legal: "), "{second}");
    let last = stdout(&["show", game]);
    fs::write(text, &second).unwrap();
    assert_eq!(stdout(&["show", text, "--moves", "C2"]), last);
    assert_eq!(hotstone_with(&["show", "-"], &last).stdout, last.as_bytes());

    assert!(stdout(&["show", game, "--rules", "conquest"]).contains("rules conquest\n"));
    assert!(stderr(&["show", game, "--turn", "4"]).contains("only 3 turns, not 4"));
    assert!(stderr(&["show", text, "--moves", "B2"]).contains("B2"));
    fs::write(text, "rules tile\nsize 3\n...\n.X.\nblack to move\n").unwrap();
    assert!(stderr(&["show", text]).contains("a row of the board"));

    // Other rules see the stones of a text, and no more of it than they look at.
    let rows = "size 3\n...\n.X.\n...\nwhite to move\n";
    for given in [format!("rules tile\n{rows}turns 3\ntiles A1\n"), rows.to_owned()] {
        fs::write(text, given).unwrap();
        let shown = stdout(&["show", text, "--rules", "go"]);
        assert!(shown.starts_with("rules go\nsize 3\n...\n.X.\n"), "{shown}");
        assert!(!shown.contains("tiles"), "{shown}");
    }
}

#[test]
fn a_file_is_shown_whatever_passes_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let file = file.to_str().unwrap();
    // Implied passes, and passes after the end, as in a review.
    fs::write(file, "(;SZ[3]RU[go];B[bb];B[aa];W[];B[];W[];W[])").unwrap();
    let ended = stdout(&["show", file]);
    assert!(ended.contains("size 3\nX..\n.X.\n...\n") && !ended.contains("# legal"), "{ended}");
    assert!(stdout(&["replay", file, "--rules", "go"]).contains("1 of 6 turns played"));
    // A game that was resumed is shown up to its end, unless a later turn is asked for.
    fs::write(file, "(;SZ[3]RU[go];B[bb];W[];B[];W[];W[aa])").unwrap();
    let resumed = hotstone(&["show", file]);
    assert!(String::from_utf8_lossy(&resumed.stderr).contains("after the end of the game"));
    assert_eq!(String::from_utf8(resumed.stdout).unwrap(), stdout(&["show", file, "--turn", "3"]));
    assert!(stderr(&["show", file, "--turn", "5"]).contains("turn 5, A3: the game is over"));
}

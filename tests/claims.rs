//! The claims about the rules, `docs/findings/claims.toml`: none is missing, and each says how it
//! was or would be answered. The commands of the pages beside it are checked as well.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;

use common::hotstone;

const CLAIMS: [&str; 43] = [
    "incursion-no-forced-cycles",
    "incursion-draws-need-cooperation",
    "incursion-keeps-snapback",
    "stoical-loses-snapback",
    "stoical-snapback-cost",
    "minimal-incursion-less-restrictive",
    "incursion-ko-fights",
    "incursion-bans-inside-ko",
    "cushion-few-tiles",
    "cushion-rarely-forbids",
    "tile-close-to-go",
    "cushion-close-to-go",
    "cushion-stack-limit",
    "tile-standard-scoring",
    "tile-no-cycles",
    "cushion-cooperative-cycles",
    "cushion-417-move-game",
    "tile-417-move-game",
    "conquest-balanced",
    "conquest-shorter",
    "conquest-late-conquests",
    "conquest-unwalled-captured",
    "conquest-two-walls-easier",
    "conquest-block-from-afar",
    "conquest-final-stones-critical",
    "conquest-no-dame-no-seki",
    "conquest-51-points",
    "pure-scoring-different",
    "hot-stone-same-as-ing",
    "hot-stone-clearer-than-ing",
    "hot-stone-double-ko-no-threat",
    "hot-stone-few-stones",
    "hot-stone-ordinary-ko-play",
    "hot-stone-max-cycle",
    "superko-one-in-5000",
    "alter-igo-black-favoured",
    "alter-igo-six-passes",
    "alter-igo-longer",
    "alter-igo-more-repetition",
    "alter-igo-territory-wins",
    "alter-igo-two-games-fair",
    "alter-igo-useless-tail",
    "alter-igo-small-boards",
];

const FIELDS: [&str; 6] = ["who", "claim", "verdict", "evidence", "interval", "command"];

fn read() -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/findings/claims.toml");
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn field<'a>(claim: &'a toml::Value, name: &str) -> &'a str {
    claim.get(name).and_then(toml::Value::as_str).unwrap_or_default()
}

#[test]
fn every_claim_has_its_verdict_and_evidence() {
    let claims = read();
    let mut keys: Vec<&str> = claims.keys().map(String::as_str).collect();
    let mut expected = CLAIMS.to_vec();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    for (key, claim) in &claims {
        assert_eq!(claim.as_table().unwrap().len(), FIELDS.len(), "{key}");
        for name in FIELDS {
            assert!(!field(claim, name).is_empty(), "{key} has no {name}");
        }
        let verdict = field(claim, "verdict");
        assert!(["true", "false", "open"].contains(&verdict), "{key}: {verdict}");
        let has_interval = field(claim, "interval") != "none";
        assert!(verdict == "open" || has_interval, "{key} is answered without an interval");
    }
}

#[test]
fn every_command_is_one_of_the_program_or_an_example() {
    let help = String::from_utf8(hotstone(&["--help"]).stdout).unwrap();
    let known: Vec<&str> = help.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for (key, claim) in &read() {
        let words: Vec<&str> = field(claim, "command").split(' ').collect();
        match words.as_slice() {
            ["hotstone", command, ..] => assert!(known.contains(command), "{key}: {command}"),
            ["cargo", "run", "--release", "-p", package, "--example", example, ..] => {
                let file = format!("{package}/examples/{example}.rs");
                assert!(
                    Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).exists(),
                    "{key}: {file}"
                );
            }
            _ => panic!("{key}: {words:?}"),
        }
    }
}

/// The commands of the findings' pages, without the comments that follow them.
fn commands_of_pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/findings");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut commands = Vec::new();
    for page in pages {
        // A command may go on in the next line.
        let text = fs::read_to_string(&page).unwrap().replace("\\\n", " ");
        for line in text.lines().filter(|line| line.starts_with("    hotstone ")) {
            let command = line.split(" # ").next().unwrap_or(line);
            commands.push((page.display().to_string(), command.trim().to_owned()));
        }
    }
    commands
}

#[test]
fn every_option_is_one_of_its_command() {
    let of_claims = read();
    let of_claims =
        of_claims.iter().map(|(key, claim)| (key.clone(), field(claim, "command").to_owned()));
    let pages = commands_of_pages();
    assert!(pages.len() > 20, "{pages:?}");
    for (place, text) in of_claims.chain(pages) {
        // Its output may go to another program.
        let text = text.split("; ").next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let ["hotstone", command, rest @ ..] = words.as_slice() else { continue };
        let help = String::from_utf8(hotstone(&[*command, "--help"]).stdout).unwrap();
        let known: Vec<&str> = help.split_whitespace().collect();
        for option in rest.iter().filter(|word| word.starts_with("--")) {
            assert!(known.contains(option), "{place}: {option} of {command}");
        }
        for rules in rest.windows(2).filter(|pair| ["--rules", "--told"].contains(&pair[0])) {
            let known = rules[1] == "all" || engine::Rules::parse(rules[1], 9).is_ok();
            assert!(known, "{place}: {}", rules[1]);
        }
    }
}

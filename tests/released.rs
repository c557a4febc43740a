//! The released models can play.

#![allow(clippy::unwrap_used)]

mod common;

use std::process::Output;

use common::{hotstone, hotstone_with};
use engine::Variant;
use rayon::prelude::*;

/// Games of each match against random play.
const GAMES: u64 = 8;

/// The output of a command that must succeed.
fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Matches of few games leave cores idle, so several are played at once.
#[test]
fn each_released_model_beats_random_play() {
    Variant::ALL.into_par_iter().for_each(|variant| {
        for (model, least) in [("model:universal@16", GAMES - 1), ("model:beginner@16", GAMES - 2)]
        {
            let games = GAMES.to_string();
            let rules = ["--rules", variant.name(), "--size", "7"];
            let arguments =
                [&["match", model, "random"], &rules[..], &["--games", &games, "--json"]];
            let report = printed(hotstone(&arguments.concat()));
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            let won = report["total"]["wins"].as_u64().unwrap();
            assert!(won >= least, "{model}, {variant}: {won} of {GAMES}");
        }
    });
}

#[test]
fn every_variant_is_played_with_no_model_named() {
    for variant in Variant::ALL {
        let arguments = ["gtp", "--rules", variant.name(), "--simulations", "4"];
        let answers = printed(hotstone_with(&arguments, "showboard\ngenmove b\ngenmove w\nquit\n"));
        assert_eq!(answers.matches('=').count(), 4, "{variant}: {answers}");
    }
}

#[test]
fn a_player_can_be_told_other_rules() {
    let with = |second: &str, told: &str| {
        let players = ["match", "universal@4", second, "--rules", "nogo", "--told", told];
        hotstone(&[&players[..], &["--size", "5", "--games", "4", "--json"]].concat())
    };
    let report: serde_json::Value =
        serde_json::from_str(&printed(with("universal@4", "go"))).unwrap();
    assert_eq!(report["games"], 4);
    assert_eq!(report["players"][1].as_str(), Some("model:universal@4 told go"));
    for (second, told, expected) in
        [("random", "go", "expected a model"), ("universal@4", "goo", "did you mean")]
    {
        let output = with(second, told);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{told}: {said}");
    }
}

#[test]
fn weak_levels_are_played_by_the_beginner_and_advised_by_the_model() {
    let play = |level: &str| {
        let arguments = ["gtp", "--rules", "go", "--size", "5", "--level", level, "--seed", "1"];
        hotstone_with(
            &arguments,
            "genmove b\nkata-get-param maxVisits\nlz-analyze interval 0 maxmoves 1\nquit\n",
        )
    };
    let told = |level| String::from_utf8(play(level).stderr).unwrap();
    let weakest = told("1");
    assert!(weakest.contains("beginner") && weakest.contains("universal"), "{weakest}");
    assert!(!told("10").contains("beginner"), "{}", told("10"));
}

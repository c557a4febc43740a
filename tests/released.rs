//! The released models can play.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::process::Output;

use common::{hotstone, hotstone_with};
use engine::Variant;

/// Games of each match against random play.
const GAMES: u64 = 8;

/// The output of a command that must succeed.
fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The variants that models have been released for.
fn released() -> Vec<Variant> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/released");
    let has_model = |variant: &Variant| folder.join(format!("{variant}-7")).is_dir();
    let released: Vec<Variant> = Variant::ALL.into_iter().filter(has_model).collect();
    assert!(released.len() >= 10);
    released
}

#[test]
fn each_released_model_beats_random_play() {
    for variant in released() {
        let folder = format!("models/released/{variant}-7");
        let (model, games) = (format!("model:{folder}@16"), GAMES.to_string());
        let report = printed(hotstone(&["match", &model, "random", "--games", &games, "--json"]));
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let won = report["total"]["wins"].as_u64().unwrap();
        assert!(won >= GAMES - 1, "{variant}: {won} of {GAMES}");
    }
}

#[test]
fn released_models_are_found_by_their_variants() {
    for variant in released() {
        let arguments = ["gtp", "--variant", variant.name(), "--simulations", "4"];
        let answers = printed(hotstone_with(&arguments, "showboard\ngenmove b\ngenmove w\nquit\n"));
        assert_eq!(answers.matches('=').count(), 4, "{variant}: {answers}");
    }
}

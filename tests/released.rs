//! The released models: there is one for every variant, and it knows how to play.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};

use engine::Variant;

/// Games of each match against random play.
const GAMES: u64 = 8;

fn hotstone(arguments: &[&str], input: &str) -> String {
    use std::io::Write;

    let mut command = Command::new(env!("CARGO_BIN_EXE_hotstone"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_variant_has_a_released_model_that_beats_random_play() {
    for variant in Variant::ALL {
        let folder = format!("models/released/{}-7", variant.name());
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).is_dir(), "{folder}");
        let (model, games) = (format!("model:{folder}@16"), GAMES.to_string());
        let report = hotstone(&["match", &model, "random", "--games", &games, "--json"], "");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let won = report["total"]["wins"].as_u64().unwrap();
        assert!(won >= GAMES - 1, "{variant}: {won} of {GAMES}");
    }
}

#[test]
fn released_models_are_found_by_their_variants() {
    for variant in Variant::ALL {
        let arguments = ["gtp", "--variant", variant.name(), "--simulations", "4"];
        let answers = hotstone(&arguments, "showboard\ngenmove b\ngenmove w\nquit\n");
        assert_eq!(answers.matches('=').count(), 4, "{variant}: {answers}");
    }
}

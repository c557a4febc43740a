//! Whole trees, stored as text that a person can read.
//!
//! A missing file fails. `UPDATE_GOLDEN=1 cargo test -p search` rewrites the files; review the diff
//! before committing them.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use std::path::PathBuf;

use common::{searched, settings, wander};
use engine::Variant;
use search::Settings;

fn compare(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(&path, found).unwrap();
    }
    let stored = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{name}: {error}; UPDATE_GOLDEN=1 writes it"));
    for (line, (found, stored)) in found.lines().zip(stored.lines()).enumerate() {
        assert_eq!(found, stored, "{name}, line {}", line + 1);
    }
    assert_eq!(found.lines().count(), stored.lines().count(), "{name}: number of lines");
}

/// Middle games with passes, without passes, and with prisoners to return. The search does not know
/// variants, so one of each kind is enough; these trees change only when the search or these rules
/// do.
#[test]
fn trees_of_middle_games() {
    for variant in [Variant::Go, Variant::Incursion, Variant::AlterIgo, Variant::Tile] {
        let tree = searched(wander(variant, 4, 8, 9), settings(32, 8), 1);
        compare(variant.name(), &tree.state().to_string());
    }
}

/// A late position, where proofs prune the tree.
#[test]
fn a_tree_with_proofs() {
    let rules = engine::Rules { max_moves: 6, ..Variant::Go.rules(3).unwrap() };
    let root = common::play(engine::Position::new(rules), "B2 B1 C2");
    let tree = searched(root, Settings { gumbel_scale: 0.0, ..settings(48, 4) }, 0);
    compare("proofs", &tree.state().to_string());
}

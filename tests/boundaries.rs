//! The invariants of ARCHITECTURE.md that say what a part must not contain.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust sources below a folder of the workspace.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn visit(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no source");
    found
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

fn assert_absent(folder: &str, words: &[&str]) {
    for (path, text) in sources(folder) {
        let code = without_comments(&text);
        for word in words {
            assert!(!code.contains(word), "{} uses {word}", path.display());
        }
    }
}

fn dependencies(package: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    manifest.get("dependencies").map(|table| table.as_table().unwrap().clone()).unwrap_or_default()
}

const PACKAGES: [&str; 10] =
    ["engine", "search", "sgf", "models", "selfplay", "train", "arena", "bot", "xtask", "."];

#[test]
fn rules_and_search_are_pure() {
    let impure =
        ["std::fs", "std::io", "std::net", "std::thread", "std::time", "std::env", "rand::"];
    for folder in ["engine/src", "search/src"] {
        assert_absent(folder, &impure);
    }
}

#[test]
fn search_never_reads_a_stone() {
    for (path, text) in sources("search/src") {
        // Evaluators are the search's other side: they may look at what they like.
        if !path.ends_with("evaluators.rs") {
            let code = without_comments(&text);
            assert!(!code.contains(".stones(") && !code.contains("Bitboard"), "{}", path.display());
        }
    }
}

#[test]
fn only_the_variant_files_name_variants() {
    for package in PACKAGES {
        for (path, text) in sources(&format!("{package}/src")) {
            let folder = path.parent().is_some_and(|folder| folder.ends_with("engine/src/variant"));
            if folder || path.ends_with("engine/src/variant.rs") {
                continue;
            }
            // Tests inside a source file may name what they test.
            let code = without_comments(text.split("#[cfg(test)]").next().unwrap_or_default());
            for named in code.match_indices("Variant::") {
                let rest = &code[named.0 + "Variant::".len()..];
                assert!(
                    rest.starts_with("ALL") || rest.starts_with(char::is_lowercase),
                    "{} names a variant: Variant::{}",
                    path.display(),
                    rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
                );
            }
        }
    }
}

#[test]
fn only_models_links_libtorch() {
    for package in PACKAGES.into_iter().filter(|&package| package != "models") {
        let found = dependencies(package);
        assert!(!found.contains_key("tch") && !found.contains_key("torch-sys"), "{package}");
    }
}

#[test]
fn dependencies_point_one_way() {
    let allowed: [(&str, &[&str]); 9] = [
        ("engine", &[]),
        ("search", &["engine"]),
        ("models", &["engine", "search"]),
        ("selfplay", &["engine", "search"]),
        ("sgf", &["engine"]),
        ("arena", &["engine", "search", "sgf"]),
        ("bot", &["engine", "search", "sgf"]),
        ("train", &["engine", "search", "models", "selfplay", "arena"]),
        ("xtask", &[]),
    ];
    for (package, allowed) in allowed {
        for ours in dependencies(package).keys().filter(|name| PACKAGES.contains(&name.as_str())) {
            assert!(allowed.contains(&ours.as_str()), "{package} depends on {ours}");
        }
    }
}

#[test]
fn only_the_bot_knows_protocols() {
    for package in PACKAGES.into_iter().filter(|&package| package != "bot" && package != ".") {
        assert_absent(&format!("{package}/src"), &["gogui-", "known_command", "list_commands"]);
    }
}

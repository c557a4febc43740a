//! The licences of everything that is compiled into released files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::reproducible::registries;
use crate::run::{cargo, output};

/// The name of the file that contains them.
pub const FILE: &str = "THIRD-PARTY.txt";

const HEAD: &str = "\
Hotstone is under the licence of LICENSE-MIT or LICENSE-APACHE, as you like. It contains what others wrote, listed here
with their licences: the standard library of Rust (https://www.rust-lang.org, MIT or Apache 2.0),
";

/// The notices of all dependencies of a package, built without its default features for `target`,
/// as one text. `besides` describes what is not in any package.
pub fn notices(root: &Path, package: &str, target: &str, besides: &str) -> Result<String> {
    let mut tree = cargo(root);
    tree.args(["tree", "--locked", "--no-default-features", "--package", package, "--target"]);
    tree.args([target, "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}"]);
    let (tree, registries) = (output(&mut tree)?, registries()?);
    let mut list = String::new();
    let mut texts = BTreeMap::<String, BTreeSet<&str>>::new();
    for line in tree.lines().collect::<BTreeSet<_>>() {
        let (package, licence) = line.split_once('\t').context("cargo tree says no licence")?;
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let folder = format!("{name}-{}", version.trim_start_matches('v'));
        let folder = registries.iter().map(|it| it.join(&folder)).find(|it| it.is_dir());
        // What comes from no registry is our own; a repeated package ends with a star.
        let Some(folder) = folder.filter(|_| !licence.ends_with(" (*)")) else { continue };
        list += &format!("{name} {version}: {licence}\n");
        for text in licence_texts(&folder)? {
            texts.entry(text).or_default().insert(name);
        }
    }
    let mut notices = format!("{HEAD}{besides}and these packages of https://crates.io.\n\n{list}");
    for (text, names) in texts {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        notices += &format!("\n{}\n{names}\n\n{}\n", "-".repeat(80), text.trim());
    }
    Ok(notices)
}

/// The licences and notices in a package.
fn licence_texts(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let named = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];
        if path.is_file() && named.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: &PathBuf| fs::read(path).map(|text| String::from_utf8_lossy(&text).into());
    Ok(files.iter().map(read).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::host;

    #[test]
    fn notices_are_those_of_the_package_that_is_asked_for() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let notices = notices(root, "xtask", &host().unwrap(), "a library, ").unwrap();
        assert!(notices.contains("a library, and these packages"), "{notices}");
        let lists = |start: &str| notices.lines().any(|line| line.starts_with(start));
        assert!(lists("flate2 v1.") && lists("tar v0.4"), "{notices}");
        assert!(!lists("xtask ") && !lists("axum "), "our own, and what others depend on");
        assert!(notices.contains("Permission is hereby granted"), "{notices}");
    }
}

//! The licences of everything that is compiled into the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{cargo, output};

const HEAD: &str = "\
Hotstone is under the licence of LICENSE-MIT or LICENSE-APACHE, as you like. It contains what others wrote, listed here
with their licences: the standard library of Rust (https://www.rust-lang.org, MIT or Apache 2.0), SQLite
(https://sqlite.org, in the public domain), on Linux the GNU C library (https://www.gnu.org/software/libc, LGPL 2.1 or
later; building Hotstone from its source links it with yours), and these packages of https://crates.io.
";

/// The notices of all dependencies as one text.
pub fn notices(root: &Path, host: &str, registries: &[PathBuf]) -> Result<String> {
    let mut tree = cargo(root);
    tree.args(["tree", "--locked", "--package", "hotstone", "--no-default-features", "--target"]);
    tree.args([host, "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}"]);
    let tree = output(&mut tree)?;
    let mut list = String::new();
    let mut texts = BTreeMap::<String, BTreeSet<&str>>::new();
    for line in tree.lines().collect::<BTreeSet<_>>() {
        let (package, licence) = line.split_once('\t').context("cargo tree says no licence")?;
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let folder = format!("{name}-{}", version.trim_start_matches('v'));
        let folder = registries.iter().map(|it| it.join(&folder)).find(|it| it.is_dir());
        // What is in no registry is our own; a repeated package ends with a star.
        let Some(folder) = folder.filter(|_| !licence.ends_with(" (*)")) else { continue };
        list += &format!("{name} {version}: {licence}\n");
        for text in licence_texts(&folder)? {
            texts.entry(text).or_default().insert(name);
        }
    }
    let mut notices = format!("{HEAD}\n{list}");
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

//! The standard configurations: the files of `configs/`, which are embedded in the program.

use std::path::Path;

use super::{ConfigError, RunConfig};

macro_rules! standard {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../configs/", $name, ".toml")))),*]
    };
}

/// Names and texts. Most leave the rules open; one named after a variant as well replaces the general one under that
/// variant's rules.
const STANDARD: [(&str, &str); 12] = standard![
    "5",
    "go-5",
    "incursion-5",
    "7",
    "9",
    "13",
    "19",
    "sizes",
    "gpu-9",
    "universal",
    "demo",
    "smoke"
];

/// The names of the standard configurations.
pub fn standard_names() -> impl Iterator<Item = &'static str> {
    STANDARD.iter().map(|(name, _)| *name)
}

impl RunConfig {
    /// Reads the standard configuration of that name, or a file, whose name ends in `.toml`, and then `key=value`
    /// changes.
    ///
    /// # Errors
    /// As [`RunConfig::load`], and a name that is not among [`standard_names`].
    pub fn find(name: &Path, changes: &[String]) -> Result<RunConfig, ConfigError> {
        if name.extension().is_some_and(|ending| ending == "toml") {
            return RunConfig::load(name, changes);
        }
        let name = name.display().to_string();
        let text =
            |wanted: &str| STANDARD.iter().find(|(name, _)| *name == wanted).map(|(_, text)| *text);
        let own = changes.iter().rev().find_map(|change| variant(change));
        let own = own.and_then(|variant| text(&format!("{variant}-{name}")));
        let text = own.or_else(|| text(&name)).ok_or_else(|| ConfigError::Unknown(name.clone()))?;
        RunConfig::parse(text, &name, changes)
    }
}

/// The variant that a change of the rules names: `rules=go,suicide=false` names `go`.
fn variant(change: &str) -> Option<&str> {
    let (_, rules) = change.split_once('=').filter(|(key, _)| key.trim() == "rules")?;
    rules.trim().trim_matches(['"', '\'']).split(',').next().map(str::trim)
}

//! The standard configurations: the files of `configs/`, embedded in the program.

macro_rules! standard {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../configs/", $name, ".toml")))),*]
    };
}

/// Names and texts. Most leave the rules open; one whose name includes a variant replaces the
/// general one under that variant's rules.
const STANDARD: [(&str, &str); 13] = standard![
    "5",
    "go-5",
    "incursion-5",
    "7",
    "9",
    "13",
    "19",
    "sizes",
    "gpu-9",
    "gpu-universal",
    "universal",
    "demo",
    "smoke"
];

/// The names of the standard configurations.
pub fn standard_names() -> impl Iterator<Item = &'static str> {
    STANDARD.iter().map(|(name, _)| *name)
}

/// The names of those standard configurations that have rules, or that leave them open.
pub(crate) fn standard_names_with_rules(has_rules: bool) -> Vec<&'static str> {
    // Read for every help text, so not as TOML. In a table, a key of the same name is a mixture's.
    let has = |text: &str| {
        let mut top = text.lines().take_while(|line| !line.starts_with('['));
        top.any(|line| line.starts_with("rules ="))
    };
    let those = STANDARD.iter().filter(|(_, text)| has(text) == has_rules);
    those.map(|(name, _)| *name).collect()
}

/// The text of the standard configuration of that name, given the rules set by the `key=value`
/// changes.
pub(super) fn standard(name: &str, changes: &[String]) -> Option<&'static str> {
    let text =
        |wanted: &str| STANDARD.iter().find(|(name, _)| *name == wanted).map(|(_, text)| *text);
    let own = changes.iter().rev().find_map(|change| variant(change));
    let own = own.and_then(|variant| text(&format!("{variant}-{name}")));
    own.or_else(|| text(name))
}

/// The variant in a change of the rules: `rules=go,suicide=false` names `go`.
fn variant(change: &str) -> Option<&str> {
    let (_, rules) = change.split_once('=').filter(|(key, _)| key.trim() == "rules")?;
    rules.trim().trim_matches(['"', '\'']).split(',').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{ConfigError, RunConfig};

    #[test]
    fn configurations_that_leave_the_rules_open_are_told_from_others() {
        for has_rules in [false, true] {
            for name in standard_names_with_rules(has_rules) {
                let found = RunConfig::find(Path::new(name), &[]);
                assert_eq!(!matches!(found, Err(ConfigError::NoRules)), has_rules, "{name}");
            }
        }
    }
}

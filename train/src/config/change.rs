//! Changes to the text of a configuration.

use serde::Deserialize;

use super::error::ConfigError;

/// A configuration as a table, without its seed if that is too large for one.
pub(super) fn table_of(text: &str) -> Result<(Option<u64>, toml::Table), toml::de::Error> {
    #[derive(Deserialize)]
    struct Apart {
        seed: u64,
        #[serde(flatten)]
        table: toml::Table,
    }
    toml::from_str(text).map(|table| (None, table)).or_else(|error| {
        let Apart { seed, table } = toml::from_str(text).map_err(|_| error)?;
        Ok((Some(seed), table))
    })
}

/// The seed that a change sets, if it is too large for a table.
pub(super) fn large_seed(change: &str) -> Option<u64> {
    let (key, value) = change.split_once('=')?;
    let seed = value.trim().parse().ok().filter(|&seed: &u64| i64::try_from(seed).is_err());
    seed.filter(|_| key.trim() == "seed")
}

/// Sets `table.key=value` in `table`. The value is parsed as TOML if possible, and otherwise taken
/// as text.
pub(super) fn apply(table: &mut toml::Table, change: &str) -> Result<(), ConfigError> {
    let bad = |message: String| ConfigError::Parse { origin: "settings".to_owned(), message };
    let (keys, value) = change.split_once('=').ok_or_else(|| {
        bad(format!("invalid change '{change}': expected key=value or table.key=value"))
    })?;
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"))
        .ok()
        // Further lines would be lost.
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    let mut keys: Vec<&str> = keys.trim().split('.').collect();
    let last = keys.pop().unwrap_or_default();
    let mut inner = table;
    for key in keys {
        inner = inner
            .entry(key)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()))
            .as_table_mut()
            .ok_or_else(|| bad(format!("{key} is a value, not a table")))?;
    }
    inner.insert(last.to_owned(), parsed);
    Ok(())
}

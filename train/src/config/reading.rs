//! Reads a configuration; says in one line what is wrong with it.

use serde::{Deserialize, Deserializer};

use super::error::ConfigError;

/// Deserializes a configuration; errors name `origin` and the key.
pub(super) fn deserialize<'a, T, D>(source: D, origin: &str) -> Result<T, ConfigError>
where
    T: Deserialize<'a>,
    D: Deserializer<'a, Error = toml::de::Error>,
{
    serde_path_to_error::deserialize(source)
        .map_err(|error| unreadable(origin, &error.path().to_string(), error.inner()))
}

/// One line about text that is not TOML.
pub(super) fn invalid_toml(origin: &str, text: &str, error: &toml::de::Error) -> ConfigError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let message = format!("line {line}: {}", error.message().replace('\n', " "));
    ConfigError::Parse { origin: origin.to_owned(), message }
}

/// One line about an invalid value of `key`, or about an unknown key, with the nearest valid one.
fn unreadable(origin: &str, key: &str, error: &toml::de::Error) -> ConfigError {
    let mut message = error.message().replace('\n', " ");
    if message == "missing field `rules`" {
        return ConfigError::NoRules;
    }
    let quoted: Vec<String> =
        message.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect();
    if let ("unknown field", [given, known @ ..]) =
        (message.get(..13).unwrap_or_default(), quoted.as_slice())
    {
        message = match engine::nearest_word(given, known.iter().map(String::as_str)) {
            Some(nearest) => format!("unknown key '{given}': did you mean '{nearest}'?"),
            None if known.is_empty() => format!("unknown key '{given}'"),
            None => format!("unknown key '{given}': expected one of {}", known.join(", ")),
        };
    } else if key != "." {
        message = format!("{key}: {message}");
    }
    ConfigError::Parse { origin: origin.to_owned(), message }
}

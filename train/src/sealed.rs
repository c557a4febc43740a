//! TOML files that begin with their checksum.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{RunError, at};

/// Prefix of the first line, which is a TOML comment.
const SEAL: &str = "# crc32c of what follows: ";

/// Prefixes a text with its checksum, because a truncated TOML file may still be valid.
pub(crate) fn sealed(text: &str) -> String {
    format!("{SEAL}{:08x}\n{text}", crc32c::crc32c(text.as_bytes()))
}

/// Reads a file written with [`sealed`].
pub(crate) fn read_sealed<T: DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let bytes = fs::read(path).map_err(at(path))?;
    parse_sealed(path, &String::from_utf8_lossy(&bytes))
}

/// Like [`read_sealed`] for a text in memory; errors name `path`.
pub(crate) fn parse_sealed<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, RunError> {
    let damaged =
        |message: &str| RunError::Damaged { path: path.to_owned(), message: message.to_owned() };
    match text.split_once('\n') {
        // A seal alone, or a part of it, would be a comment in front of an empty table.
        None => Err(damaged("it is cut short")),
        // The seal is a comment.
        Some((first, rest)) if first.starts_with(SEAL) => match text == sealed(rest) {
            true => toml::from_str(text).map_err(|error| RunError::OtherVersion {
                path: path.to_owned(),
                message: error.message().replace('\n', " "),
            }),
            false => Err(damaged("its checksum is another")),
        },
        // States from earlier versions have none.
        Some(_) => toml::from_str(text).map_err(|error| damaged(error.message())),
    }
}

//! The description of a run: `run.toml`, written once.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::exit::Exit;
use crate::names;
use crate::store::{Created, Store, StoreError};

/// Version of the format of objects in the store.
pub const FORMAT: u32 = 1;

/// Upper limit on the size of a configuration, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The description of a run. Every participant reads it first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Distinguishes its games from those of other runs.
    pub id: String,
    /// Version of the format of objects in the store: [`FORMAT`].
    pub format: u32,
    /// Version of the encoding of positions.
    pub encoder: u32,
    /// What is played, as repeated in the files of games.
    pub rules: String,
    /// SHA-256 of the weights with which it begins; `None` if they are random. A learner needs them
    /// until its first checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_from: Option<String>,
    /// The learner's configuration, which also determines how workers play.
    pub config: toml::Table,
}

/// What says whether this program can read the rest of a description.
#[derive(Deserialize)]
struct Versions {
    format: u32,
    encoder: u32,
}

/// Why a process cannot participate in a run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run has been started there.
    #[error("there is no run in the store: start its learner first")]
    Absent,
    /// The store holds another run.
    #[error(
        "the store already holds another run, {0}: use another folder of the store, or resume that run"
    )]
    Other(String),
    /// The run needs another version of the program.
    #[error(
        "the run's {what} is version {theirs}, that of this program is {ours}: use the version of the program that started the run"
    )]
    Version {
        /// Which version differs.
        what: &'static str,
        /// The run's version.
        theirs: u32,
        /// This program's version.
        ours: u32,
    },
}

impl RunError {
    /// How the process ends.
    pub fn exit(&self) -> Exit {
        match self {
            RunError::Store(error) => error.exit(),
            // The learner may not have started yet.
            RunError::Absent => Exit::Unreachable,
            RunError::Other(_) | RunError::Version { .. } => Exit::Unfit,
        }
    }
}

impl Run {
    /// Writes the description of the run. Does nothing if the store already holds the same one.
    ///
    /// # Errors
    /// The store fails, or holds another run.
    pub async fn create(&self, store: &Store) -> Result<(), RunError> {
        let text = toml::to_string(self).unwrap_or_default();
        match store.create(&names::run(), Bytes::from(text)).await? {
            Created::Mine => Ok(()),
            Created::Others(bytes) => {
                let held: Run = parse(&bytes)?;
                // It may have been written differently, by another version or by hand.
                if held == *self { Ok(()) } else { Err(RunError::Other(held.id)) }
            }
        }
    }

    /// Reads the description of the run.
    ///
    /// # Errors
    /// The store fails, there is no run, or it needs a program with an encoding other than
    /// `encoder`.
    pub async fn read(store: &Store, encoder: u32) -> Result<Run, RunError> {
        let bytes = store.get(&names::run(), MAX_BYTES).await?.ok_or(RunError::Absent)?;
        let found: Versions = parse(&bytes)?;
        let versions = [("format", found.format, FORMAT), ("encoding", found.encoder, encoder)];
        for (what, theirs, ours) in versions {
            if theirs != ours {
                return Err(RunError::Version { what, theirs, ours });
            }
        }
        Ok(parse(&bytes)?)
    }
}

fn parse<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, StoreError> {
    let name = names::run();
    let text = str::from_utf8(bytes).map_err(|error| StoreError::damaged(&name, error))?;
    let parsed = toml::from_str(text);
    parsed.map_err(|error| StoreError::damaged(&name, error.message().replace('\n', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_store_holds_one_run() {
        let store = Store::open("memory://").unwrap();
        let config = toml::from_str("seed = 7\n[network]\nblocks = 2").unwrap();
        let (id, rules) = ("one".to_owned(), "go on 5×5".to_owned());
        let run = Run { id, format: FORMAT, encoder: 3, rules, begins_from: None, config };
        let absent = Run::read(&store, 3).await.unwrap_err();
        assert!(matches!(absent, RunError::Absent));
        run.create(&store).await.unwrap();
        run.create(&store).await.unwrap();
        assert_eq!(Run::read(&store, 3).await.unwrap(), run);
        let text = format!("# A note of ours.\n{}", toml::to_string(&run).unwrap());
        store.put(&names::run(), text.into()).await.unwrap();
        run.create(&store).await.unwrap();
        let other = Run { id: "two".to_owned(), begins_from: Some("ab".to_owned()), ..run };
        let error = other.create(&store).await.unwrap_err().to_string();
        assert!(error.contains("already holds another run, one:"), "{error}");
        let error = Run::read(&store, 4).await.unwrap_err().to_string();
        assert!(error.starts_with("the run's encoding is version 3, that of this program is 4"));
    }

    #[tokio::test]
    async fn what_another_version_has_written_says_which_version_is_needed() {
        let store = Store::open("memory://").unwrap();
        let newer = format!("format = {}\nencoder = 3\nwhat_is_new = true\n", FORMAT + 1);
        store.put(&names::run(), newer.into()).await.unwrap();
        let error = Run::read(&store, 3).await.unwrap_err();
        assert!(matches!(error, RunError::Version { what: "format", .. }), "{error}");
        let cut = format!("format = {FORMAT}\nencoder = 3\nru");
        store.put(&names::run(), cut.into()).await.unwrap();
        let error = Run::read(&store, 3).await.unwrap_err().to_string();
        assert!(error.starts_with("run.toml cannot be read") && !error.contains('\n'), "{error}");
    }
}

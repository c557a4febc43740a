//! Game records on disk.
//!
//! A file holds the games of one period of self-play ([`format`]). Files are numbered, appear whole
//! by renaming, and are never changed.

pub mod format;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use thiserror::Error;

use self::format::{Fault, LIMITS, decode, encode};
use crate::TrainingRecord;

const ENDING: &str = "games";

/// The number of a file in a store. Later files have larger numbers.
pub type GameKey = u64;

/// A folder of numbered game files.
#[derive(Debug, Clone)]
pub struct GameStore {
    folder: PathBuf,
}

/// Errors of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path}: {cause}{}", disk_advice(.cause))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error; part of the message, so not a source.
        cause: io::Error,
    },
    /// A damaged file.
    #[error("{path} is damaged ({what})")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Advice about a full disk to append to a message; empty for other errors.
pub fn disk_advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; make room and resume: nothing recorded so far is lost"
        }
        _ => "",
    }
}

impl GameStore {
    /// Opens the store in `folder`, creating it if need be.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> Result<GameStore, StoreError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        Ok(GameStore { folder: folder.to_owned() })
    }

    /// The keys of all files, in order.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn keys(&self) -> Result<Vec<GameKey>, StoreError> {
        let files = self.files()?.into_iter();
        let mut keys: Vec<GameKey> =
            files.filter(|(ending, _)| ending == ENDING).map(|(_, key)| key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// A key larger than those of all files, including damaged ones, whose keys are never reused.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn next_key(&self) -> Result<GameKey, StoreError> {
        let last = self.files()?.into_iter().map(|(_, key)| key).max();
        Ok(last.map_or(0, |key| key + 1))
    }

    /// Extension and number of every numbered file. The largest possible number is never used,
    /// since no file could come after it.
    fn files(&self) -> Result<Vec<(OsString, GameKey)>, StoreError> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let path = entry.map_err(at(&self.folder))?.path();
            let ending = path.extension().map(OsString::from).unwrap_or_default();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let key = stem.parse().ok().filter(|&key| name(key) == stem && key < GameKey::MAX);
            files.extend(key.map(|key| (ending, key)));
        }
        Ok(files)
    }

    /// Writes games as file `key`, durably.
    ///
    /// # Errors
    /// The file cannot be written; then nothing is left under the key.
    pub fn write(&self, key: GameKey, games: &[TrainingRecord]) -> Result<(), StoreError> {
        let path = self.path(key);
        let write = |path: &Path| {
            let mut file = AtomicWriteFile::open(path)?;
            file.write_all(&encode(games))?;
            file.commit()
        };
        write(&path).map_err(at(&path))
    }

    /// Reads the games of file `key`.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn read(&self, key: GameKey) -> Result<Vec<TrainingRecord>, StoreError> {
        let path = self.path(key);
        let file = File::open(&path).map_err(at(&path))?;
        decode(file, LIMITS).map_err(|fault| match fault {
            Fault::Unreadable(cause) => StoreError::Io { path, cause },
            Fault::Damaged(what) => StoreError::Damaged { path, what },
        })
    }

    /// Puts the existing files among `keys` into another folder too: as hard links where the file
    /// system allows them, since files never change, and otherwise as copies.
    ///
    /// # Errors
    /// A file can be neither linked nor copied.
    pub fn link_into(&self, keys: &[GameKey], folder: &Path) -> Result<(), StoreError> {
        let other = GameStore::open(folder)?;
        for &key in keys {
            let (from, to) = (self.path(key), other.path(key));
            if from.exists() && !to.exists() {
                fs::hard_link(&from, &to).or_else(|_| copy(&from, &to)).map_err(at(&to))?;
            }
        }
        Ok(())
    }

    /// Length of file `key` in bytes; `None` if it cannot be read.
    pub fn length(&self, key: GameKey) -> Option<u64> {
        fs::metadata(self.path(key)).ok().map(|found| found.len())
    }

    /// Moves a damaged file aside to a name that no store reads, and returns that name.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn quarantine(&self, key: GameKey) -> Result<PathBuf, StoreError> {
        let path = self.path(key);
        let aside = path.with_extension("damaged");
        fs::rename(&path, &aside).map_err(at(&path))?;
        Ok(aside)
    }

    fn path(&self, key: GameKey) -> PathBuf {
        self.folder.join(format!("{}.{ENDING}", name(key)))
    }
}

/// Copies a file, durably. Nothing is left under the new name if the copy is interrupted.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut file = AtomicWriteFile::open(to)?;
    io::copy(&mut File::open(from)?, &mut file)?;
    file.commit()
}

fn name(key: GameKey) -> String {
    format!("{key:010}")
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    |cause| StoreError::Io { path, cause }
}

#[cfg(test)]
mod tests {
    use engine::GameResult;

    use super::*;
    use crate::TurnRecord;

    pub(super) fn game(seed: u64) -> TrainingRecord {
        let turn = TurnRecord {
            action: 25,
            root_value: 0.5,
            proven: Some(GameResult::Draw),
            surprise: 0.25,
            simulations: 8,
            target: vec![(25, 65535)],
        };
        let size = engine::Size::try_from(5).unwrap();
        TrainingRecord::begun("incursion", size, seed, 3, vec![turn.clone(), turn])
    }

    #[test]
    fn games_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        let games: Vec<TrainingRecord> = (0..20).map(game).collect();
        store.write(7, &games).unwrap();
        store.write(3, &games[..1]).unwrap();
        assert_eq!(store.keys().unwrap(), [3, 7]);
        assert_eq!(store.read(7).unwrap(), games);
        assert!(games[0].replay().is_ok());
    }

    #[test]
    fn names_that_the_store_has_not_given_are_not_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        store.write(3, &[game(1)]).unwrap();
        for name in ["4.games", "+000000005.games", "18446744073709551615.games", "x.games"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!((store.keys().unwrap(), store.next_key().unwrap()), (vec![3], 4));
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        store.write(1, &[game(1), game(2)]).unwrap();
        let path = store.path(1);
        let good = fs::read(&path).unwrap();
        for cut in 0..good.len() {
            fs::write(&path, &good[..cut]).unwrap();
            assert!(store.read(1).is_err(), "cut at {cut}");
        }
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 0x10;
            fs::write(&path, &bad).unwrap();
            // A flipped bit among the frame's unused header bits may be harmless, but must never
            // produce other games.
            if let Ok(games) = store.read(1) {
                assert_eq!(games, [game(1), game(2)], "flip at {place}");
            }
        }
        store.quarantine(1).unwrap();
        assert!(store.keys().unwrap().is_empty());
        assert_eq!(store.next_key().unwrap(), 2, "a key is never given twice");
    }
}

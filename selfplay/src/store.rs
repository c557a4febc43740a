//! Game records on disk.
//!
//! A file holds the games of one stretch of self-play: zstd over a magic word and, for each game, its length, the
//! CRC-32C of its bytes, and the bytes (postcard). Files are numbered, appear whole by rename, and are never changed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::GameRecord;

/// Marks the format and its version.
const MAGIC: &[u8; 8] = b"HSTGAME2";
const ENDING: &str = "games";
/// Level 1 already halves the records; more costs time that self-play needs.
const COMPRESSION: i32 = 1;

/// The number of a file in a store. Later games have larger numbers.
pub type GameKey = u64;

/// A folder of numbered game files.
#[derive(Debug, Clone)]
pub struct GameStore {
    folder: PathBuf,
}

/// What can go wrong with a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path}: {cause}{}", disk_advice(.cause))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said; part of the message, so no source of its own.
        cause: io::Error,
    },
    /// A file that is not what was written.
    #[error("{path} is damaged ({what})")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// What to do about a full disk, to add to a message; empty for all else.
pub fn disk_advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; make room and go on with --resume: nothing recorded so far is lost"
        }
        _ => "",
    }
}

impl GameStore {
    /// Opens the store in `folder`, creating it if need be.
    ///
    /// # Errors
    /// The folder cannot be made.
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

    /// A key above those of all files that are or were here: damaged ones too, whose keys are never given again.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn next_key(&self) -> Result<GameKey, StoreError> {
        let last = self.files()?.into_iter().map(|(_, key)| key).max();
        Ok(last.map_or(0, |key| key + 1))
    }

    /// Ending and number of every file that has a number.
    fn files(&self) -> Result<Vec<(OsString, GameKey)>, StoreError> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let path = entry.map_err(at(&self.folder))?.path();
            let ending = path.extension().map(OsString::from).unwrap_or_default();
            let key = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            files.extend(key.map(|key| (ending, key)));
        }
        Ok(files)
    }

    /// Writes games as file `key`. When this returns, they survive a power cut.
    ///
    /// # Errors
    /// The file cannot be written; nothing is left under the key then.
    pub fn write(&self, key: GameKey, games: &[GameRecord]) -> Result<(), StoreError> {
        let path = self.path(key);
        let partial = path.with_extension("partial");
        let written = write_synced(&partial, &encode(games)).and_then(|()| {
            fs::rename(&partial, &path)?;
            File::open(&self.folder)?.sync_all()
        });
        written.map_err(|cause| {
            // The partial file is worthless; that it cannot be removed either adds nothing to the first error.
            let _ = fs::remove_file(&partial);
            StoreError::Io { path, cause }
        })
    }

    /// Reads the games of file `key`.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn read(&self, key: GameKey) -> Result<Vec<GameRecord>, StoreError> {
        let path = self.path(key);
        let bytes = fs::read(&path).map_err(at(&path))?;
        decode(&bytes).map_err(|what| StoreError::Damaged { path, what })
    }

    /// Lets another folder have the files of these keys too, as far as they exist. Because files are never changed, both
    /// have the same ones where the file system can do that, and copies elsewhere.
    ///
    /// # Errors
    /// A file can be neither linked nor copied.
    pub fn share(&self, keys: &[GameKey], folder: &Path) -> Result<(), StoreError> {
        let other = GameStore::open(folder)?;
        for &key in keys {
            let (from, to) = (self.path(key), other.path(key));
            if from.exists() && !to.exists() {
                let linked = fs::hard_link(&from, &to);
                linked.or_else(|_| fs::copy(&from, &to).map(drop)).map_err(at(&to))?;
            }
        }
        Ok(())
    }

    /// Puts a damaged file out of the way, under a name that no store reads, and returns that name.
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
        self.folder.join(format!("{key:010}.{ENDING}"))
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    |cause| StoreError::Io { path, cause }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn encode(games: &[GameRecord]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for game in games {
        // Records hold plain numbers, text and lists: postcard has nothing to refuse in them.
        let game = postcard::to_stdvec(game).unwrap_or_default();
        bytes.extend((game.len() as u32).to_le_bytes());
        bytes.extend(crc32c::crc32c(&game).to_le_bytes());
        bytes.extend(game);
    }
    // Compressing into memory fails only without memory.
    zstd::encode_all(bytes.as_slice(), COMPRESSION).unwrap_or_default()
}

fn decode(compressed: &[u8]) -> Result<Vec<GameRecord>, &'static str> {
    let bytes = zstd::decode_all(compressed).map_err(|_| "not readable as zstd")?;
    let mut rest = bytes.strip_prefix(MAGIC).ok_or("not a game file of this version")?;
    let mut games = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk().ok_or("cut off")?;
        let (checksum, after) = after.split_first_chunk().ok_or("cut off")?;
        let length = u32::from_le_bytes(*length) as usize;
        let game = after.get(..length).ok_or("cut off")?;
        if crc32c::crc32c(game) != u32::from_le_bytes(*checksum) {
            return Err("checksum differs");
        }
        games.push(postcard::from_bytes(game).map_err(|_| "not a game record")?);
        rest = &after[length..];
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TurnRecord;

    fn game(seed: u64) -> GameRecord {
        let turn = TurnRecord {
            action: 25,
            root_value: 0.5,
            proven: Some(None),
            surprise: 0.25,
            simulations: 8,
            target: vec![(25, 65535)],
        };
        GameRecord {
            rules: "incursion".to_owned(),
            size: engine::Size::try_from(5).unwrap(),
            seed,
            model: 3,
            turns: vec![turn.clone(), turn],
            winner: None,
            capped: false,
        }
    }

    #[test]
    fn games_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        let games: Vec<GameRecord> = (0..20).map(game).collect();
        store.write(7, &games).unwrap();
        store.write(3, &games[..1]).unwrap();
        assert_eq!(store.keys().unwrap(), [3, 7]);
        assert_eq!(store.read(7).unwrap(), games);
        assert!(games[0].replay().is_ok());
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
            // A flipped bit in the frame's unused header bits may be harmless; it must never give other games.
            if let Ok(games) = store.read(1) {
                assert_eq!(games, [game(1), game(2)], "flip at {place}");
            }
        }
        store.quarantine(1).unwrap();
        assert!(store.keys().unwrap().is_empty());
        assert_eq!(store.next_key().unwrap(), 2, "a key is never given twice");
    }
}

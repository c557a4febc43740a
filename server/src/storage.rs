//! The games on disk: one SQLite file, owned by one thread.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, Sender, unbounded};
use interface::{Secret, StoredGame};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use tokio::sync::oneshot;

use super::save_state::SaveState;

/// The file's name in the data folder.
const FILE: &str = "games.sqlite";

/// Version of the file's layout.
const VERSION: i32 = 1;

/// An SQL condition for games without a turn: in our SGF, each turn begins on a new line.
const WITHOUT_TURNS: &str = "instr(sgf, char(10) || ';') = 0";

/// Time for which a game without a turn is kept when there is no room for others: opening many
/// games costs a client nothing.
const UNTOUCHED: Duration = Duration::from_secs(24 * 3600);

/// Maximum number of requests in one transaction.
const TOGETHER: usize = 512;

/// Why games cannot be read or saved.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// The folder cannot be used.
    #[error("the folder {folder} cannot be used: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is not a database, or is damaged.
    #[error(
        "{file} is damaged ({reason}): put a copy of it back, or move it away to begin without games"
    )]
    Damaged {
        /// The file.
        file: String,
        /// SQLite's message.
        reason: String,
    },
    /// Another server uses the file.
    #[error("another server uses the games in {0}: stop it, or choose another folder")]
    InUse(String),
    /// The file was made by a later version.
    #[error(
        "the games are in layout {found}, this version supports {VERSION}: use a newer hotstone"
    )]
    Newer {
        /// The file's layout.
        found: i32,
    },
    /// SQLite failed.
    #[error("{0}")]
    Database(Arc<rusqlite::Error>),
    /// The thread has ended.
    #[error("the storage has stopped")]
    Stopped,
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> StorageError {
        StorageError::Database(Arc::new(error))
    }
}

type Reply<T> = oneshot::Sender<Result<T, StorageError>>;

/// A reply from the storage thread.
pub(crate) type Answer<T> = oneshot::Receiver<Result<T, StorageError>>;

/// Sends the reply once the transaction has succeeded or failed.
type Confirm = Box<dyn FnOnce(Result<(), StorageError>)>;

enum Request {
    Create(Secret, StoredGame, Reply<bool>),
    Save(Secret, StoredGame, Arc<SaveState>, Reply<()>),
    Load(Secret, Reply<Option<StoredGame>>),
}

/// The games on disk.
pub(crate) struct Storage {
    starts: u64,
    requests: Mutex<Option<Sender<Request>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Storage {
    /// Opens the file in `folder`, or creates it. At most `games` games are kept; those untouched
    /// for `keep` may be deleted to make room.
    ///
    /// # Errors
    /// The folder or the file cannot be used.
    pub fn open(folder: &Path, games: usize, keep: Duration) -> Result<Storage, StorageError> {
        let (connection, stored, starts) = open(folder)?;
        let (requests, queue) = unbounded();
        let thread = std::thread::Builder::new()
            .name("storage".to_owned())
            .spawn(move || Database { connection, stored, games, keep }.run(&queue))
            .map_err(|error| StorageError::Folder {
                folder: folder.display().to_string(),
                reason: error.to_string(),
            })?;
        Ok(Storage {
            starts: starts.unsigned_abs(),
            requests: Mutex::new(Some(requests)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// How often the file has been opened, including this time.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Adds a game; the answer is `false` if there is no room.
    pub fn create(&self, id: Secret, saved: StoredGame) -> Answer<bool> {
        self.ask(|reply| Request::Create(id, saved, reply))
    }

    /// Saves a game, and records in `save_state` whether that worked. Saves of one game take effect
    /// in the order of the requests.
    pub fn save(&self, id: Secret, saved: StoredGame, save_state: &Arc<SaveState>) -> Answer<()> {
        save_state.begin();
        self.ask(|reply| Request::Save(id, saved, Arc::clone(save_state), reply))
    }

    /// Reads a game.
    pub fn load(&self, id: Secret) -> Answer<Option<StoredGame>> {
        self.ask(|reply| Request::Load(id, reply))
    }

    fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // If the thread has ended, the reply is dropped, which the receiver notices.
        if let Some(requests) = requests.as_ref() {
            let _ = requests.send(request(reply));
        }
        answer
    }

    /// Completes all requests, and closes the file.
    pub fn close(&self) {
        drop(self.requests.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// The file in `folder`, the number of its games, and how often it has been opened.
fn open(folder: &Path) -> Result<(Connection, usize, i64), StorageError> {
    let unusable =
        |reason: String| StorageError::Folder { folder: folder.display().to_string(), reason };
    let file = folder.join(FILE);
    make_private(folder, &file).map_err(|error| unusable(error.to_string()))?;
    let opened = Connection::open(&file).map_err(StorageError::from).and_then(|connection| {
        prepare(&connection)?;
        let stored = count(&connection)?;
        let starts = connection.query_row("SELECT starts FROM server", [], |row| row.get(0))?;
        Ok((connection, stored, starts))
    });
    opened.map_err(|error| match error {
        StorageError::Database(cause) if is_busy(&cause) => {
            StorageError::InUse(folder.display().to_string())
        }
        StorageError::Database(cause) if is_damage(&cause) => {
            StorageError::Damaged { file: file.display().to_string(), reason: cause.to_string() }
        }
        StorageError::Database(cause) => unusable(cause.to_string()),
        other => other,
    })
}

/// Games contain the tokens of their players, so nobody else may read a folder or file that is
/// created here. SQLite gives its auxiliary files the same permissions.
fn make_private(folder: &Path, file: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    options.open(file).map(drop)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// With `synchronous = NORMAL`, a power cut may lose the last moves, but never the file or the
/// number of starts; a killed process loses nothing.
fn prepare(connection: &Connection) -> Result<(), StorageError> {
    connection.busy_timeout(Duration::from_millis(500))?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let found: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > VERSION {
        return Err(StorageError::Newer { found });
    }
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         CREATE TABLE IF NOT EXISTS games (
             id TEXT PRIMARY KEY,
             created INTEGER NOT NULL,
             changed INTEGER NOT NULL,
             sgf TEXT NOT NULL,
             seats TEXT NOT NULL,
             worth TEXT NOT NULL
         ) WITHOUT ROWID;
         CREATE INDEX IF NOT EXISTS games_changed ON games (changed);
         CREATE INDEX IF NOT EXISTS games_without_turns ON games (changed) WHERE {WITHOUT_TURNS};
         CREATE TABLE IF NOT EXISTS server (starts INTEGER NOT NULL);
         INSERT INTO server SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM server);
         UPDATE server SET starts = starts + 1;
         PRAGMA user_version = {VERSION};
         COMMIT;"
    ))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(())
}

/// The file, in the thread that owns it.
struct Database {
    connection: Connection,
    /// Number of games in the file, cached because counting them for every new one would take too
    /// long.
    stored: usize,
    games: usize,
    keep: Duration,
}

impl Database {
    fn run(mut self, queue: &Receiver<Request>) {
        while let Ok(first) = queue.recv() {
            let others = queue.try_iter().take(TOGETHER);
            self.serve(std::iter::once(first).chain(others));
        }
    }

    /// Answers all requests. Their writes are committed in one transaction before any reply is
    /// sent.
    fn serve(&mut self, requests: impl Iterator<Item = Request>) {
        let mut answers: Vec<Confirm> = Vec::new();
        let transaction =
            self.connection.execute_batch("BEGIN IMMEDIATE").map_err(StorageError::from);
        for request in requests {
            match request {
                Request::Create(id, saved, reply) => {
                    let result = self.create(id, &saved);
                    answers.push(Box::new(move |committed| {
                        let _ = reply.send(committed.and(result));
                    }));
                }
                Request::Save(id, saved, save_state, reply) => {
                    let result = self.put(id, &saved);
                    answers.push(Box::new(move |committed| {
                        let saved = committed.and(result);
                        save_state.end(saved.is_ok());
                        // Nobody waits for the save of a program's move.
                        if let Err(Err(error)) = reply.send(saved) {
                            eprintln!("error: a game could not be saved: {error}");
                        }
                    }));
                }
                Request::Load(id, reply) => {
                    let found = self.load(id);
                    answers.push(Box::new(move |_| {
                        let _ = reply.send(found);
                    }));
                }
            }
        }
        let committed = transaction
            .and_then(|()| self.connection.execute_batch("COMMIT").map_err(StorageError::from));
        if committed.is_err() && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        if committed.is_err() {
            self.stored = count(&self.connection).unwrap_or(self.stored);
        }
        answers.into_iter().for_each(|answer| answer(committed.clone()));
    }

    fn create(&mut self, id: Secret, saved: &StoredGame) -> Result<bool, StorageError> {
        if self.stored >= self.games && !self.make_room()? {
            return Ok(false);
        }
        self.put(id, saved)?;
        Ok(true)
    }

    /// Deletes the game that will be missed least; `false` if all are too recent.
    fn make_room(&mut self) -> Result<bool, StorageError> {
        for (which, age) in [(WITHOUT_TURNS, UNTOUCHED), ("true", self.keep)] {
            let removed = self.connection.execute(
                &format!(
                    "DELETE FROM games WHERE id IN
                     (SELECT id FROM games WHERE changed < ?1 AND {which} ORDER BY changed LIMIT 1)"
                ),
                params![now() - age.as_secs() as i64],
            )?;
            if removed > 0 {
                self.stored -= removed;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Replaces a game, or adds it again: an open game may have been deleted to make room.
    fn put(&mut self, id: Secret, saved: &StoredGame) -> Result<(), StorageError> {
        let values = params![id.to_string(), now(), saved.sgf, saved.seats, saved.values];
        let replaced = self
            .connection
            .prepare_cached(
                "UPDATE games SET changed = ?2, sgf = ?3, seats = ?4, worth = ?5 WHERE id = ?1",
            )?
            .execute(values)?;
        if replaced == 0 {
            self.connection
                .prepare_cached(
                    "INSERT INTO games (id, created, changed, sgf, seats, worth)
                     VALUES (?1, ?2, ?2, ?3, ?4, ?5)",
                )?
                .execute(values)?;
            self.stored += 1;
        }
        Ok(())
    }

    fn load(&self, id: Secret) -> Result<Option<StoredGame>, StorageError> {
        let mut statement =
            self.connection.prepare_cached("SELECT sgf, seats, worth FROM games WHERE id = ?1")?;
        let saved = statement.query_row(params![id.to_string()], |row| {
            Ok(StoredGame { sgf: row.get(0)?, seats: row.get(1)?, values: row.get(2)? })
        });
        Ok(saved.optional()?)
    }
}

fn count(connection: &Connection) -> Result<usize, StorageError> {
    let count: i64 = connection.query_row("SELECT COUNT(*) FROM games", [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Limits;

    fn saved(text: &str) -> StoredGame {
        StoredGame { sgf: text.to_owned(), seats: "[]".to_owned(), values: "[]".to_owned() }
    }

    fn get<T>(answer: Answer<T>) -> T {
        answer.blocking_recv().unwrap().unwrap()
    }

    #[test]
    fn games_survive_and_the_last_save_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Secret::new(1), Secret::new(2));
        let storage = Storage::open(folder.path(), 10, Duration::MAX / 2).unwrap();
        assert!(get(storage.create(one, saved("first"))));
        let save_state = Arc::new(SaveState::default());
        let answers = ["second", "third"].map(|text| storage.save(one, saved(text), &save_state));
        answers.into_iter().for_each(get);
        assert!(save_state.is_saved() && !save_state.has_failed());
        assert_eq!(get(storage.load(other)), None);
        let second = Storage::open(folder.path(), 10, Duration::ZERO).err().unwrap().to_string();
        assert!(second.contains("another server"), "{second}");
        storage.close();
        assert!(storage.load(one).blocking_recv().is_err());

        let before = storage.starts();
        let storage = Storage::open(folder.path(), 10, Duration::ZERO).unwrap();
        assert!(storage.starts() > before);
        assert_eq!(get(storage.load(one)), Some(saved("third")));
    }

    #[test]
    fn games_older_than_a_day_make_room_and_young_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let ids = [1, 2, 3, 4].map(Secret::new);
        let turn = |point: &str| saved(&format!("(;SZ[5]\n;B[{point}])"));
        let start = || Storage::open(folder.path(), 2, Limits::default().keep).unwrap();
        let storage = start();
        assert!(get(storage.create(ids[0], turn("aa"))) && get(storage.create(ids[1], turn("bb"))));
        assert!(!get(storage.create(ids[2], turn("cc"))));
        storage.close();
        let connection = open(folder.path()).unwrap().0;
        let aged = connection.execute(
            "UPDATE games SET changed = changed - 25 * 3600 WHERE id = ?1",
            params![ids[1].to_string()],
        );
        assert_eq!(aged, Ok(1));
        drop(connection);
        let storage = start();
        assert!(get(storage.create(ids[3], turn("dd"))));
        assert_eq!(get(storage.load(ids[1])), None);
        assert_eq!(get(storage.load(ids[0])), Some(turn("aa")));
    }

    #[test]
    fn a_file_of_a_later_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(folder.path()).unwrap().0;
        connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
        drop(connection);
        let refused = Storage::open(folder.path(), 2, Duration::ZERO).err().unwrap().to_string();
        assert!(refused.contains("newer hotstone"), "{refused}");
    }

    #[test]
    fn games_without_a_turn_make_room_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let (turn, none) = (saved("(;SZ[5]\n;B[aa])"), saved("(;SZ[5])"));
        let ids = [1, 2, 3, 4].map(Secret::new);
        let storage = Storage::open(folder.path(), 2, Duration::from_secs(10 * 24 * 3600)).unwrap();
        assert!(get(storage.create(ids[0], turn.clone())));
        assert!(get(storage.create(ids[1], none)));
        storage.close();
        let connection = open(folder.path()).unwrap().0;
        let days = connection.execute("UPDATE games SET changed = changed - 2 * 24 * 3600", []);
        assert_eq!(days, Ok(2));
        let plan: String = connection
            .query_row(
                &format!(
                    "EXPLAIN QUERY PLAN SELECT id FROM games WHERE changed < 1 AND {WITHOUT_TURNS}
                     ORDER BY changed LIMIT 1"
                ),
                [],
                |row| row.get("detail"),
            )
            .unwrap();
        assert!(plan.contains("games_without_turns"), "{plan}");
        drop(connection);
        let storage = Storage::open(folder.path(), 2, Duration::from_secs(10 * 24 * 3600)).unwrap();
        assert!(get(storage.create(ids[2], turn.clone())));
        assert_eq!(get(storage.load(ids[1])), None);
        assert_eq!(get(storage.load(ids[0])), Some(turn.clone()));
        assert!(!get(storage.create(ids[3], turn)), "the others are too young");
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "no database ".repeat(1000)).unwrap();
        let refused = Storage::open(folder.path(), 2, Duration::ZERO).err().unwrap().to_string();
        let file = folder.path().join(FILE).display().to_string();
        assert!(refused.starts_with(&file) && refused.contains("move it away"), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let storage = Storage::open(folder.path(), 2, Duration::ZERO).unwrap();
        assert!(get(storage.create(Secret::new(1), saved("a"))));
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{:?}", file.path());
        }
    }
}

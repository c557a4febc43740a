//! Results on disk, so that the process producing them can be interrupted.
//!
//! A folder contains a header, which says what is measured, and `games.jsonl`, with one result per
//! line in the order of arrival. Only one process can have it open at a time. A truncated line, as
//! after a power failure, is ignored, and its result has to be produced again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use serde_json::Value;

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder belongs to something else.
    #[error(
        "{folder} holds another {kind}, with other {what} ({theirs} there, {ours} here): \
         use another folder, or what it was begun with to resume it"
    )]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What such folders contain.
        kind: &'static str,
        /// The setting that differs.
        what: String,
        /// The recorded value.
        theirs: String,
        /// The requested value.
        ours: String,
    },
    /// The folder has results, but not of what is measured.
    #[error("{folder} has the results of something else than a {kind}: use another folder")]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What was looked for.
        kind: &'static str,
    },
    /// Another process is writing results there.
    #[error("{0} is in use by another process: wait for it, stop it first, or use another folder")]
    InUse(PathBuf),
    /// A line that is not a valid result.
    #[error("{path}, line {line}: {problem}; remove the folder to begin anew")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// The headers that there are. Results of two kinds would get mixed up in one folder.
const KINDS: [&str; 2] = ["match", "lab"];

/// An open folder.
#[derive(Debug)]
pub struct RecordFolder {
    path: PathBuf,
    file: File,
}

impl RecordFolder {
    /// Opens or creates the folder of something of this `kind`, such as "match", with the settings
    /// in `header`, which the file of that name stores. Returns the results in it, each converted
    /// from its line by `read`.
    ///
    /// # Errors
    /// The folder has another header or is in use by another process, a line cannot be read, or an
    /// I/O error.
    pub fn open<T>(
        folder: &Path,
        kind: &'static str,
        header: &Value,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<(RecordFolder, Vec<T>), RecordError> {
        fs::create_dir_all(folder).map_err(|source| at(folder, source))?;
        let path = folder.join("games.jsonl");
        // Not to append: Windows refuses to shorten a file opened for that, and the lock below keeps
        // other writers away.
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|source| at(&path, source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecordError::InUse(folder.to_owned())),
            Err(TryLockError::Error(source)) => return Err(at(&path, source)),
        }
        let is_empty = file.metadata().map_err(|source| at(&path, source))?.len() == 0;
        check_header(folder, kind, header, is_empty)?;
        let (results, whole) = read_lines(&file, &path, read)?;
        // The remains of a truncated line would corrupt the next one. Whatever is appended comes
        // where the file now ends, which reading may have passed.
        file.set_len(whole)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|source| at(&path, source))?;
        Ok((RecordFolder { path, file }, results))
    }

    /// Appends results.
    ///
    /// # Errors
    /// An I/O error.
    pub fn append(&mut self, results: impl IntoIterator<Item = Value>) -> Result<(), RecordError> {
        let lines: String = results.into_iter().map(|result| format!("{result}\n")).collect();
        self.file.write_all(lines.as_bytes()).map_err(|source| at(&self.path, source))
    }

    /// Waits until everything appended is on disk.
    ///
    /// # Errors
    /// An I/O error.
    pub fn sync(&self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(|source| at(&self.path, source))
    }
}

fn at(path: &Path, source: io::Error) -> RecordError {
    RecordError::File { path: path.to_owned(), source }
}

/// Checks the header, or writes it if there is none yet and the folder has no other results.
fn check_header(
    folder: &Path,
    kind: &'static str,
    ours: &Value,
    is_empty: bool,
) -> Result<(), RecordError> {
    let header = |kind: &str| folder.join(format!("{kind}.json"));
    let path = header(kind);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !is_empty || KINDS.iter().any(|other| header(other).exists()) {
                return Err(RecordError::Foreign { folder: folder.to_owned(), kind });
            }
            let attempt = || {
                let mut file = AtomicWriteFile::open(&path)?;
                writeln!(file, "{ours:#}")?;
                file.commit()
            };
            return attempt().map_err(|source| at(&path, source));
        }
        Err(source) => return Err(at(&path, source)),
    };
    let theirs: Value = serde_json::from_str(&text).map_err(|error| RecordError::Line {
        path: path.clone(),
        line: error.line(),
        problem: error.to_string(),
    })?;
    let keys = || [ours, &theirs].into_iter().filter_map(Value::as_object).flat_map(|o| o.keys());
    match keys().find(|&key| ours.get(key) != theirs.get(key)) {
        None => Ok(()),
        Some(what) => Err(RecordError::Other {
            folder: folder.to_owned(),
            kind,
            what: what.clone(),
            theirs: theirs.get(what).unwrap_or(&Value::Null).to_string(),
            ours: ours.get(what).unwrap_or(&Value::Null).to_string(),
        }),
    }
}

/// The results, and the length of the file up to its last complete line.
fn read_lines<T>(
    file: &File,
    path: &Path,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<(Vec<T>, u64), RecordError> {
    let mut results = Vec::new();
    let mut whole = 0;
    let mut reader = BufReader::new(file);
    for line in 1.. {
        // A truncated line may end in the middle of a character.
        let mut text = Vec::new();
        let length = reader.read_until(b'\n', &mut text).map_err(|source| at(path, source))?;
        if !text.ends_with(b"\n") {
            break;
        }
        whole += length as u64;
        let result = serde_json::from_slice(&text).map_err(|error| error.to_string());
        results.push(
            result.and_then(|result| read(&result)).map_err(|problem| RecordError::Line {
                path: path.to_owned(),
                line,
                problem,
            })?,
        );
    }
    Ok((results, whole))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn open(folder: &Path) -> (RecordFolder, Vec<u64>) {
        let read = |line: &Value| line.as_u64().ok_or_else(|| "no number".to_owned());
        RecordFolder::open(folder, "count", &json!({"of": "numbers"}), read).expect("a folder")
    }

    #[test]
    fn results_follow_those_that_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.jsonl");
        let text = || fs::read_to_string(&path).expect("the results");
        open(folder.path()).0.append([json!(1), json!(2)]).expect("written");
        // A process that was killed while it wrote.
        fs::write(&path, text() + "345").expect("written");
        let (mut resumed, found) = open(folder.path());
        assert_eq!(found, [1, 2]);
        resumed.append([json!(3)]).expect("written");
        resumed.append([json!(4)]).expect("written");
        drop(resumed);
        assert_eq!(text(), "1\n2\n3\n4\n");
        assert_eq!(open(folder.path()).1, [1, 2, 3, 4]);
    }

    #[test]
    fn results_of_another_kind_are_left_alone() {
        let begin = |folder: &Path, kind| {
            let read = |_: &Value| Ok(());
            RecordFolder::open(folder, kind, &json!({}), read).map(|(_, found)| found.len())
        };
        // One that was interrupted before its first result, and one that has some.
        let [begun, filled] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        assert_eq!(begin(begun.path(), "match").expect("a folder"), 0);
        open(filled.path()).0.append([json!(1)]).expect("written");
        for folder in [&begun, &filled] {
            let refused = begin(folder.path(), "lab").expect_err("results of another kind");
            assert!(matches!(refused, RecordError::Foreign { kind: "lab", .. }), "{refused}");
            assert!(!folder.path().join("lab.json").exists(), "nothing is left there");
        }
        assert_eq!(begin(begun.path(), "match").expect("its own"), 0);
        assert_eq!(open(filled.path()).1, [1]);
    }
}

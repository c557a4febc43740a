//! The finished games of a match on disk, so that an interrupted match can be resumed.
//!
//! A folder holds `match.json`, which says what is played, and `games.jsonl`, one finished game a line in the order in
//! which games ended. A truncated line, as after a power failure, is ignored and its game replayed.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use engine::Move;
use serde_json::{Value, json};

use crate::{Match, MatchGame};

/// Why a folder cannot be used for the match.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder belongs to another match.
    #[error(
        "{folder} holds another match, with other {what} ({theirs} there, {ours} here): \
         use another folder, or the same settings to resume it"
    )]
    OtherMatch {
        /// The folder.
        folder: PathBuf,
        /// The setting that differs.
        what: String,
        /// The recorded value.
        theirs: String,
        /// The requested value.
        ours: String,
    },
    /// A line that is not a game of this match.
    #[error("{path}, line {line}: {problem}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// An open record of a match.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    written: HashSet<usize>,
}

impl Journal {
    /// Opens or begins the record of a match in a folder, and returns its finished games.
    ///
    /// # Errors
    /// A folder of another match, a damaged record, or an I/O error.
    pub fn open(
        folder: &Path,
        plan: &Match,
    ) -> Result<(Journal, Vec<(usize, MatchGame)>), JournalError> {
        fs::create_dir_all(folder).map_err(|source| at(folder, source))?;
        check_header(folder, &header(plan))?;
        let path = folder.join("games.jsonl");
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(&path)
            .map_err(|source| at(&path, source))?;
        let (games, whole) = read_games(&file, &path, plan)?;
        // The rest of a truncated line would corrupt the next one.
        file.set_len(whole).map_err(|source| at(&path, source))?;
        let written = games.iter().map(|(index, _)| *index).collect();
        Ok((Journal { path, file, written }, games))
    }

    /// Appends a finished game, unless it is already recorded.
    ///
    /// # Errors
    /// An I/O error.
    pub fn append(&mut self, index: usize, game: &MatchGame) -> Result<(), JournalError> {
        if !self.written.insert(index) {
            return Ok(());
        }
        let line = format!("{}\n", to_json(index, game));
        self.file.write_all(line.as_bytes()).map_err(|source| at(&self.path, source))
    }
}

fn at(path: &Path, source: io::Error) -> JournalError {
    JournalError::File { path: path.to_owned(), source }
}

/// The settings that must agree for two matches to share games.
fn header(plan: &Match) -> Value {
    let mut header = json!({
        "rules": plan.rules.to_string(),
        "size": plan.rules.size,
        "players": plan.players.each_ref().map(|player| &player.name),
        "pairs": plan.pairs,
        "opening_plies": plan.opening_plies,
        "seed": plan.seed,
    });
    if let Some(openings) = &plan.openings {
        let line = |line: &Vec<Move>| line.iter().map(ToString::to_string).collect::<Vec<_>>();
        let lines = openings.lines.iter().map(|moves| line(moves).join(" "));
        header["openings"] = lines.collect::<Vec<_>>().into();
    }
    header
}

fn check_header(folder: &Path, ours: &Value) -> Result<(), JournalError> {
    let path = folder.join("match.json");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let attempt = || {
                let mut file = AtomicWriteFile::open(&path)?;
                writeln!(file, "{ours:#}")?;
                file.commit()
            };
            return attempt().map_err(|source| at(&path, source));
        }
        Err(source) => return Err(at(&path, source)),
    };
    let theirs: Value = serde_json::from_str(&text).map_err(|error| at(&path, error.into()))?;
    let keys = || [ours, &theirs].into_iter().filter_map(Value::as_object).flat_map(|o| o.keys());
    match keys().find(|&key| ours.get(key) != theirs.get(key)) {
        None => Ok(()),
        Some(what) => Err(JournalError::OtherMatch {
            folder: folder.to_owned(),
            what: what.clone(),
            theirs: theirs.get(what).unwrap_or(&Value::Null).to_string(),
            ours: ours.get(what).unwrap_or(&Value::Null).to_string(),
        }),
    }
}

/// The games, and the length of the file up to its last whole line.
fn read_games(
    file: &File,
    path: &Path,
    plan: &Match,
) -> Result<(Vec<(usize, MatchGame)>, u64), JournalError> {
    let mut games = Vec::new();
    let mut whole = 0;
    let mut reader = BufReader::new(file);
    for line in 1.. {
        let mut text = String::new();
        let length = reader.read_line(&mut text).map_err(|source| at(path, source))?;
        if !text.ends_with('\n') {
            break;
        }
        whole += length as u64;
        games.push(from_json(&text, plan).map_err(|problem| JournalError::Line {
            path: path.to_owned(),
            line,
            problem,
        })?);
    }
    Ok((games, whole))
}

fn to_json(index: usize, game: &MatchGame) -> Value {
    let mut line = json!({ "game": index });
    if let (Some(line), Value::Object(game)) = (line.as_object_mut(), game.to_json()) {
        line.extend(game);
    }
    line
}

fn from_json(text: &str, plan: &Match) -> Result<(usize, MatchGame), String> {
    let line: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let index = line["game"].as_u64().ok_or("no 'game'")?;
    Ok((index as usize, MatchGame::from_json(&line, plan.rules)?))
}

//! The finished games of a match on disk, so that an interrupted match can be resumed.
//!
//! A folder holds `match.json`, which says what is played, and `games.jsonl`, one finished game a line in the order in
//! which games ended. A truncated line, as after a power failure, is ignored and its game replayed.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use engine::{Color, GameResult, Move};
use game::{EndReason, Fault, Game, GameEnd};
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
    json!({
        "game": index,
        "black": game.players[0],
        "white": game.players[1],
        "opening_plies": game.opening_plies,
        "moves": game.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        "winner": game.end.result.winner().map(|winner| winner.to_string()),
        "reason": game.end.reason.to_string(),
        "transcript": game.transcript,
    })
}

/// The game of a line, replayed: what it says about the end is checked against the rules.
fn from_json(text: &str, plan: &Match) -> Result<(usize, MatchGame), String> {
    let line: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let word = |key: &str| line[key].as_str().ok_or_else(|| format!("no '{key}'"));
    let number = |key: &str| line[key].as_u64().ok_or_else(|| format!("no '{key}'"));
    let moves: Vec<Move> = word("moves")?
        .split_whitespace()
        .map(|text| text.parse().map_err(|error| format!("{error}")))
        .collect::<Result<_, _>>()?;
    let mut played = Game::new(plan.rules);
    for &next in &moves {
        played.play(next).map_err(|error| format!("{next}: {error}"))?;
    }
    let players = [word("black")?.to_owned(), word("white")?.to_owned()];
    let opening_plies = number("opening_plies")? as usize;
    let reason = word("reason")?;
    let end = match end_outside_the_rules(reason) {
        None => played
            .end()
            .filter(|end| end.reason.to_string() == reason)
            .ok_or_else(|| format!("the game does not end by '{reason}'"))?,
        Some(reason) => {
            let winner = Color::BOTH
                .into_iter()
                .find(|color| line["winner"].as_str() == Some(&color.to_string()));
            GameEnd { result: winner.map_or(GameResult::Draw, GameResult::Won), reason }
        }
    };
    let mut game = MatchGame::new(&played, end, opening_plies, players);
    game.transcript = line["transcript"].as_str().map(str::to_owned);
    Ok((number("game")? as usize, game))
}

/// The end of this name, unless it is one of the rules.
fn end_outside_the_rules(name: &str) -> Option<EndReason> {
    let faults = Fault::ALL.into_iter().map(EndReason::Fault);
    faults.chain([EndReason::Resignation]).find(|end| end.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Reason;

    #[test]
    fn no_two_ends_have_one_name() {
        for reason in Reason::ALL {
            assert_eq!(end_outside_the_rules(&reason.to_string()), None);
        }
        for fault in Fault::ALL {
            assert_eq!(end_outside_the_rules(&fault.to_string()), Some(EndReason::Fault(fault)));
        }
    }
}

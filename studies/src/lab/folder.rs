//! The games of a laboratory on disk, so that it can be interrupted and deepened.
//!
//! A folder holds `lab.json`, which says what is measured, and `games.jsonl`, one finished game a line. A truncated line,
//! as after a power failure, is ignored and its game replayed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use arena::{MatchGame, SelfPlayed};
use atomic_write_file::AtomicWriteFile;
use engine::Rules;
use serde_json::{Value, json};

use super::plan::{LabError, LabPlan};

/// A game of a laboratory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabGame {
    /// The index of the rule set that it was played for; its own rules may have another compensation.
    pub(crate) column: usize,
    /// The index of the network.
    pub(crate) network: usize,
    /// The index of its opening.
    pub(crate) opening: usize,
    pub(crate) played: SelfPlayed,
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    file: File,
}

impl Folder {
    /// Opens or begins a folder, and returns its games.
    pub(crate) fn open(folder: &Path, plan: &LabPlan) -> Result<(Folder, Vec<LabGame>), LabError> {
        fs::create_dir_all(folder).map_err(|source| at(folder, source))?;
        check_header(folder, &plan.header())?;
        let path = folder.join("games.jsonl");
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).open(&path);
        let file = file.map_err(|source| at(&path, source))?;
        let (games, whole) = read_games(&file, &path, plan)?;
        // The rest of a truncated line would corrupt the next one.
        file.set_len(whole).map_err(|source| at(&path, source))?;
        Ok((Folder { path, file }, games))
    }

    /// Adds games, which are then on disk.
    pub(crate) fn append(&mut self, games: &[LabGame]) -> Result<(), LabError> {
        let lines: String = games.iter().map(|game| format!("{}\n", to_json(game))).collect();
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| at(&self.path, source))
    }
}

fn at(path: &Path, source: io::Error) -> LabError {
    LabError::File { path: path.to_owned(), source }
}

fn check_header(folder: &Path, ours: &Value) -> Result<(), LabError> {
    let path = folder.join("lab.json");
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
    let mut keys = ours.as_object().into_iter().flat_map(|object| object.keys());
    match keys.find(|&key| ours[key] != theirs[key]) {
        None => Ok(()),
        Some(what) => Err(LabError::OtherPlan {
            folder: folder.to_owned(),
            what: what.clone(),
            theirs: theirs[what].to_string(),
            ours: ours[what].to_string(),
        }),
    }
}

/// The games, and the length of the file up to its last whole line.
fn read_games(file: &File, path: &Path, plan: &LabPlan) -> Result<(Vec<LabGame>, u64), LabError> {
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
        games.push(from_json(&text, plan).map_err(|problem| LabError::Line {
            path: path.to_owned(),
            line,
            problem,
        })?);
    }
    Ok((games, whole))
}

fn to_json(game: &LabGame) -> Value {
    let LabGame { column, network, opening, played: SelfPlayed { game, values } } = game;
    json!({
        "column": column,
        "rules": game.rules.to_string(),
        "network": network,
        "opening": opening,
        "record": game.to_json(),
        "values": values,
    })
}

fn from_json(text: &str, plan: &LabPlan) -> Result<LabGame, String> {
    let line: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let number = |key: &str| {
        line[key].as_u64().map(|number| number as usize).ok_or_else(|| format!("no '{key}'"))
    };
    let (column, network) = (number("column")?, number("network")?);
    let size = plan.rules.get(column).ok_or("no such rule set")?.size;
    let rules = line["rules"].as_str().ok_or("no 'rules'")?;
    let rules = Rules::parse(rules, size).map_err(|error| error.to_string())?;
    if network >= plan.networks.len() {
        return Err("no such network".to_owned());
    }
    let game = MatchGame::from_json(&line["record"], rules)?;
    let values = line["values"].as_array().ok_or("no 'values'")?;
    let values: Vec<f32> =
        values.iter().filter_map(Value::as_f64).map(|value| value as f32).collect();
    if game.opening_plies + values.len() != game.moves.len() {
        return Err("expected a value for each turn after the opening".to_owned());
    }
    Ok(LabGame {
        column,
        network,
        opening: number("opening")?,
        played: SelfPlayed { game, values },
    })
}

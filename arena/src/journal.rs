//! The finished games of a match on disk, so that an interrupted match can be resumed.
//!
//! `match.json` in its folder says what is played.

use std::collections::HashSet;
use std::path::Path;

use engine::join_with_spaces;
use serde_json::{Value, json};

use crate::record_folder::{RecordError, RecordFolder};
use crate::{Match, MatchGame};

/// An open journal of a match.
#[derive(Debug)]
pub struct Journal {
    folder: RecordFolder,
    written: HashSet<usize>,
}

impl Journal {
    /// Opens or creates the journal of a match in a folder, and returns the finished games in it.
    ///
    /// # Errors
    /// The folder belongs to another match or is in use by another process, the journal is damaged,
    /// or an I/O error.
    pub fn open(
        folder: &Path,
        plan: &Match,
    ) -> Result<(Journal, Vec<(usize, MatchGame)>), RecordError> {
        let read = |line: &Value| from_json(line, plan);
        let (folder, games) = RecordFolder::open(folder, "match", &header(plan), read)?;
        let written = games.iter().map(|(index, _)| *index).collect();
        Ok((Journal { folder, written }, games))
    }

    /// Appends a finished game, unless it is already recorded.
    ///
    /// # Errors
    /// An I/O error.
    pub fn append(&mut self, index: usize, game: &MatchGame) -> Result<(), RecordError> {
        match self.written.insert(index) {
            true => self.folder.append([to_json(index, game)]),
            false => Ok(()),
        }
    }
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
    if !plan.networks.is_empty() {
        header["networks"] = plan.networks.clone().into();
    }
    if let Some(openings) = &plan.openings {
        header["openings"] = openings.lines.iter().map(join_with_spaces).collect::<Vec<_>>().into();
    }
    header
}

/// A game with its index as JSON.
pub(crate) fn to_json(index: usize, game: &MatchGame) -> Value {
    let mut line = json!({ "game": index });
    if let (Some(line), Value::Object(game)) = (line.as_object_mut(), game.to_json()) {
        line.extend(game);
    }
    line
}

/// Reads a game with its index from JSON, and replays it.
pub(crate) fn from_json(line: &Value, plan: &Match) -> Result<(usize, MatchGame), String> {
    let index = line["game"].as_u64().ok_or("no 'game'")?;
    Ok((index as usize, MatchGame::from_json(line, plan.rules)?))
}

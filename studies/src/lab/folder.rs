//! The games of a laboratory on disk, so that it can be interrupted and deepened.
//!
//! `lab.json` in its folder says what is measured.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use arena::{MatchGame, RecordFolder, SelfPlayedGame};
use engine::Rules;
use serde_json::{Value, json};

use super::budget::MAX_OPENINGS;
use super::plan::{LabError, LabPlan};

/// A game of a laboratory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabGame {
    /// The index of the rule set for which it was played; its own rules may have another
    /// compensation.
    pub(crate) rule_set: usize,
    /// The index of the network.
    pub(crate) network: usize,
    /// The index of its opening.
    pub(crate) opening: usize,
    pub(crate) played: SelfPlayedGame,
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(RecordFolder);

impl Folder {
    /// Opens or begins a folder, and returns its games.
    pub(crate) fn open(folder: &Path, plan: &LabPlan) -> Result<(Folder, Vec<LabGame>), LabError> {
        let known = RefCell::new(HashSet::new());
        let read = |line: &Value| {
            let game = from_json(line, plan)?;
            let which = (game.rule_set, game.network, game.opening, game.played.game.rules);
            match known.borrow_mut().insert(which) {
                true => Ok(game),
                false => Err("this game is there twice".to_owned()),
            }
        };
        let (folder, games) = RecordFolder::open(folder, "lab", &plan.header(), read)?;
        Ok((Folder(folder), games))
    }

    /// Appends games and makes sure that they are on disk.
    pub(crate) fn append(&mut self, games: &[LabGame]) -> Result<(), LabError> {
        self.0.append(games.iter().map(to_json))?;
        Ok(self.0.sync()?)
    }
}

fn to_json(game: &LabGame) -> Value {
    let LabGame { rule_set, network, opening, played: SelfPlayedGame { game, values } } = game;
    json!({
        "column": rule_set,
        "rules": game.rules.to_string(),
        "network": network,
        "opening": opening,
        "record": game.to_json(),
        "values": values,
    })
}

fn from_json(line: &Value, plan: &LabPlan) -> Result<LabGame, String> {
    let number = |key: &str| {
        line[key].as_u64().map(|number| number as usize).ok_or_else(|| format!("no '{key}'"))
    };
    let (rule_set, network, opening) = (number("column")?, number("network")?, number("opening")?);
    if opening >= MAX_OPENINGS {
        return Err("no such opening".to_owned());
    }
    let size = plan.rules.get(rule_set).ok_or("no such rule set")?.size;
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
    if !values.iter().all(|value| (-1.0..=1.0).contains(value)) {
        return Err("a value is not from -1 to 1".to_owned());
    }
    Ok(LabGame { rule_set, network, opening, played: SelfPlayedGame { game, values } })
}

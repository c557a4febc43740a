//! The matches that a laboratory plays besides its games, on disk, so that none of them is played twice.

use std::path::Path;

use arena::{MatchError, Pentanomial, RecordFolder};
use serde_json::{Value, json};

use super::plan::{LabError, LabPlan};

/// Two players, of whom the first is in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// A network against the reference player.
    Strength {
        /// The index of the network.
        network: usize,
    },
    /// Twice these simulations against them.
    Doubling {
        /// Simulations of the weaker player.
        simulations: u32,
    },
    /// Who may use the rules' own part against who may not.
    Restricted,
    /// Who goes on without the part of the rules that forbids a move against who goes on with it.
    SwitchedOff,
}

/// A match that was played.
#[derive(Debug)]
struct Played {
    name: String,
    /// Pairs that were asked for; there may not have been openings for all.
    asked: usize,
    pairs: Pentanomial,
}

/// The matches of a laboratory.
#[derive(Debug)]
pub(super) struct Comparisons {
    record: RecordFolder,
    played: Vec<Played>,
}

impl Comparison {
    fn name(self) -> String {
        match self {
            Comparison::Strength { network } => format!("strength of network {network}"),
            Comparison::Doubling { simulations } => format!("twice {simulations} simulations"),
            Comparison::Restricted => "restricted play".to_owned(),
            Comparison::SwitchedOff => "switched off".to_owned(),
        }
    }
}

impl Comparisons {
    /// Opens or begins those of the laboratory in a folder.
    pub fn open(folder: &Path, plan: &LabPlan) -> Result<Comparisons, LabError> {
        let folder = folder.join("comparisons");
        let (record, played) = RecordFolder::open(&folder, "lab", &plan.header(), from_json)?;
        Ok(Comparisons { record, played })
    }

    /// A match of so many pairs, if it has been played.
    pub fn find(&self, comparison: Comparison, asked: usize) -> Option<Pentanomial> {
        let name = comparison.name();
        let found =
            self.played.iter().find(|played| (&played.name, played.asked) == (&name, asked));
        found.map(|played| played.pairs)
    }

    /// The same, which is played if it has not been.
    pub fn find_or_play(
        &mut self,
        comparison: Comparison,
        asked: usize,
        play: impl FnOnce() -> Result<Pentanomial, MatchError>,
    ) -> Result<Pentanomial, LabError> {
        match self.find(comparison, asked) {
            Some(pairs) => Ok(pairs),
            None => {
                let pairs = play()?;
                self.add(comparison, asked, pairs)?;
                Ok(pairs)
            }
        }
    }

    /// Adds a match that was played.
    pub fn add(
        &mut self,
        comparison: Comparison,
        asked: usize,
        pairs: Pentanomial,
    ) -> Result<(), LabError> {
        let played = Played { name: comparison.name(), asked, pairs };
        self.record.append([to_json(&played)])?;
        self.record.sync()?;
        self.played.push(played);
        Ok(())
    }
}

fn to_json(played: &Played) -> Value {
    json!({ "comparison": played.name, "asked": played.asked, "pairs": played.pairs.0 })
}

fn from_json(line: &Value) -> Result<Played, String> {
    let name = line["comparison"].as_str().ok_or("no 'comparison'")?.to_owned();
    let asked = line["asked"].as_u64().ok_or("no 'asked'")? as usize;
    let pairs = serde_json::from_value(line["pairs"].clone()).map_err(|error| error.to_string())?;
    Ok(Played { name, asked, pairs: Pentanomial(pairs) })
}

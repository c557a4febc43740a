//! The matches that a laboratory plays besides its games, stored on disk so that none is played
//! twice.

use std::path::Path;

use arena::{MatchError, Pentanomial, RecordFolder};
use serde_json::{Value, json};

use super::plan::{LabError, LabPlan};

/// Two players, of whom the first is being assessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// A network against the reference player.
    Strength {
        /// The index of the network.
        network: usize,
    },
    /// Twice this number of simulations against this number.
    Doubling {
        /// Simulations of the weaker player.
        simulations: u32,
    },
    /// A player who may use the rules' own part against one who may not.
    Restricted,
    /// A player who continues without the part of the rules that forbids a move against one who
    /// continues with it.
    AblationPair,
}

/// A finished match.
#[derive(Debug)]
struct Played {
    name: String,
    /// Number of pairs requested; there may not have been openings for all.
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
            Comparison::AblationPair => "switched off".to_owned(),
        }
    }
}

impl Comparisons {
    /// Opens or creates the match record in a laboratory's folder.
    pub fn open(folder: &Path, plan: &LabPlan) -> Result<Comparisons, LabError> {
        let folder = folder.join("comparisons");
        let (record, played) = RecordFolder::open(&folder, "lab", &plan.header(), from_json)?;
        Ok(Comparisons { record, played })
    }

    /// The result of a match with this many pairs, if it has been played.
    pub fn find(&self, comparison: Comparison, asked: usize) -> Option<Pentanomial> {
        let name = comparison.name();
        let found =
            self.played.iter().find(|played| (&played.name, played.asked) == (&name, asked));
        found.map(|played| played.pairs)
    }

    /// The result of a match, which is played first if necessary.
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

    /// Adds a finished match.
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

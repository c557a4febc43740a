//! The names of the objects of matches.

use std::fmt;
use std::str::FromStr;

use object_store::path::Path;
use thiserror::Error;

use super::process::{Process, Slot};

/// The identity of a match: the beginning of its plan's SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(String);

/// A text that is not a match identity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a match is named by 16 of the characters 0-9 and a-f, which this is not: {0:?}")]
pub struct MatchIdError(String);

impl FromStr for MatchId {
    type Err = MatchIdError;

    fn from_str(text: &str) -> Result<MatchId, MatchIdError> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 16 && text.bytes().all(is_digit) {
            Ok(MatchId(text.to_owned()))
        } else {
            Err(MatchIdError(text.chars().take(40).collect()))
        }
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The marks of all matches that are being played.
pub fn all_open() -> Path {
    Path::from("open")
}

/// The mark of a match that is being played.
pub fn open(id: &MatchId) -> Path {
    Path::from(format!("open/{id}"))
}

/// The match of a mark's name.
pub fn open_id(path: &Path) -> Option<MatchId> {
    path.filename()?.parse().ok().filter(|id| open(id) == *path)
}

/// Everything that belongs to a match.
pub fn folder(id: &MatchId) -> Path {
    Path::from(format!("matches/{id}"))
}

/// What is played.
pub fn plan(id: &MatchId) -> Path {
    Path::from(format!("matches/{id}/match.json"))
}

/// The claim of a unit for an attempt.
pub fn claim(id: &MatchId, unit: u64, attempt: u64) -> Path {
    Path::from(format!("matches/{id}/claims/{unit}-{attempt}.json"))
}

/// A process's result for a unit.
pub fn result(id: &MatchId, unit: u64, by: &Process) -> Path {
    Path::from(format!("matches/{id}/units/{unit}-{}-{}.jsonl", by.slot, by.generation))
}

/// The record of whose result counts for a unit.
pub fn taken(id: &MatchId, unit: u64) -> Path {
    Path::from(format!("matches/{id}/taken/{unit}.json"))
}

/// The reason why a result was refused.
pub fn refused(id: &MatchId, unit: u64, by: &Process) -> Path {
    Path::from(format!("matches/{id}/refused/{unit}-{}-{}.txt", by.slot, by.generation))
}

/// The end of a match.
pub fn verdict(id: &MatchId) -> Path {
    Path::from(format!("matches/{id}/verdict.json"))
}

/// An object of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// What is played.
    Plan,
    /// The claim of a unit, with the number of the attempt.
    Claim(u64, u64),
    /// A process's result for a unit.
    Result(u64, Process),
    /// Whose result counts for a unit.
    Taken(u64),
    /// Why a process's result for a unit was refused.
    Refused(u64, Process),
    /// The end.
    Verdict,
}

impl Object {
    /// The object with this name in a match's folder; `None` for names that nobody uses.
    pub fn of(id: &MatchId, path: &Path) -> Option<Object> {
        let inside = path.as_ref().strip_prefix(folder(id).as_ref())?.strip_prefix('/')?;
        let object = match inside.split_once('/') {
            None if inside == "match.json" => Object::Plan,
            None => Object::Verdict,
            Some(("claims", file)) => {
                let (unit, attempt) = file.strip_suffix(".json")?.split_once('-')?;
                Object::Claim(unit.parse().ok()?, attempt.parse().ok()?)
            }
            Some(("units", file)) => {
                let (unit, by) = unit_and_process(file.strip_suffix(".jsonl")?)?;
                Object::Result(unit, by)
            }
            Some(("taken", file)) => Object::Taken(file.strip_suffix(".json")?.parse().ok()?),
            Some(("refused", file)) => {
                let (unit, by) = unit_and_process(file.strip_suffix(".txt")?)?;
                Object::Refused(unit, by)
            }
            Some(_) => return None,
        };
        // Other spellings of the same numbers are not valid names.
        (object.name(id) == *path).then_some(object)
    }

    /// Its name.
    pub fn name(&self, id: &MatchId) -> Path {
        match self {
            Object::Plan => plan(id),
            Object::Claim(unit, attempt) => claim(id, *unit, *attempt),
            Object::Result(unit, by) => result(id, *unit, by),
            Object::Taken(unit) => taken(id, *unit),
            Object::Refused(unit, by) => refused(id, *unit, by),
            Object::Verdict => verdict(id),
        }
    }
}

/// Parses `UNIT-SLOT-GENERATION`; slots may contain hyphens.
fn unit_and_process(text: &str) -> Option<(u64, Process)> {
    let (unit, by) = text.split_once('-')?;
    let (slot, generation) = by.rsplit_once('-')?;
    let (slot, generation): (Slot, u64) = (slot.parse().ok()?, generation.parse().ok()?);
    Some((unit.parse().ok()?, Process { slot, generation }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written_and_no_others() {
        let id: MatchId = "0123456789abcdef".parse().unwrap();
        let by = Process { slot: "gpu-node-7".parse().unwrap(), generation: 3 };
        let result = Object::Result(12, by.clone());
        assert_eq!(
            result.name(&id).as_ref(),
            "matches/0123456789abcdef/units/12-gpu-node-7-3.jsonl"
        );
        let others = [Object::Plan, Object::Claim(5, 1), Object::Taken(0), Object::Refused(7, by)];
        for object in others.into_iter().chain([result, Object::Verdict]) {
            assert_eq!(Object::of(&id, &object.name(&id)), Some(object));
        }
        for bad in ["claims/05-1.json", "claims/5.json", "units/5-a.jsonl", "verdict", "x/1.json"] {
            let path = Path::from(format!("matches/{id}/{bad}"));
            assert_eq!(Object::of(&id, &path), None, "{bad}");
        }
        assert_eq!(open_id(&open(&id)), Some(id));
        for bad in ["open/0123456789ABCDEF", "open/0123", "open/x/0123456789abcdef"] {
            assert_eq!(open_id(&Path::from(bad)), None, "{bad}");
        }
    }
}

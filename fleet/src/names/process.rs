//! The participants of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A worker's place in a run: the number of an array task, or a name given by an operator. A slot
/// outlives the processes that occupy it one after another, called its generations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slot(String);

/// A name that cannot be a slot's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a slot's name is 1 to 32 of the characters a-z, 0-9 and '-', which this is not: {0:?}")]
pub struct SlotError(String);

impl FromStr for Slot {
    type Err = SlotError;

    fn from_str(text: &str) -> Result<Slot, SlotError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(is_allowed) {
            Ok(Slot(text.to_owned()))
        } else {
            Err(SlotError(text.chars().take(40).collect()))
        }
    }
}

impl TryFrom<String> for Slot {
    type Error = SlotError;

    fn try_from(text: String) -> Result<Slot, SlotError> {
        text.parse()
    }
}

impl From<Slot> for String {
    fn from(slot: Slot) -> String {
        slot.0
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A process of a fleet: its slot and its generation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    /// Its slot.
    pub slot: Slot,
    /// Its generation: its number among the processes of the slot, from 0.
    pub generation: u64,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.slot, self.generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_short_plain_words() {
        for good in ["0", "63", "gpu-node-7", &"a".repeat(32)] {
            assert_eq!(good.parse::<Slot>().unwrap().to_string(), good);
        }
        for bad in ["", "A", "a/b", "..", "a.b", "ä", "a b", &"a".repeat(33)] {
            assert!(bad.parse::<Slot>().is_err(), "{bad}");
            let json = serde_json::to_string(bad).unwrap();
            assert!(serde_json::from_str::<Slot>(&json).is_err(), "{bad}");
        }
    }
}

//! What is played, and who plays it.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::names::Process;
use crate::names::matches::MatchId;

/// What is played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPlan {
    /// Its units, which are numbered from 0.
    pub units: u64,
    /// All that whoever plays them must know.
    pub plan: serde_json::Value,
}

/// The match with this plan: equal plans are the same match.
pub(super) fn id_of(plan: &Bytes) -> MatchId {
    let digest = sha256(plan);
    // Sixteen hexadecimal digits are such a name.
    digest[..16].parse().unwrap_or_else(|error| unreachable!("{error}"))
}

/// Who plays a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitClaim {
    /// Tells it from others that are created at the same time.
    pub nonce: String,
    /// The process.
    pub by: Process,
    /// Seconds from one note of its health to the next.
    pub beat: f64,
    /// Why it does not play the unit, if it has given it back: the next attempt is free.
    pub given_back: Option<String>,
}

impl UnitClaim {
    /// The time between two notes of the process's health.
    pub fn beat(&self) -> Duration {
        Duration::try_from_secs_f64(self.beat).unwrap_or(Duration::MAX)
    }
}

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
    /// Number of its units, which are numbered from 0.
    pub units: u64,
    /// Everything that whoever plays them must know.
    pub plan: serde_json::Value,
}

/// The identity of the match with this plan: equal plans are the same match.
pub(super) fn id_of(plan: &Bytes) -> MatchId {
    let digest = sha256(plan);
    // Sixteen hexadecimal digits are a valid identity.
    digest[..16].parse().unwrap_or_else(|error| unreachable!("{error}"))
}

/// A claim to play a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitClaim {
    /// Distinguishes it from others created at the same time.
    pub nonce: String,
    /// The process.
    pub by: Process,
    /// Seconds between health reports of the process.
    pub beat: f64,
    /// Why the process has given the unit back, if it has: the next attempt is then free.
    pub given_back: Option<String>,
}

impl UnitClaim {
    /// The interval between health reports of the process.
    pub fn beat(&self) -> Duration {
        Duration::try_from_secs_f64(self.beat).unwrap_or(Duration::MAX)
    }
}

//! One entry of a run's commit log: the complete state after it.

use serde::{Deserialize, Serialize};

use crate::marks::Marks;
use crate::names::Slot;

/// One entry of the commit log. It is self-contained: a learner needs only the newest one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// From 0, without gaps.
    pub number: u64,
    /// Distinguishes it from what another learner would have written under the same number.
    pub nonce: String,
    /// The nonce of the previous commit.
    pub previous: Option<String>,
    /// Why it was made.
    pub event: Event,
    /// Total number of positions to learn from that count.
    pub positions: u64,
    /// Total number of games that count.
    pub games: u64,
    /// Evaluations that workers have spent on the files that count.
    pub evaluations: u64,
    /// What arrived but does not count.
    pub refused: Refused,
    /// How far the files of each worker have been taken.
    pub marks: Marks,
    /// The slot at which the next intake begins.
    pub turn: Option<Slot>,
    /// Seeds of those games in this commit's segment that another generation may also finish.
    pub adopted: Vec<u64>,
    /// Games that began with weights from before this step do not count.
    pub oldest: u64,
    /// What this commit took.
    pub segment: Option<SegmentRecord>,
    /// The newest weights.
    pub model: Option<ModelRecord>,
    /// Simulations per search with them.
    pub simulations: u32,
    /// The newest saved states of the learner: the latest, and the one before.
    pub checkpoints: Vec<CheckpointRecord>,
    /// Number of completed learning phases.
    pub phase: u64,
    /// Number of samples that have been learnt from.
    pub samples: u64,
    /// Whether workers are to wait.
    pub hold: bool,
    /// Whether the run is over.
    pub ended: bool,
}

/// Why a commit was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A learner opened the commit log; every other learner is shut out.
    #[default]
    Opened,
    /// Files were taken.
    Taken,
    /// Weights were published.
    Published,
    /// A checkpoint was made.
    Saved,
    /// Workers were told to wait, to continue, or that the run is over.
    Told,
}

/// Files and games that arrived but do not count. Everything whose arrival was confirmed to a
/// worker is counted either in [`Commit::games`] or here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Games that began before the oldest weights that count.
    pub stale: u64,
    /// Games in files that are damaged, belong to another run, or contain an impossible game. A
    /// file is accepted or refused as a whole.
    pub invalid: u64,
    /// Number of such files. If the header is unreadable, the number of games is unknown.
    pub invalid_files: u64,
    /// Games of generations that have been replaced by three newer ones, and games that another
    /// generation finished first.
    pub late: u64,
    /// Objects in the inbox that no worker of this run can have put there, or that are too old to
    /// tell.
    pub strange_files: u64,
    /// Files that had arrived, according to later ones of their generation, but disappeared before
    /// they were taken. The number of their games is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_files: u64,
}

/// Omitting zeros lets programs that do not know a counter read the commit log as long as there is
/// nothing to count.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A segment, stored under the number and the nonce of its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentRecord {
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Number of its files.
    pub files: u64,
    /// Number of its games that count.
    pub games: u64,
    /// Number of positions to learn from in them.
    pub positions: u64,
}

/// Published weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// Training step.
    pub step: u64,
    /// SHA-256 of the weights, in hexadecimal.
    pub sha256: String,
}

/// A saved state of the learner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRecord {
    /// Training step.
    pub step: u64,
    /// Distinguishes it from others of the same step.
    pub nonce: String,
    /// The last commit whose games it includes.
    pub commit: u64,
}

/// The object that workers poll. It is only a hint: an older one may overwrite a newer one, so
/// workers compare the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latest {
    /// The number of the commit.
    pub commit: u64,
    /// The newest weights.
    pub model: Option<ModelRecord>,
    /// Simulations per search with them.
    pub simulations: u32,
    /// Whether workers are to wait.
    pub hold: bool,
    /// Whether the run is over.
    pub ended: bool,
}

impl Commit {
    /// The next commit, in which nothing has changed yet.
    pub fn successor(&self, event: Event, nonce: String) -> Commit {
        Commit {
            number: self.number + 1,
            nonce,
            previous: Some(self.nonce.clone()),
            event,
            adopted: Vec::new(),
            segment: None,
            ..self.clone()
        }
    }

    /// The announcement of this commit to workers.
    pub fn latest(&self) -> Latest {
        Latest {
            commit: self.number,
            model: self.model.clone(),
            simulations: self.simulations,
            hold: self.hold,
            ended: self.ended,
        }
    }

    /// Training step of the newest weights; 0 before there are any.
    pub fn step(&self) -> u64 {
        self.model.as_ref().map_or(0, |model| model.step)
    }
}

//! One entry of a run's books: everything that counts, as it is after it.

use serde::{Deserialize, Serialize};

use crate::marks::Marks;
use crate::names::Slot;

/// One entry of the books. It is complete: the newest one is all that a learner needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// From 0, without gaps.
    pub number: u64,
    /// Tells it from what another learner would have written under the number.
    pub nonce: String,
    /// The nonce of the commit before.
    pub previous: Option<String>,
    /// Why it was made.
    pub event: Event,
    /// Positions to learn from that have counted.
    pub positions: u64,
    /// Games that have counted.
    pub games: u64,
    /// Evaluations that workers have spent on the files that have counted.
    pub evaluations: u64,
    /// What has not counted.
    pub refused: Refused,
    /// How far the files of each worker have been taken.
    pub marks: Marks,
    /// The slot at which the next intake begins.
    pub turn: Option<Slot>,
    /// Seeds of the games of this commit's segment that another generation may finish, too.
    pub adopted: Vec<u64>,
    /// Games that began with weights before this step do not count.
    pub oldest: u64,
    /// What this commit took.
    pub segment: Option<SegmentRecord>,
    /// The newest weights.
    pub model: Option<ModelRecord>,
    /// Simulations of each search with them.
    pub simulations: u32,
    /// The newest state of the learner, and the one before.
    pub checkpoints: Vec<CheckpointRecord>,
    /// Phases of learning that are done.
    pub phase: u64,
    /// Samples that have been learnt from.
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
    /// A learner has opened the books; every other learner is shut out.
    #[default]
    Opened,
    /// Files were taken.
    Taken,
    /// Weights were published.
    Published,
    /// A checkpoint was made.
    Saved,
    /// Workers were told to wait, to go on, or that the run is over.
    Told,
}

/// Files and games that arrived and did not count. All that a worker has been told to have arrived is counted in
/// [`Commit::games`] or here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Games that began before the oldest weights that count.
    pub stale: u64,
    /// Games of files that are damaged, of another run, or have an impossible game. A file counts as a whole.
    pub invalid: u64,
    /// Such files. The games of one whose header is unreadable are unknown.
    pub invalid_files: u64,
    /// Games of generations that three newer ones have replaced, and games that another generation finished first.
    pub late: u64,
    /// Objects in the inbox that no worker can have put there as this run's, or that are too old to tell.
    pub strange_files: u64,
    /// Files that had arrived, as later ones of their generation say, and were gone before they were taken. How many
    /// games they had is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_files: u64,
}

/// Programs that are older than what is counted can read the books as long as there is nothing to count.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A segment, which lies under the number and the nonce of its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentRecord {
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its files.
    pub files: u64,
    /// Those of its games that count.
    pub games: u64,
    /// Their positions to learn from.
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
    /// Tells it from others of the step.
    pub nonce: String,
    /// The commit up to which games are in it.
    pub commit: u64,
}

/// What workers poll. Only a hint: an older one may overwrite a newer one, so they go by the number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latest {
    /// The number of the commit.
    pub commit: u64,
    /// The newest weights.
    pub model: Option<ModelRecord>,
    /// Simulations of each search with them.
    pub simulations: u32,
    /// Whether workers are to wait.
    pub hold: bool,
    /// Whether the run is over.
    pub ended: bool,
}

impl Commit {
    /// The one after this, in which nothing has changed yet.
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

    /// What workers are told of it.
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

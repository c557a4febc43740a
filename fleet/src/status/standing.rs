//! The data of a run's status.

use std::time::Duration;

use crate::commit::Commit;
use crate::health::{Health, LearnerHealth};
use crate::store::Requests;

/// Whether a worker is working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It is playing.
    Plays,
    /// It is waiting as ordered.
    Holds,
    /// It has reported nothing for three beats.
    Silent,
}

/// How a worker is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotStatus {
    /// Its latest report.
    pub health: Health,
    /// Time since its latest report.
    pub age: Duration,
    /// Whether it is working.
    pub liveness: Liveness,
    /// Evaluations per second while it played.
    pub evaluations_per_second: f64,
    /// Number of training steps by which its weights lag behind the newest.
    pub behind: u64,
}

/// What was counted and learnt during a recent period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recent {
    /// Length of the period.
    pub time: Duration,
    /// Positions per second.
    pub positions_per_second: f64,
    /// Samples per second.
    pub samples_per_second: f64,
}

/// How many workers the learner can use, and the figures behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Useful {
    /// Number of workers like those currently playing.
    pub workers: f64,
    /// Positions per second that the learner can learn from as often as intended.
    pub learnt: f64,
    /// Positions per second of one worker.
    pub played: f64,
}

/// How a run is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The newest commit.
    pub commit: Commit,
    /// How many times each position should be learnt from.
    pub reuse: f64,
    /// The learner's latest report.
    pub learner: Option<LearnerHealth>,
    /// Time since the learner last wrote anything.
    pub learner_age: Duration,
    /// Time since anybody wrote anything, by this machine's clock; `None` if it is short.
    pub quiet: Option<Duration>,
    /// The latest period with something to report.
    pub recent: Option<Recent>,
    /// How many workers the learner can use; `None` before it has learnt, or while no worker is
    /// playing.
    pub useful: Option<Useful>,
    /// The workers, by slot.
    pub slots: Vec<SlotStatus>,
    /// Number of files waiting for the learner.
    pub inbox_files: usize,
    /// Their total size in bytes.
    pub inbox_bytes: u64,
    /// How long the oldest of them has been waiting.
    pub inbox_age: Duration,
    /// Why files were refused, newest first.
    pub reasons: Vec<String>,
}

impl Status {
    /// Requests per hour by the learner and by workers that are not silent, at their average rate
    /// since they started.
    pub fn hourly_requests(&self) -> Requests {
        let live = self.slots.iter().filter(|slot| slot.liveness != Liveness::Silent);
        let workers = live.map(|slot| (slot.health.requests, slot.health.seconds));
        let learner = self.learner.iter().map(|learner| (learner.requests, learner.seconds));
        let mut sum = Requests::default();
        for (requests, seconds) in workers.chain(learner) {
            let hourly = |number: u64| (number as f64 * 3600.0 / seconds.max(1.0)) as u64;
            sum.writes += hourly(requests.writes);
            sum.reads += hourly(requests.reads);
        }
        sum
    }

    /// How many times each position has been learnt from so far, on average; `None` before the
    /// first.
    pub fn effective_reuse(&self) -> Option<f64> {
        let Commit { samples, positions, .. } = self.commit;
        (positions > 0).then(|| samples as f64 / positions as f64)
    }

    /// Number of workers in this state.
    pub fn count(&self, liveness: Liveness) -> usize {
        self.slots.iter().filter(|slot| slot.liveness == liveness).count()
    }
}

//! What there is to know of how a run is doing.

use std::time::Duration;

use crate::commit::Commit;
use crate::health::{Health, LearnerHealth};
use crate::store::Requests;

/// Whether a worker works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It plays.
    Plays,
    /// It waits, as it was told to.
    Holds,
    /// It has told nothing for three beats.
    Silent,
}

/// How a worker is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotStatus {
    /// What it said last.
    pub health: Health,
    /// For how long it has said nothing.
    pub age: Duration,
    /// Whether it works.
    pub liveness: Liveness,
    /// Evaluations a second since it started.
    pub evaluations_per_second: f64,
    /// Training steps by which its weights are older than the newest.
    pub behind: u64,
}

/// What was counted and learnt in a recent time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recent {
    /// How long it was.
    pub time: Duration,
    /// Positions a second.
    pub positions_per_second: f64,
    /// Samples a second.
    pub samples_per_second: f64,
}

/// How many workers the learner can use, and what follows this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Useful {
    /// Workers like those that play.
    pub workers: f64,
    /// Positions a second that the learner could learn from as often as it is to.
    pub learnt: f64,
    /// Positions a second of one worker.
    pub played: f64,
}

/// How a run is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The newest commit.
    pub commit: Commit,
    /// Times that each position is to be learnt from.
    pub reuse: f64,
    /// What the learner said last.
    pub learner: Option<LearnerHealth>,
    /// For how long the learner has written nothing.
    pub learner_age: Duration,
    /// For how long nobody has written anything, by this machine's clock; `None` if it is not long.
    pub quiet: Option<Duration>,
    /// The newest time of which there is something to tell.
    pub recent: Option<Recent>,
    /// How many workers the learner can use; `None` before it has learnt, or while none plays.
    pub useful: Option<Useful>,
    /// The workers, by slot.
    pub slots: Vec<SlotStatus>,
    /// Files that wait for the learner.
    pub inbox_files: usize,
    /// Their bytes.
    pub inbox_bytes: u64,
    /// For how long the oldest of them has waited.
    pub inbox_age: Duration,
    /// Why files were refused, the newest reasons first.
    pub reasons: Vec<String>,
}

impl Status {
    /// Requests in an hour of the learner and of the workers that are not silent, at the pace since they started.
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

    /// How often each position has been learnt from so far; `None` before the first.
    pub fn effective_reuse(&self) -> Option<f64> {
        let Commit { samples, positions, .. } = self.commit;
        (positions > 0).then(|| samples as f64 / positions as f64)
    }

    /// Workers of this kind.
    pub fn count(&self, liveness: Liveness) -> usize {
        self.slots.iter().filter(|slot| slot.liveness == liveness).count()
    }
}

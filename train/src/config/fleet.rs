//! The part of a configuration about runs on many machines.

use serde::{Deserialize, Serialize};

/// How learner and workers of a run meet in its store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FleetSettings {
    /// Seconds from one look of the learner for games to the next.
    pub take: f64,
    /// Files that the learner takes at once, at most.
    pub take_files: usize,
    /// Seconds between two sets of weights, at least. KataGo: minutes.
    pub publish: f64,
    /// Seconds between two checkpoints in the store, at least. What was learnt after the newest is learnt again by a
    /// learner that starts anew.
    pub checkpoint: f64,
    /// Seconds from one look of a worker for weights to the next, more or less a fifth.
    pub poll: f64,
    /// Seconds from the first game of a file to its end.
    pub file: f64,
    /// Seconds from one time at which a worker leaves its games in progress in the store to the next. A worker that is
    /// killed loses what it has played since; one that is asked to end, nothing.
    pub park: f64,
    /// Seconds between two notes of a worker's health.
    pub beat: f64,
    /// Times that each position is learnt from at least, on average. If workers record more than the learner can learn
    /// from `learning.reuse` times, it learns from each less often; below this, they are told to wait.
    pub reuse_least: f32,
}

impl Default for FleetSettings {
    fn default() -> FleetSettings {
        FleetSettings {
            take: 10.0,
            take_files: 2000,
            publish: 60.0,
            checkpoint: 300.0,
            poll: 15.0,
            file: 60.0,
            park: 300.0,
            beat: 120.0,
            reuse_least: 1.0,
        }
    }
}

impl FleetSettings {
    /// What is wrong with them.
    pub(super) fn problem(&self) -> Option<&'static str> {
        /// More than any run lasts.
        const DAY: f64 = 86_400.0;
        let waits = [self.take, self.poll, self.file, self.park, self.beat];
        let pauses = [self.publish, self.checkpoint];
        if !waits.iter().all(|wait| (0.01..=DAY).contains(wait)) {
            Some(
                "fleet.take, fleet.poll, fleet.file, fleet.park and fleet.beat must be seconds from 0.01 on",
            )
        } else if !pauses.iter().all(|pause| (0.0..=DAY).contains(pause)) {
            Some("fleet.publish and fleet.checkpoint must be seconds, at most a day")
        } else if self.take_files == 0 {
            Some("fleet.take_files must be at least 1")
        } else if !(self.reuse_least >= 0.0 && self.reuse_least.is_finite()) {
            Some("fleet.reuse_least must be a number from 0 on")
        } else {
            None
        }
    }
}

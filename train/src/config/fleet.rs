//! The part of a configuration about runs on many machines.

use serde::{Deserialize, Serialize};

/// How the learner and the workers of a run exchange data through its store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FleetSettings {
    /// Seconds between the learner's checks for new games.
    pub take: f64,
    /// The most files that the learner takes at once.
    pub take_files: usize,
    /// Minimum number of seconds between two publications of weights. KataGo: minutes.
    pub publish: f64,
    /// Minimum number of seconds between two checkpoints in the store. A learner that starts anew
    /// learns again what was learnt after the newest one.
    pub checkpoint: f64,
    /// Seconds between a worker's checks for new weights, varied by up to a fifth.
    pub poll: f64,
    /// Seconds from the first game of a file until it is closed.
    pub file: f64,
    /// Seconds between the times when a worker saves its games in progress in the store. A worker
    /// that is killed loses what it has played since; one that is asked to stop loses nothing.
    pub park: f64,
    /// Seconds between two reports of a worker's health.
    pub beat: f64,
    /// Minimum number of times that each position is learnt from, on average. If workers record
    /// more than the learner can learn from `learning.reuse` times, it learns from each position
    /// less often; below this minimum, workers are told to wait.
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
    /// The first invalid value, if any.
    pub(super) fn problem(&self) -> Option<&'static str> {
        /// More than any run lasts.
        const DAY: f64 = 86_400.0;
        let waits = [self.take, self.poll, self.file, self.park, self.beat];
        let pauses = [self.publish, self.checkpoint];
        if !waits.iter().all(|wait| (0.01..=DAY).contains(wait)) {
            Some(
                "fleet.take, fleet.poll, fleet.file, fleet.park and fleet.beat must be seconds from 0.01 to 86400, a day",
            )
        } else if !pauses.iter().all(|pause| (0.0..=DAY).contains(pause)) {
            Some("fleet.publish and fleet.checkpoint must be seconds from 0 to 86400, a day")
        } else if self.take_files == 0 {
            Some("fleet.take_files must be at least 1")
        } else if !(self.reuse_least >= 0.0 && self.reuse_least.is_finite()) {
            Some("fleet.reuse_least must be a number from 0 on")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_whole_range() {
        let usual = FleetSettings::default;
        for settings in [
            FleetSettings { park: 100_000.0, ..usual() },
            FleetSettings { checkpoint: 100_000.0, ..usual() },
        ] {
            let problem = settings.problem().unwrap();
            assert!(problem.contains("to 86400"), "{problem}");
        }
        assert_eq!(FleetSettings { park: 86_400.0, ..usual() }.problem(), None);
    }
}

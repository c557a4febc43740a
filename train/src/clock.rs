//! The working time of a run.

use std::time::Instant;

/// Working time over all sessions, by a monotonic clock: nothing in a run depends on the time of
/// day.
pub(crate) struct Clock {
    before: f64,
    began: Instant,
}

impl Clock {
    /// Continues from the seconds of earlier sessions.
    pub fn after(seconds: f64) -> Clock {
        // A state file may contain anything; an invalid time counts as zero.
        let before = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        Clock { before, began: Instant::now() }
    }

    /// Working time so far, in seconds.
    pub fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}

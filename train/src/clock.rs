//! The time that a run has been at work.

use std::time::Instant;

/// Seconds at work over all sittings, by a clock that only goes forward: nothing in a run asks for the time of day, so
/// that setting it back or forward changes nothing.
pub(crate) struct Clock {
    before: f64,
    began: Instant,
}

impl Clock {
    /// Goes on from the seconds of earlier sittings.
    pub fn after(seconds: f64) -> Clock {
        // A state file can say anything; a time that is no time counts as none.
        let before = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        Clock { before, began: Instant::now() }
    }

    /// Seconds at work so far.
    pub fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}

//! The working time of a run.

use std::time::{Duration, Instant};

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

    /// When this many seconds of working time will be over, or were; `None` if that is further away
    /// than clocks go.
    pub fn end_of(&self, seconds: f64) -> Option<Instant> {
        let left = Duration::try_from_secs_f64((seconds - self.before).max(0.0)).ok()?;
        self.began.checked_add(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_sessions_count_towards_the_end() {
        let clock = Clock::after(40.0);
        assert_eq!(clock.end_of(60.0), Some(clock.began + Duration::from_secs(20)));
        assert_eq!(clock.end_of(30.0), Some(clock.began), "over before this session");
        assert_eq!(clock.end_of(1e300), None);
    }
}

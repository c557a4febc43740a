//! Problems that do not stop a learner, reported to people from time to time.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// Interval after which a persisting problem is reported again.
const REPORT_INTERVAL: Duration = Duration::from_secs(10 * 60);

/// Recent problems.
#[derive(Debug, Default)]
pub(super) struct ProblemLog {
    /// When each was last reported.
    reported: HashMap<String, Instant>,
    now: Vec<String>,
}

impl ProblemLog {
    /// Records a problem.
    pub fn record(&mut self, what: impl ToString) {
        self.now.push(what.to_string());
    }

    /// Problems since the last call that have not been reported recently.
    pub fn take_unreported(&mut self) -> Vec<String> {
        self.reported.retain(|_, reported| reported.elapsed() < REPORT_INTERVAL);
        let ProblemLog { reported, now } = self;
        let mut news = Vec::new();
        for what in now.drain(..) {
            if !reported.contains_key(&what) {
                reported.insert(what.clone(), Instant::now());
                news.push(what);
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_goes_on_is_reported_now_and_then() {
        let mut problems = ProblemLog::default();
        let mut reported = 0;
        for _ in 0..180 {
            problems.record("it rains");
            reported += problems.take_unreported().len();
            tokio::time::advance(Duration::from_secs(10)).await;
        }
        assert_eq!(reported, 3);
        problems.record("it snows");
        assert_eq!(problems.take_unreported(), ["it snows"]);
    }
}

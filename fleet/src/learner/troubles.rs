//! Problems that do not stop a learner, reported to people from time to time.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// Interval after which a persisting problem is reported again.
const TOLD_EVERY: Duration = Duration::from_secs(10 * 60);

/// Recent problems.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// When each was last reported.
    told: HashMap<String, Instant>,
    now: Vec<String>,
}

impl Troubles {
    /// Records a problem.
    pub fn note(&mut self, what: impl ToString) {
        self.now.push(what.to_string());
    }

    /// Problems since the last call that have not been reported recently.
    pub fn tell(&mut self) -> Vec<String> {
        self.told.retain(|_, told| told.elapsed() < TOLD_EVERY);
        let Troubles { told, now } = self;
        let mut news = Vec::new();
        for what in now.drain(..) {
            if !told.contains_key(&what) {
                told.insert(what.clone(), Instant::now());
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
    async fn what_goes_on_is_told_now_and_then() {
        let mut troubles = Troubles::default();
        let mut told = 0;
        for _ in 0..180 {
            troubles.note("it rains");
            told += troubles.tell().len();
            tokio::time::advance(Duration::from_secs(10)).await;
        }
        assert_eq!(told, 3);
        troubles.note("it snows");
        assert_eq!(troubles.tell(), ["it snows"]);
    }
}

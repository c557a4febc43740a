//! What goes wrong without stopping a learner, and is told to people now and then.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// What goes on is told again so often.
const TOLD_EVERY: Duration = Duration::from_secs(10 * 60);

/// What has gone wrong lately.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// When each was told of last.
    told: HashMap<String, Instant>,
    now: Vec<String>,
}

impl Troubles {
    /// Notes that something goes wrong.
    pub fn note(&mut self, what: impl ToString) {
        self.now.push(what.to_string());
    }

    /// What has gone wrong since the last call and has not been told of lately.
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

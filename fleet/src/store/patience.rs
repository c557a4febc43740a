//! How long requests to a failing store are repeated, and who is told.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::path::Path;
use tokio::time::{Instant, sleep};

use super::error::StoreError;

/// For how long a request is repeated by default.
const USUAL: Duration = Duration::from_secs(60);
/// The wait after the first failure; it doubles up to a maximum.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Failures that last this long are reported; below, the interval at which the report is repeated.
const TOLD_AFTER: Duration = Duration::from_secs(5);
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// For how long requests are repeated, and who is told.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    limit: Duration,
    listener: Option<Arc<Listener>>,
}

#[derive(Debug)]
struct Listener {
    tell: fn(&StoreError),
    told: Mutex<Option<Instant>>,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { limit: USUAL, listener: None }
    }
}

impl Patience {
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    pub fn set_listener(&mut self, tell: fn(&StoreError)) {
        self.listener = Some(Arc::new(Listener { tell, told: Mutex::default() }));
    }

    /// A request that may have to be repeated.
    pub fn attempts<'a>(&'a self, name: &'a Path) -> Attempts<'a> {
        Attempts { patience: self, name, begun: Instant::now(), number: 0 }
    }

    /// Reports a failure that has lasted for a while. Simultaneous failures are reported once.
    pub fn tell(&self, error: &StoreError, lasts: Duration) {
        let Some(listener) = self.listener.as_ref().filter(|_| lasts >= TOLD_AFTER) else { return };
        let mut told = listener.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= REPORT_INTERVAL) {
            *told = Some(Instant::now());
            (listener.tell)(error);
        }
    }
}

/// A request that may have to be repeated.
#[derive(Debug)]
pub(super) struct Attempts<'a> {
    patience: &'a Patience,
    name: &'a Path,
    begun: Instant,
    number: u32,
}

impl Attempts<'_> {
    /// Waits before the next attempt; returns the error if there should be none.
    pub async fn after(&mut self, error: StoreError) -> Result<(), StoreError> {
        let wait = self.wait();
        if !error.is_transient() || self.begun.elapsed() + wait > self.patience.limit {
            return Err(error);
        }
        self.patience.tell(&error, self.begun.elapsed());
        sleep(wait).await;
        self.number += 1;
        Ok(())
    }

    /// Longer each time, and varied so that requests that failed at the same moment do not retry
    /// together.
    fn wait(&self) -> Duration {
        let mut hasher = DefaultHasher::new();
        (self.name.as_ref(), self.number).hash(&mut hasher);
        let share = 0.5 + (hasher.finish() % 1024) as f64 / 1024.0;
        let doubled = FIRST_WAIT * 2u32.saturating_pow(self.number.min(16));
        doubled.min(MAX_WAIT).mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn failed() -> StoreError {
        StoreError::Failed { verb: "read", name: Path::from("a"), why: "it rains".to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_repeated_until_patience_ends() {
        static REPORTS: AtomicU32 = AtomicU32::new(0);
        let mut patience = Patience::default();
        patience.set_limit(Duration::from_secs(300));
        patience.set_listener(|_| {
            REPORTS.fetch_add(1, Ordering::Relaxed);
        });
        let (begun, name) = (Instant::now(), Path::from("a"));
        let mut attempts = patience.attempts(&name);
        let mut number = 0;
        while attempts.after(failed()).await.is_ok() {
            number += 1;
        }
        let lasted = begun.elapsed().as_secs();
        assert!((285..=300).contains(&lasted), "{lasted} s");
        assert!((25..80).contains(&number), "{number} attempts");
        assert_eq!(REPORTS.load(Ordering::Relaxed), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_refused_is_not_asked_again() {
        let (patience, name) = (Patience::default(), Path::from("a"));
        let refused = StoreError::Refused { verb: "read", name: name.clone(), why: String::new() };
        assert!(patience.attempts(&name).after(refused).await.is_err());
        assert!(patience.attempts(&name).after(failed()).await.is_ok());
    }
}

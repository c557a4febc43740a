//! Units of matches for threads.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::async_runtime::AsyncRuntime;
use crate::matches::{self, Assignment};
use crate::names::Process;
use crate::names::matches::MatchId;
use crate::store::{Store, StoreError};

/// [`matches::Claimant`] for threads.
#[derive(Debug)]
pub struct Claimant {
    runtime: AsyncRuntime,
    inner: Arc<Mutex<matches::Claimant>>,
    taking: Option<JoinHandle<Result<Option<Assignment>, StoreError>>>,
}

impl Claimant {
    /// A process that reports its health every `beat`.
    pub fn new(runtime: &AsyncRuntime, store: Store, process: Process, beat: Duration) -> Claimant {
        let inner = matches::Claimant::new(store, process, beat, rand::random());
        Claimant { runtime: runtime.clone(), inner: Arc::new(Mutex::new(inner)), taking: None }
    }

    /// Claims a unit that nobody is playing. Waits for the store no longer than `time`: an
    /// unanswered request continues, and a later call returns its result.
    ///
    /// # Errors
    /// As for [`matches::Claimant::take`].
    pub fn take_within(&mut self, time: Duration) -> Result<Option<Assignment>, StoreError> {
        let mut taking = self.taking.take().unwrap_or_else(|| {
            let inner = self.inner.clone();
            self.runtime.spawn(async move { inner.lock().await.take().await })
        });
        match self.runtime.wait(async { timeout(time, &mut taking).await }) {
            Ok(taken) => taken.unwrap_or_else(|failure| resume_unwind(failure.into_panic())),
            Err(_) => {
                self.taking = Some(taking);
                Ok(None)
            }
        }
    }

    /// The store's answer, within `time`, to an earlier call that did not wait long enough, if
    /// there was one.
    ///
    /// # Errors
    /// As for [`matches::Claimant::take`].
    pub fn taken_within(&mut self, time: Duration) -> Result<Option<Assignment>, StoreError> {
        if self.taking.is_some() { self.take_within(time) } else { Ok(None) }
    }

    /// Whether the last call did not wait long enough for an answer.
    pub fn is_taking(&self) -> bool {
        self.taking.is_some()
    }

    /// Whether there is now an answer to an earlier call that did not wait long enough.
    pub fn has_taken(&self) -> bool {
        self.taking.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Delivers the result of a unit.
    ///
    /// # Errors
    /// As for [`matches::Claimant::deliver`].
    pub fn deliver(&self, unit: &Assignment, result: Bytes) -> Result<(), StoreError> {
        self.runtime.wait(async { self.inner.lock().await.deliver(unit, result).await })
    }

    /// Leaves a unit to others.
    ///
    /// # Errors
    /// As for [`matches::Claimant::give_back`].
    pub fn give_back(&mut self, unit: &Assignment, reason: &str) -> Result<(), StoreError> {
        self.runtime.wait(async { self.inner.lock().await.give_back(unit, reason).await })
    }

    /// Stops taking units of a match.
    pub fn avoid(&mut self, id: &MatchId, reason: String) {
        self.runtime.wait(async { self.inner.lock().await.avoid(id, reason) });
    }
}

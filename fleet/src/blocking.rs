//! Access for threads: a separate runtime carries the requests, and callers block
//! ([`AsyncRuntime::wait`]).

mod async_runtime;
mod matches;

use std::time::Duration;

use selfplay::TrainingRecord;
use tokio::task::JoinHandle;

use crate::courier::Player;
use crate::exit::Exit;
use crate::outbox::{self, Delivered, Orders};
use crate::parking::{Parked, ReadParkedError};
use crate::run::RunError;
use crate::store::{Store, StoreError};
use crate::worker::{self, WorkerSettings};

pub use self::async_runtime::AsyncRuntime;
pub use self::matches::Claimant;

/// A worker whose courier runs alongside the threads that play.
#[derive(Debug)]
pub struct Worker {
    runtime: AsyncRuntime,
    courier: JoinHandle<Exit>,
    outbox: outbox::Outbox,
    generation: u64,
    parked: Result<Option<Parked>, ReadParkedError>,
}

impl Worker {
    /// Joins a run and starts the courier.
    ///
    /// # Errors
    /// As for [`worker::Worker::join`].
    pub fn start(
        runtime: &AsyncRuntime,
        store: Store,
        settings: WorkerSettings,
        player: impl Player + 'static,
    ) -> Result<Worker, RunError> {
        let worker = runtime.wait(worker::Worker::join(store, settings))?;
        Ok(Worker::set_to_work(runtime, worker, player))
    }

    /// Takes a slot for work outside of a run.
    ///
    /// # Errors
    /// As for [`worker::Worker::join_without_run`].
    pub fn join_without_run(
        runtime: &AsyncRuntime,
        store: Store,
        settings: WorkerSettings,
    ) -> Result<Worker, StoreError> {
        let worker = runtime.wait(worker::Worker::join_without_run(store, settings))?;
        Ok(Worker::set_to_work(runtime, worker, ()))
    }

    fn set_to_work(
        runtime: &AsyncRuntime,
        mut worker: worker::Worker,
        player: impl Player + 'static,
    ) -> Worker {
        let (generation, outbox) = (worker.generation(), worker.outbox());
        let parked = worker.take_parked();
        let courier = runtime.spawn(worker.carry(player));
        Worker { runtime: runtime.clone(), courier, outbox, generation, parked }
    }

    /// The process's generation in its slot.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The games left by the previous process in the slot; returned only once.
    ///
    /// # Errors
    /// It left something that cannot be read.
    pub fn take_parked(&mut self) -> Result<Option<Parked>, ReadParkedError> {
        std::mem::replace(&mut self.parked, Ok(None))
    }

    /// The outbox for finished games and orders; give each thread a clone.
    pub fn outbox(&self) -> Outbox {
        Outbox { runtime: self.runtime.clone(), inner: self.outbox.clone() }
    }

    /// Waits until the courier has stopped, and returns why.
    ///
    /// # Panics
    /// If the courier panicked.
    pub fn wait(self) -> Exit {
        match self.runtime.wait(self.courier) {
            Ok(exit) => exit,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Exit::Interrupted,
        }
    }
}

/// [`outbox::Outbox`] for threads. Clones are the same outbox.
#[derive(Debug, Clone)]
pub struct Outbox {
    runtime: AsyncRuntime,
    inner: outbox::Outbox,
}

impl Outbox {
    /// Hands over a finished game, with the number of evaluations that it took. Waits while too
    /// much is queued for the courier. Returns whether to continue playing.
    pub fn add(&self, game: TrainingRecord, evaluations: u64) -> bool {
        self.runtime.wait(self.inner.add(game, evaluations))
    }

    /// Counts evaluations of the network, and the time in which they were made, for the worker's
    /// health report.
    pub fn count_evaluations(&self, evaluations: u64, time: Duration) {
        self.inner.count_evaluations(evaluations, time);
    }

    /// Leaves games in progress to the next process in the slot; see [`outbox::Outbox::park`].
    pub fn park(&self, parked: Parked) {
        self.inner.park(parked);
    }

    /// Declares that nothing more will be added.
    pub fn finish(&self) {
        self.inner.finish();
    }

    /// What to do now.
    pub fn orders(&self) -> Orders {
        self.inner.orders()
    }

    /// Waits until the orders are something other than waiting, and returns them.
    pub fn wait_for_orders(&self) -> Orders {
        self.runtime.wait(self.inner.wait_for_orders())
    }

    /// The same, but waits no longer than `time`.
    pub fn wait_for_orders_at_most(&self, time: Duration) -> Orders {
        self.runtime.wait(async {
            let orders = tokio::time::timeout(time, self.inner.wait_for_orders());
            orders.await.unwrap_or(Orders::Wait)
        })
    }

    /// Records that there is something to do besides the run.
    pub fn note_busy(&self) {
        self.inner.note_busy();
    }

    /// Tells whoever plays to stop and hand over what is left.
    pub fn interrupt(&self) {
        self.inner.interrupt();
    }

    /// What has been done so far.
    pub fn delivered(&self) -> Delivered {
        self.inner.delivered()
    }
}

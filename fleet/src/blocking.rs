//! What threads need: a runtime of its own carries the requests, and callers wait ([`Carrier::wait`]).

mod carrier;
mod matches;

use std::time::Duration;

use selfplay::TrainingRecord;
use tokio::task::JoinHandle;

use crate::courier::Player;
use crate::exit::Exit;
use crate::outbox::{self, Delivered, Orders};
use crate::parking::{Parked, Unreadable};
use crate::run::RunError;
use crate::store::{Store, StoreError};
use crate::worker::{self, WorkerSettings};

pub use self::carrier::Carrier;
pub use self::matches::Claimant;

/// A worker whose courier is at work beside the threads that play.
#[derive(Debug)]
pub struct Worker {
    carrier: Carrier,
    courier: JoinHandle<Exit>,
    outbox: outbox::Outbox,
    generation: u64,
    parked: Result<Option<Parked>, Unreadable>,
}

impl Worker {
    /// Joins a run, and sets the courier to work.
    ///
    /// # Errors
    /// As [`worker::Worker::join`].
    pub fn start(
        carrier: &Carrier,
        store: Store,
        settings: WorkerSettings,
        player: impl Player + 'static,
    ) -> Result<Worker, RunError> {
        let worker = carrier.wait(worker::Worker::join(store, settings))?;
        Ok(Worker::set_to_work(carrier, worker, player))
    }

    /// Takes a slot for other work than that of a run.
    ///
    /// # Errors
    /// As [`worker::Worker::attend`].
    pub fn attend(
        carrier: &Carrier,
        store: Store,
        settings: WorkerSettings,
    ) -> Result<Worker, StoreError> {
        let worker = carrier.wait(worker::Worker::attend(store, settings))?;
        Ok(Worker::set_to_work(carrier, worker, ()))
    }

    fn set_to_work(
        carrier: &Carrier,
        mut worker: worker::Worker,
        player: impl Player + 'static,
    ) -> Worker {
        let (generation, outbox) = (worker.generation(), worker.outbox());
        let parked = worker.take_parked();
        let courier = carrier.spawn(worker.carry(player));
        Worker { carrier: carrier.clone(), courier, outbox, generation, parked }
    }

    /// Which process in its slot it is.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The games that the last process in the slot has left, once.
    ///
    /// # Errors
    /// It has left something else.
    pub fn take_parked(&mut self) -> Result<Option<Parked>, Unreadable> {
        std::mem::replace(&mut self.parked, Ok(None))
    }

    /// Where finished games go, and where orders come from, for each thread.
    pub fn outbox(&self) -> Outbox {
        Outbox { carrier: self.carrier.clone(), inner: self.outbox.clone() }
    }

    /// Waits until the courier has stopped, and returns why.
    ///
    /// # Panics
    /// If the courier has.
    pub fn wait(self) -> Exit {
        match self.carrier.wait(self.courier) {
            Ok(exit) => exit,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Exit::Interrupted,
        }
    }
}

/// [`outbox::Outbox`] for threads. Clones are the same outbox.
#[derive(Debug, Clone)]
pub struct Outbox {
    carrier: Carrier,
    inner: outbox::Outbox,
}

impl Outbox {
    /// Hands over a finished game, with the evaluations that it has cost. Waits while too much waits for the courier.
    /// Returns whether to play on.
    pub fn add(&self, game: TrainingRecord, evaluations: u64) -> bool {
        self.carrier.wait(self.inner.add(game, evaluations))
    }

    /// Counts evaluations of the network, for the worker's health.
    pub fn count_evaluations(&self, evaluations: u64) {
        self.inner.count_evaluations(evaluations);
    }

    /// Leaves games in progress to whoever has the slot next; see [`outbox::Outbox::park`].
    pub fn park(&self, parked: Parked) {
        self.inner.park(parked);
    }

    /// Says that nothing will be added any more.
    pub fn finish(&self) {
        self.inner.finish();
    }

    /// What to do now.
    pub fn orders(&self) -> Orders {
        self.inner.orders()
    }

    /// Waits until there is something else to do than to wait, and returns it.
    pub fn wait_for_orders(&self) -> Orders {
        self.carrier.wait(self.inner.wait_for_orders())
    }

    /// The same, but waits no longer than this.
    pub fn wait_for_orders_at_most(&self, time: Duration) -> Orders {
        self.carrier.wait(async {
            let orders = tokio::time::timeout(time, self.inner.wait_for_orders());
            orders.await.unwrap_or(Orders::Wait)
        })
    }

    /// Notes that there is something to do beside the run.
    pub fn note_busy(&self) {
        self.inner.note_busy();
    }

    /// Tells whoever plays to stop and to hand over what is left.
    pub fn interrupt(&self) {
        self.inner.interrupt();
    }

    /// What has been done so far.
    pub fn delivered(&self) -> Delivered {
        self.inner.delivered()
    }
}

//! The worker's side: how a process joins a run.

use crate::claim::Claim;
use crate::courier::{Courier, CourierTiming, Player};
use crate::exit::Exit;
use crate::names::{Process, Slot};
use crate::outbox::{Backlog, Outbox};
use crate::parking::{Parked, ReadParkedError};
use crate::run::{Run, RunError};
use crate::store::{Store, StoreError};

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Its slot.
    pub slot: Slot,
    /// Version of the encoding of positions of this program.
    pub encoder: u32,
    /// What it says about itself.
    pub claim: Claim,
    /// The intervals and time limits of its courier.
    pub timing: CourierTiming,
    /// How much may wait for the store before playing has to wait.
    pub backlog: Backlog,
    /// Seed for random variations in timing.
    pub seed: u64,
}

impl WorkerSettings {
    /// Default settings.
    pub fn new(slot: Slot, encoder: u32, claim: Claim) -> WorkerSettings {
        let backlog = Backlog { files: 8, bytes: 64 << 20 };
        WorkerSettings {
            slot,
            encoder,
            claim,
            timing: CourierTiming::default(),
            backlog,
            seed: rand::random(),
        }
    }
}

/// A process that has a slot, and plays for a run if it has joined one.
#[derive(Debug)]
pub struct Worker {
    generation: u64,
    parked: Result<Option<Parked>, ReadParkedError>,
    outbox: Outbox,
    courier: Courier,
}

impl Worker {
    /// Joins a run as the newest process of its slot. The previous one stops when it notices.
    ///
    /// # Errors
    /// The store fails, or there is no run in which this program can participate.
    pub async fn join(store: Store, settings: WorkerSettings) -> Result<Worker, RunError> {
        let run = Run::read(&store, settings.encoder).await?;
        Ok(Worker::enter(store, Some(run), settings).await?)
    }

    /// Takes a slot for work outside of a run. The previous process in the slot stops when it
    /// notices.
    ///
    /// # Errors
    /// The store fails.
    pub async fn join_without_run(
        store: Store,
        settings: WorkerSettings,
    ) -> Result<Worker, StoreError> {
        Worker::enter(store, None, settings).await
    }

    async fn enter(
        store: Store,
        run: Option<Run>,
        settings: WorkerSettings,
    ) -> Result<Worker, StoreError> {
        let WorkerSettings { slot, encoder: _, claim, timing, backlog, seed } = settings;
        let generation = claim.enter(&store, &slot).await?;
        let parked = match &run {
            Some(run) => Parked::get(&store, &run.id, &slot).await?,
            None => Ok(None),
        };
        let adopted = match &parked {
            Ok(Some(parked)) => parked.seeds.as_slice(),
            Ok(None) | Err(_) => &[],
        };
        let id = run.as_ref().map(|run| run.id.clone());
        let outbox = Outbox::new(run, slot.clone(), generation, backlog, adopted);
        let process = Process { slot, generation };
        let courier = Courier::new(store, id, process, claim.host, timing, outbox.clone(), seed);
        Ok(Worker { generation, parked, outbox, courier })
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

    /// Where finished games go, and where orders come from.
    pub fn outbox(&self) -> Outbox {
        self.outbox.clone()
    }

    /// Carries files, weights and orders until there is a reason to stop, and returns it.
    pub async fn carry(self, player: impl Player) -> Exit {
        self.courier.run(player).await
    }
}

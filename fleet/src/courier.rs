//! Carries a worker's files to the store, and weights and orders back. A single task does all of it
//! alongside the threads that play, which notice the store only if too much is queued.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::commit::{Latest, ModelRecord};
use crate::exit::Exit;
use crate::health::Health;
use crate::model::Model;
use crate::names::{self, Process};
use crate::outbox::{Closing, Delivered, Orders, Outbox, Outgoing};
use crate::store::{Fetched, Requests, Store, StoreError, from_json};

/// Wait after the first failed attempt to send; it doubles up to a maximum.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Maximum duration of a single poll of the store before another one begins.
const MAX_POLL: Duration = Duration::from_secs(60);
/// Time for a worker that ends to leave its last report, if no other time is left.
const LAST_REPORT_TIME: Duration = Duration::from_secs(2);
/// Upper limit on the size of polled objects, in bytes.
const MAX_ORDER_BYTES: u64 = 64 << 10;

/// How often a courier does things, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct CourierTiming {
    /// Interval between polls for weights and orders, varied by up to a fifth.
    pub poll: Duration,
    /// From the first game of a file until it is closed.
    pub file: Duration,
    /// Interval between reports of the worker's health.
    pub beat: Duration,
    /// Interval between checks for a newer process in the slot.
    pub successor: Duration,
    /// How long the store may be unreachable.
    pub patience: Duration,
    /// How long a worker waits for orders to continue.
    pub idle: Duration,
    /// How long a worker that stops may take to send the rest.
    pub grace: Duration,
}

impl Default for CourierTiming {
    fn default() -> CourierTiming {
        CourierTiming {
            poll: Duration::from_secs(15),
            file: Duration::from_secs(60),
            beat: Duration::from_secs(120),
            successor: Duration::from_secs(60),
            patience: Duration::from_secs(30 * 60),
            idle: Duration::from_secs(10 * 60),
            grace: Duration::from_secs(45),
        }
    }
}

/// Whatever plays the games; `()` never does.
pub trait Player: Send {
    /// Plays with other weights from now on. Games in progress may continue with them.
    ///
    /// # Errors
    /// The weights cannot be used; the old ones stay in use.
    fn swap(&mut self, model: Model, simulations: u32) -> Result<(), String>;
}

impl Player for () {
    fn swap(&mut self, _: Model, _: u32) -> Result<(), String> {
        Ok(())
    }
}

/// The task that runs alongside the threads that play.
#[derive(Debug)]
pub(crate) struct Courier {
    store: Store,
    /// The run's identity; without a run, the courier only looks after the slot.
    run: Option<String>,
    process: Process,
    host: String,
    timing: CourierTiming,
    outbox: Outbox,
    started: Instant,
    /// Requests that the process had made to the store before.
    requests_before: Requests,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    random: StdRng,
    errors: u64,
    beat: u64,
}

/// Progress in following the learner's orders.
#[derive(Debug, Default)]
struct Followed {
    tag: Option<String>,
    commit: u64,
    model: Option<ModelRecord>,
    simulations: u32,
    held_since: Option<Instant>,
    /// Since when every poll has failed.
    failing_since: Option<Instant>,
}

impl Followed {
    /// How long there has been nothing to do, for a worker that was last busy with something else
    /// at time `busy`.
    fn idle(&self, busy: Option<Instant>) -> Option<Duration> {
        self.held_since.map(|held| busy.map_or(held, |busy| busy.max(held)).elapsed())
    }
}

impl Courier {
    pub fn new(
        store: Store,
        run: Option<String>,
        process: Process,
        host: String,
        timing: CourierTiming,
        outbox: Outbox,
        seed: u64,
    ) -> Courier {
        let store = store.with_patience(timing.patience.min(MAX_POLL));
        let (started, requests_before) = (Instant::now(), store.requests());
        let random = StdRng::seed_from_u64(seed);
        let state = State { random, errors: 0, beat: 0 };
        let state = Mutex::new(state);
        Courier { store, run, process, host, timing, outbox, started, requests_before, state }
    }

    /// Works until there is a reason to stop, and returns it.
    pub async fn run(self, mut player: impl Player) -> Exit {
        let exit = tokio::select! {
            // Polled in a fixed order, so that simulations are repeatable.
            biased;
            exit = self.send_all() => exit,
            exit = self.follow(&mut player) => exit,
            exit = self.watch_for_successor() => exit,
            exit = self.report_health() => exit,
            exit = self.park_all() => exit,
            exit = self.end_in_time() => exit,
        };
        self.outbox.close(exit);
        self.outbox.finish();
        let spent = self.outbox.closing().map_or(Duration::ZERO, |it| it.since.elapsed());
        let left = self.timing.grace.saturating_sub(spent).max(LAST_REPORT_TIME);
        // Best effort: what was parked before is still there.
        let _ = timeout(left, self.leave(exit)).await;
        exit
    }

    async fn leave(&self, exit: Exit) {
        // A newer process owns the slot's games and makes its own reports.
        if exit == Exit::Superseded {
            return;
        }
        let _ = self.park_pending().await;
        // It may have begun since the last look.
        if !matches!(self.has_successor().await, Ok(true)) {
            let _ = self.health().put(&self.store).await;
        }
    }

    /// Sends files one after another. After the worker has closed, this ends everything.
    async fn send_all(&self) -> Exit {
        loop {
            let Some(file) = self.outbox.next_file(self.timing.file, self.timing.grace).await
            else {
                return self.outbox.closing().map_or(Exit::Interrupted, |closing| closing.exit);
            };
            if let Err(exit) = self.send(&file).await {
                return exit;
            }
        }
    }

    /// Sends a file until it has arrived: always the same bytes under the same name.
    async fn send(&self, file: &Outgoing) -> Result<(), Exit> {
        let (mut pause, begun) = (FIRST_WAIT, Instant::now());
        loop {
            let sent = self.store.put_once(&file.name.in_inbox(), file.bytes.clone()).await;
            let Err(error) = sent else {
                self.outbox.has_arrived(file);
                return Ok(());
            };
            self.note_error();
            self.store.tell(&error, begun.elapsed());
            if self.outbox.closing().is_some() {
                sleep(self.vary(pause.min(self.timing.grace / 8))).await;
            } else if begun.elapsed() >= self.timing.patience {
                return Err(error.exit());
            } else {
                // There is not much time once the worker closes.
                let _ = timeout(self.vary(pause), self.closed()).await;
            }
            pause = (pause * 2).min(MAX_WAIT);
        }
    }

    /// Waits until the worker closes.
    async fn closed(&self) -> Closing {
        loop {
            let changed = self.outbox.changed();
            if let Some(closing) = self.outbox.closing() {
                return closing;
            }
            changed.await;
        }
    }

    /// Completes when the time for closing is over, whatever is still in progress: it will arrive
    /// with the same bytes or not at all.
    async fn end_in_time(&self) -> Exit {
        let Closing { exit, since } = self.closed().await;
        sleep_until(since + self.timing.grace).await;
        exit
    }

    /// Polls for orders and weights again and again.
    async fn follow(&self, player: &mut impl Player) -> Exit {
        let mut followed = Followed::default();
        loop {
            let looked = match self.run {
                Some(_) => self.look(&mut followed, player).await,
                None => self.stand_by(&mut followed).await,
            };
            match looked {
                Ok(()) => {
                    followed.failing_since = None;
                    if followed.idle(self.outbox.busy()) >= Some(self.timing.idle) {
                        // A run that has not ended will need its workers again, so somebody must
                        // start them then.
                        let goes_on = self.run.is_some();
                        self.outbox.close(if goes_on { Exit::Spare } else { Exit::Idle });
                    }
                }
                Err(error) => {
                    self.note_error();
                    // While the store is unreachable, nobody knows whether there is something to
                    // do.
                    followed.held_since = followed.held_since.map(|_| Instant::now());
                    let lasts = followed.failing_since.get_or_insert_with(Instant::now).elapsed();
                    self.store.tell(&error, lasts);
                    if lasts >= self.timing.patience {
                        return error.exit();
                    }
                }
            }
            sleep(self.vary(self.timing.poll)).await;
        }
    }

    /// Checks whether the store can be reached, if there are no orders to wait for.
    async fn stand_by(&self, followed: &mut Followed) -> Result<(), StoreError> {
        self.store.exists(&names::latest()).await?;
        followed.held_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    async fn look(
        &self,
        followed: &mut Followed,
        player: &mut impl Player,
    ) -> Result<(), StoreError> {
        let name = names::latest();
        let found = self.store.get_unless(&name, followed.tag.as_deref(), MAX_ORDER_BYTES).await?;
        let (bytes, tag) = match found {
            Fetched::New { bytes, tag } => (bytes, tag),
            Fetched::Unchanged => return Ok(()),
            Fetched::Absent => {
                followed.held_since.get_or_insert_with(Instant::now);
                return Ok(());
            }
        };
        let latest: Latest = from_json(&name, &bytes)?;
        // A request that was believed lost may have restored an old hint.
        if latest.commit < followed.commit {
            return Ok(());
        }
        followed.commit = latest.commit;
        if latest.ended {
            self.outbox.close(Exit::Ended);
            return Ok(());
        }
        self.take_weights(&latest, followed, player).await?;
        let waits = latest.hold || followed.model.is_none();
        if waits {
            followed.held_since.get_or_insert_with(Instant::now);
        } else {
            followed.held_since = None;
        }
        self.outbox.order(if waits { Orders::Wait } else { Orders::Play });
        // Set only now, so that whatever failed is retried at the next poll.
        followed.tag = tag;
        Ok(())
    }

    /// Plays with the newest weights, or with the old ones if they are not available.
    async fn take_weights(
        &self,
        latest: &Latest,
        followed: &mut Followed,
        player: &mut impl Player,
    ) -> Result<(), StoreError> {
        let Some(model) = &latest.model else { return Ok(()) };
        let is_same = followed.model.as_ref() == Some(model);
        if is_same && followed.simulations == latest.simulations {
            return Ok(());
        }
        let read = Model::read(&self.store, model).await?;
        let name = names::weights(model.step, &model.sha256);
        let swapped = player.swap(read, latest.simulations);
        swapped.map_err(|why| StoreError::damaged(&name, why))?;
        followed.model = Some(model.clone());
        followed.simulations = latest.simulations;
        self.outbox.play_with(model.step);
        Ok(())
    }

    async fn watch_for_successor(&self) -> Exit {
        loop {
            sleep(self.vary(self.timing.successor)).await;
            match self.has_successor().await {
                Ok(true) => self.outbox.close(Exit::Superseded),
                Ok(false) => {}
                Err(_) => self.note_error(),
            }
        }
    }

    async fn has_successor(&self) -> Result<bool, StoreError> {
        self.store.exists(&names::claim(&self.process.slot, self.process.generation + 1)).await
    }

    async fn report_health(&self) -> Exit {
        loop {
            if let Err(error) = self.health().put(&self.store).await {
                self.note_error();
                self.store.tell(&error, self.timing.beat);
            }
            sleep(self.vary(self.timing.beat)).await;
        }
    }

    async fn park_all(&self) -> Exit {
        loop {
            let changed = self.outbox.changed();
            match self.park_pending().await {
                Ok(()) => changed.await,
                Err(error) => {
                    self.note_error();
                    self.store.tell(&error, self.timing.poll);
                    sleep(self.vary(self.timing.poll)).await;
                }
            }
        }
    }

    /// Parks the games that are due to be parked. May be cancelled and called again.
    async fn park_pending(&self) -> Result<(), StoreError> {
        let Some(run) = &self.run else { return Ok(()) };
        let Some(parking) = self.outbox.parking() else { return Ok(()) };
        // What a newer process has parked is further along.
        if self.has_successor().await? {
            self.outbox.close(Exit::Superseded);
        } else {
            parking.parked.put(&self.store, run, &self.process.slot).await?;
        }
        self.outbox.has_parked(&parking);
        Ok(())
    }

    fn health(&self) -> Health {
        let Delivered { files, games, evaluations, played, waiting, too_large: _ } =
            self.outbox.delivered();
        let lasts = self.started.elapsed();
        let mut state = self.state();
        state.beat += 1;
        Health {
            slot: self.process.slot.clone(),
            generation: self.process.generation,
            host: self.host.clone(),
            beat: state.beat,
            seconds: lasts.as_secs_f64(),
            idle: lasts.saturating_sub(played).as_secs_f64(),
            files,
            games,
            evaluations,
            waiting,
            model: self.outbox.model(),
            holds: self.outbox.orders() == Orders::Wait,
            requests: self.store.requests().since(self.requests_before),
            store_errors: state.errors,
        }
    }

    /// Varies a time by up to a fifth, so that many workers do not arrive at once.
    fn vary(&self, time: Duration) -> Duration {
        time.mul_f64(self.state().random.random_range(0.8..1.2))
    }

    fn note_error(&self) {
        self.state().errors += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

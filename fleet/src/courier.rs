//! Carries a worker's files to the store, and weights and orders back. One task does it all, beside the threads that
//! play, which notice the store only when too much waits for it.

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
use crate::store::{Fetched, Requests, Store, StoreError};

/// The wait after the first failed attempt to send; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long a single look at the store goes on, at most, before another one begins.
const LOOK: Duration = Duration::from_secs(60);
/// The time in which a worker that ends leaves its last note, if there is no other left.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Larger than any object that is polled, in bytes.
const LARGEST_ORDER: u64 = 64 << 10;

/// How often a courier does what, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// From one look for weights and orders to the next, more or less a fifth.
    pub poll: Duration,
    /// From the first game of a file to its end.
    pub file: Duration,
    /// From one note of the worker's health to the next.
    pub beat: Duration,
    /// From one look for a newer process in the slot to the next.
    pub successor: Duration,
    /// How long the store may be out of reach.
    pub patience: Duration,
    /// How long a worker waits for orders to go on.
    pub idle: Duration,
    /// How long a worker that stops may take to send the rest.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
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

/// What plays; `()` never does.
pub trait Player: Send {
    /// Plays with other weights from now on. Games in progress may go on with them.
    ///
    /// # Errors
    /// The weights cannot be used; the old ones stay.
    fn swap(&mut self, model: Model, simulations: u32) -> Result<(), String>;
}

impl Player for () {
    fn swap(&mut self, _: Model, _: u32) -> Result<(), String> {
        Ok(())
    }
}

/// The task beside the threads that play.
#[derive(Debug)]
pub(crate) struct Courier {
    store: Store,
    /// The run's identity; without a run nothing but the slot is looked after.
    run: Option<String>,
    process: Process,
    host: String,
    pace: Pace,
    outbox: Outbox,
    started: Instant,
    /// What the process had asked of the store before.
    requests_before: Requests,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    random: StdRng,
    errors: u64,
    beat: u64,
}

/// What has been followed of the learner's orders.
#[derive(Debug, Default)]
struct Followed {
    tag: Option<String>,
    commit: u64,
    model: Option<ModelRecord>,
    simulations: u32,
    held_since: Option<Instant>,
    /// Since when every look has failed.
    failing_since: Option<Instant>,
}

impl Followed {
    /// How long there has been nothing to do, for a worker that was last busy with something else at that time.
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
        pace: Pace,
        outbox: Outbox,
        seed: u64,
    ) -> Courier {
        let store = store.with_patience(pace.patience.min(LOOK));
        let (started, requests_before) = (Instant::now(), store.requests());
        let random = StdRng::seed_from_u64(seed);
        let state = State { random, errors: 0, beat: 0 };
        let state = Mutex::new(state);
        Courier { store, run, process, host, pace, outbox, started, requests_before, state }
    }

    /// Works until there is a reason to stop, and returns it.
    pub async fn run(self, mut player: impl Player) -> Exit {
        let exit = tokio::select! {
            // In a fixed order, so that simulations can be repeated.
            biased;
            exit = self.send_all() => exit,
            exit = self.follow(&mut player) => exit,
            exit = self.watch_for_successor() => exit,
            exit = self.tell_health() => exit,
            exit = self.park_all() => exit,
            exit = self.end_in_time() => exit,
        };
        self.outbox.close(exit);
        self.outbox.finish();
        let spent = self.outbox.closing().map_or(Duration::ZERO, |it| it.since.elapsed());
        let left = self.pace.grace.saturating_sub(spent).max(LAST_WORDS);
        // Best effort: what was parked before is still there.
        let _ = timeout(left, self.leave(exit)).await;
        exit
    }

    async fn leave(&self, exit: Exit) {
        // The newer process has the slot's games, and tells of itself.
        if exit != Exit::Superseded {
            let _ = self.park_pending().await;
            let _ = self.health().put(&self.store).await;
        }
    }

    /// Sends files one after another. Once the worker closes, this ends all.
    async fn send_all(&self) -> Exit {
        loop {
            let Some(file) = self.outbox.next_file(self.pace.file, self.pace.grace).await else {
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
                sleep(self.vary(pause.min(self.pace.grace / 8))).await;
            } else if begun.elapsed() >= self.pace.patience {
                return Err(error.exit());
            } else {
                // There is not much time once the worker closes.
                let _ = timeout(self.vary(pause), self.closed()).await;
            }
            pause = (pause * 2).min(LONGEST_WAIT);
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

    /// Ends when the time to close is over, whatever is still under way: it would arrive with the same bytes or not at
    /// all.
    async fn end_in_time(&self) -> Exit {
        let Closing { exit, since } = self.closed().await;
        sleep_until(since + self.pace.grace).await;
        exit
    }

    /// Looks for orders and weights again and again.
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
                    if followed.idle(self.outbox.busy()) >= Some(self.pace.idle) {
                        // A run that has not ended will need its workers again: somebody must start them then.
                        let goes_on = self.run.is_some();
                        self.outbox.close(if goes_on { Exit::Spare } else { Exit::Idle });
                    }
                }
                Err(error) => {
                    self.note_error();
                    // Nobody knows whether there is something to do.
                    followed.held_since = followed.held_since.map(|_| Instant::now());
                    let lasts = followed.failing_since.get_or_insert_with(Instant::now).elapsed();
                    self.store.tell(&error, lasts);
                    if lasts >= self.pace.patience {
                        return error.exit();
                    }
                }
            }
            sleep(self.vary(self.pace.poll)).await;
        }
    }

    /// Looks whether the store can be reached, where there are no orders to wait for.
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
        let found = self.store.get_unless(&name, followed.tag.as_deref(), LARGEST_ORDER).await?;
        let (bytes, tag) = match found {
            Fetched::New { bytes, tag } => (bytes, tag),
            Fetched::Unchanged => return Ok(()),
            Fetched::Absent => {
                followed.held_since.get_or_insert_with(Instant::now);
                return Ok(());
            }
        };
        let latest: Latest = serde_json::from_slice(&bytes)
            .map_err(|error| StoreError::Damaged { name, why: error.to_string() })?;
        // A request that was believed lost may have put an old one there.
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
        // Only now: what failed is tried again at the next look.
        followed.tag = tag;
        Ok(())
    }

    /// Plays with the newest weights; with the old ones if they cannot be had.
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
        swapped.map_err(|why| StoreError::Damaged { name, why })?;
        followed.model = Some(model.clone());
        followed.simulations = latest.simulations;
        self.outbox.play_with(model.step);
        Ok(())
    }

    async fn watch_for_successor(&self) -> Exit {
        loop {
            sleep(self.vary(self.pace.successor)).await;
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

    async fn tell_health(&self) -> Exit {
        loop {
            if let Err(error) = self.health().put(&self.store).await {
                self.note_error();
                self.store.tell(&error, self.pace.beat);
            }
            sleep(self.vary(self.pace.beat)).await;
        }
    }

    async fn park_all(&self) -> Exit {
        loop {
            let changed = self.outbox.changed();
            match self.park_pending().await {
                Ok(()) => changed.await,
                Err(error) => {
                    self.note_error();
                    self.store.tell(&error, self.pace.poll);
                    sleep(self.vary(self.pace.poll)).await;
                }
            }
        }
    }

    /// Parks what is to be parked. It may be called again before it has ended.
    async fn park_pending(&self) -> Result<(), StoreError> {
        let Some(run) = &self.run else { return Ok(()) };
        let Some(parking) = self.outbox.parking() else { return Ok(()) };
        // What the newer process has parked is further on.
        if self.has_successor().await? {
            self.outbox.close(Exit::Superseded);
        } else {
            parking.parked.put(&self.store, run, &self.process.slot).await?;
        }
        self.outbox.has_parked(&parking);
        Ok(())
    }

    fn health(&self) -> Health {
        let Delivered { files, games, evaluations, waiting } = self.outbox.delivered();
        let mut state = self.state();
        state.beat += 1;
        Health {
            slot: self.process.slot.clone(),
            generation: self.process.generation,
            host: self.host.clone(),
            beat: state.beat,
            seconds: self.started.elapsed().as_secs_f64(),
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

    /// More or less a fifth, so that many workers do not come at once.
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

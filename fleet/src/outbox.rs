//! The queue between the threads that play and the courier: finished games, cut into files, and
//! orders on what to do next.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use selfplay::TrainingRecord;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use crate::exit::Exit;
use crate::game_file::{self, Header};
use crate::names::{FileName, Slot};
use crate::parking::Parked;
use crate::run::Run;

/// Number of games that make a file full.
const FILE_GAMES: usize = 512;
/// Size in bytes, before compression, at which a file is full. One more game still leaves it below
/// what learners accept.
const FILE_BYTES: usize = 4 << 20;
/// Maximum size of a game in bytes; some 1,400 turns on the largest board with every point open in
/// each of them, and many more as the board fills. Only a large move limit leads to longer games.
const GAME_BYTES: usize = 3 << 20;

/// What the threads that play should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    /// Play.
    Play,
    /// Wait: there are no weights yet, or too many games.
    Wait,
    /// Stop permanently.
    Stop,
}

/// The most that may wait for the courier.
#[derive(Debug, Clone, Copy)]
pub struct Backlog {
    /// Files.
    pub files: usize,
    /// Bytes.
    pub bytes: usize,
}

/// A file waiting for the courier.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub name: FileName,
    pub bytes: Bytes,
    pub games: u64,
}

/// Games in progress waiting for the courier.
#[derive(Debug, Clone)]
pub(crate) struct Parking {
    pub parked: Parked,
    /// Distinguishes them from those parked before and after.
    number: u64,
    /// Number of files that must arrive first: they contain all games finished before, which what
    /// was parked earlier still includes.
    after: u64,
}

/// Why, and since when, a worker is ending.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closing {
    pub exit: Exit,
    pub since: Instant,
}

/// What a worker has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Files that have arrived.
    pub files: u64,
    /// Number of games in them.
    pub games: u64,
    /// Evaluations, including those of games that have not been sent.
    pub evaluations: u64,
    /// The time in which they were made.
    pub played: Duration,
    /// Files still waiting.
    pub waiting: u64,
    /// Games that were left out, because they are larger than learners take.
    pub too_large: u64,
}

/// The end used by the playing threads. Clones share the outbox.
#[derive(Debug, Clone)]
pub struct Outbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    run: Option<Run>,
    slot: Slot,
    generation: u64,
    limit: Backlog,
    state: Mutex<State>,
    /// Signals any change that somebody may be waiting for.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    games: Vec<TrainingRecord>,
    bytes: usize,
    begun: Option<Instant>,
    /// Evaluations of the games that have not been cut into a file yet.
    evaluations: u64,
    next: u64,
    backlog: VecDeque<Outgoing>,
    backlog_bytes: usize,
    model: u64,
    /// Seeds of games in progress that another generation may know.
    parked: HashSet<u64>,
    /// Games waiting to be parked, newest last.
    parking: Vec<Parking>,
    /// How often games have been parked.
    parkings: u64,
    orders: Orders,
    closing: Option<Closing>,
    /// Whether nothing more will be added.
    is_finished: bool,
    delivered: Delivered,
    /// When the worker last did something other than playing for the run.
    busy: Option<Instant>,
}

impl Outbox {
    pub(crate) fn new(
        run: Option<Run>,
        slot: Slot,
        generation: u64,
        limit: Backlog,
        adopted: &[u64],
    ) -> Outbox {
        let state = State {
            games: Vec::new(),
            bytes: 0,
            begun: None,
            evaluations: 0,
            next: 0,
            backlog: VecDeque::new(),
            backlog_bytes: 0,
            model: 0,
            parked: adopted.iter().copied().collect(),
            parking: Vec::new(),
            parkings: 0,
            orders: Orders::Wait,
            closing: None,
            is_finished: false,
            delivered: Delivered::default(),
            busy: None,
        };
        let (state, changed) = (Mutex::new(state), Notify::new());
        Outbox(Arc::new(Shared { run, slot, generation, limit, state, changed }))
    }

    /// Hands over a finished game, with the number of evaluations that it took. Waits while too
    /// much is queued for the courier. Returns whether to continue playing; without a run there is
    /// nothing to play for.
    pub async fn add(&self, game: TrainingRecord, evaluations: u64) -> bool {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.state();
                if state.is_finished || self.0.run.is_none() {
                    return false;
                }
                // Little is finished while the worker is ending, so it need not wait.
                if state.closing.is_some() || !self.is_full(&state) {
                    self.put(&mut state, game, evaluations);
                    return state.closing.is_none();
                }
            }
            changed.await;
        }
    }

    fn put(&self, state: &mut State, game: TrainingRecord, evaluations: u64) {
        state.evaluations += evaluations;
        let bytes = game.max_bytes();
        if bytes > GAME_BYTES {
            state.delivered.too_large += 1;
            return;
        }
        state.bytes += bytes;
        state.games.push(game);
        if state.begun.is_none() {
            state.begun = Some(Instant::now());
            self.0.changed.notify_waiters();
        }
        if state.games.len() >= FILE_GAMES || state.bytes >= FILE_BYTES {
            self.cut(state);
        }
    }

    /// Counts evaluations of the network, and the time in which they were made, for the worker's
    /// health report.
    pub fn count_evaluations(&self, evaluations: u64, time: Duration) {
        let mut state = self.state();
        state.delivered.evaluations += evaluations;
        state.delivered.played += time;
    }

    /// Leaves games in progress to the next process in the slot, replacing those left before, as
    /// soon as all games finished so far have arrived. So a game that has once been parked stays
    /// parked until it has arrived. (A request that arrives late can restore what was parked
    /// before, which only costs work.)
    ///
    /// Such a game may be finished twice. It counts once, provided that none of these games is
    /// added before they are handed over here.
    pub fn park(&self, parked: Parked) {
        let mut state = self.state();
        state.parked.extend(&parked.seeds);
        state.parkings += 1;
        // No extra file is cut for this, to keep the number of files small.
        let after = state.next + u64::from(!state.games.is_empty());
        let number = state.parkings;
        state.parking.push(Parking { parked, number, after });
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Declares that nothing more will be added: the rest is sent, and the worker ends.
    pub fn finish(&self) {
        self.close(Exit::Interrupted);
        let mut state = self.state();
        state.is_finished = true;
        self.cut(&mut state);
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// What to do now.
    pub fn orders(&self) -> Orders {
        self.state().orders
    }

    /// Waits until the orders are something other than waiting, and returns them.
    pub async fn wait_for_orders(&self) -> Orders {
        loop {
            let changed = self.0.changed.notified();
            match self.orders() {
                Orders::Wait => changed.await,
                orders => return orders,
            }
        }
    }

    /// Records that there is something to do besides the run, so that the worker does not end
    /// because the run makes it wait.
    pub fn note_busy(&self) {
        self.state().busy = Some(Instant::now());
    }

    pub(crate) fn busy(&self) -> Option<Instant> {
        self.state().busy
    }

    /// Ends the worker's work: whoever plays is told to stop, and has some time to hand over what
    /// is left, until [`Outbox::finish`]. For use by signal handlers.
    pub fn interrupt(&self) {
        self.close(Exit::Interrupted);
    }

    /// What has been done so far.
    pub fn delivered(&self) -> Delivered {
        let state = self.state();
        Delivered { waiting: state.backlog.len() as u64, ..state.delivered }
    }

    pub(crate) fn close(&self, exit: Exit) {
        let mut state = self.state();
        if state.closing.is_none() {
            state.closing = Some(Closing { exit, since: Instant::now() });
            state.orders = Orders::Stop;
        }
        drop(state);
        self.0.changed.notify_waiters();
    }

    pub(crate) fn closing(&self) -> Option<Closing> {
        self.state().closing
    }

    pub(crate) fn order(&self, orders: Orders) {
        let mut state = self.state();
        if state.closing.is_none() {
            state.orders = orders;
        }
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Records the weights with which games are played from now on.
    pub(crate) fn play_with(&self, step: u64) {
        self.state().model = step;
    }

    pub(crate) fn model(&self) -> u64 {
        self.state().model
    }

    /// The games to be parked now, if any.
    pub(crate) fn parking(&self) -> Option<Parking> {
        let state = self.state();
        let files = state.delivered.files;
        state.parking.iter().rfind(|parking| files >= parking.after).cloned()
    }

    /// Records that games have been parked.
    pub(crate) fn has_parked(&self, done: &Parking) {
        self.state().parking.retain(|parking| parking.number > done.number);
    }

    /// Completes with the next change after this call.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.0.changed.notified()
    }

    /// The next file to send: as soon as one is full, or when its games reach `age`; `None` after
    /// the last one has been sent. Whoever plays gets `grace` to hand over what is left.
    pub(crate) async fn next_file(&self, age: Duration, grace: Duration) -> Option<Outgoing> {
        loop {
            let changed = self.0.changed.notified();
            let due = {
                let mut state = self.state();
                let closes = state.closing.map(|closing| closing.since + grace);
                let due =
                    [state.begun.map(|begun| begun + age), closes].into_iter().flatten().min();
                let is_over = closes.is_some_and(|closes| closes <= Instant::now());
                state.is_finished |= is_over;
                if due.is_some_and(|due| due <= Instant::now()) {
                    self.cut(&mut state);
                }
                if let Some(file) = state.backlog.front() {
                    return Some(file.clone());
                }
                if state.is_finished {
                    return None;
                }
                due
            };
            match due {
                Some(due) => drop(tokio::time::timeout_at(due, changed).await),
                None => changed.await,
            }
        }
    }

    /// Records that the next file has arrived.
    pub(crate) fn has_arrived(&self, file: &Outgoing) {
        let mut state = self.state();
        state.backlog.pop_front();
        state.backlog_bytes -= file.bytes.len();
        state.delivered.files += 1;
        state.delivered.games += file.games;
        drop(state);
        self.0.changed.notify_waiters();
    }

    fn is_full(&self, state: &State) -> bool {
        let Backlog { files, bytes } = self.0.limit;
        state.backlog.len() >= files || state.backlog_bytes >= bytes
    }

    /// Makes a file of the games so far.
    fn cut(&self, state: &mut State) {
        let Some(run) = self.0.run.as_ref().filter(|_| !state.games.is_empty()) else { return };
        let games = std::mem::take(&mut state.games);
        let is_parked = |(_, game): &(u32, &TrainingRecord)| state.parked.contains(&game.seed);
        let parked: Vec<u32> =
            (0..).zip(&games).filter(is_parked).map(|(index, _)| index).collect();
        for game in &games {
            state.parked.remove(&game.seed);
        }
        let name = FileName {
            slot: self.0.slot.clone(),
            generation: self.0.generation,
            sequence: state.next,
        };
        let header = Header {
            run: run.id.clone(),
            name: name.clone(),
            rules: run.rules.clone(),
            encoder: run.encoder,
            model: state.model,
            evaluations: std::mem::take(&mut state.evaluations),
            games: games.len() as u32,
            parked,
        };
        (state.bytes, state.begun) = (0, None);
        // The limits on files and games leave room for everything else.
        if let Ok(bytes) = game_file::encode(&header, &games) {
            state.next += 1;
            state.backlog_bytes += bytes.len();
            state.backlog.push_back(Outgoing { name, bytes, games: games.len() as u64 });
        }
        self.0.changed.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What lies between the threads that play and the courier: finished games, cut into files, and what to do next.

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

/// Games of a file.
const FILE_GAMES: usize = 512;
/// Bytes of a file before compression, from which on it is full. A game more still leaves it below what learners take.
const FILE_BYTES: usize = 4 << 20;
/// Bytes of a game, at most; several times those of the longest on the largest board.
const GAME_BYTES: usize = 3 << 20;

/// What the threads that play are to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    /// Play.
    Play,
    /// Wait: there are no weights yet, or too many games.
    Wait,
    /// Stop for good.
    Stop,
}

/// What waits for the courier, at most.
#[derive(Debug, Clone, Copy)]
pub struct Backlog {
    /// Files.
    pub files: usize,
    /// Bytes.
    pub bytes: usize,
}

/// A file that waits for the courier.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub name: FileName,
    pub bytes: Bytes,
    pub games: u64,
}

/// Games in progress that wait for the courier.
#[derive(Debug, Clone)]
pub(crate) struct Parking {
    pub parked: Parked,
    /// Tells them from those before and after.
    number: u64,
    /// The files that hold what was finished before; what was parked last has those games still.
    after: u64,
}

/// Why and since when a worker is ending.
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
    /// Their games.
    pub games: u64,
    /// Evaluations, also those of games that have not been sent.
    pub evaluations: u64,
    /// Files that wait.
    pub waiting: u64,
}

/// The playing side's end. Clones are the same outbox.
#[derive(Debug, Clone)]
pub struct Outbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    run: Option<Run>,
    slot: Slot,
    generation: u64,
    limit: Backlog,
    state: Mutex<State>,
    /// Something has changed that somebody may wait for.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    games: Vec<TrainingRecord>,
    bytes: usize,
    begun: Option<Instant>,
    /// Evaluations of the games that have not been cut into a file.
    evaluations: u64,
    next: u64,
    backlog: VecDeque<Outgoing>,
    backlog_bytes: usize,
    model: u64,
    /// Seeds of games in progress that another generation may know.
    parked: HashSet<u64>,
    /// The newest last.
    parking: Vec<Parking>,
    /// How often games have been parked.
    parkings: u64,
    orders: Orders,
    closing: Option<Closing>,
    /// Nothing is added any more.
    is_finished: bool,
    delivered: Delivered,
    /// When it last did something else than to play for the run.
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

    /// Hands over a finished game, with the evaluations that it has cost. Waits while too much waits for the courier.
    /// Returns whether to play on; without a run there is nothing to play for.
    pub async fn add(&self, game: TrainingRecord, evaluations: u64) -> bool {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.state();
                if state.is_finished || self.0.run.is_none() {
                    return false;
                }
                // What is finished while the worker ends is little.
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
        let bytes = game.most_bytes();
        if bytes > GAME_BYTES {
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

    /// Counts evaluations of the network, for the worker's health.
    pub fn count_evaluations(&self, evaluations: u64) {
        self.state().delivered.evaluations += evaluations;
    }

    /// Leaves games in progress to whoever has the slot next, in place of those left before, as soon as all games that
    /// have been finished have arrived. So a game that was once parked is, until it has arrived. (A request that arrives
    /// late can put back what was parked before, which costs work, and nothing else.)
    ///
    /// Such a game may be finished twice; it counts once, as long as none of them is added before they are handed over
    /// here.
    pub fn park(&self, parked: Parked) {
        let mut state = self.state();
        state.parked.extend(&parked.seeds);
        state.parkings += 1;
        // No file is cut for this: there would be more of them.
        let after = state.next + u64::from(!state.games.is_empty());
        let number = state.parkings;
        state.parking.push(Parking { parked, number, after });
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Says that nothing will be added any more: what is there is sent, and the worker ends.
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

    /// Waits until there is something else to do than to wait, and returns it.
    pub async fn wait_for_orders(&self) -> Orders {
        loop {
            let changed = self.0.changed.notified();
            match self.orders() {
                Orders::Wait => changed.await,
                orders => return orders,
            }
        }
    }

    /// Notes that there is something to do beside the run: the worker does not end because the run has it wait.
    pub fn note_busy(&self) {
        self.state().busy = Some(Instant::now());
    }

    pub(crate) fn busy(&self) -> Option<Instant> {
        self.state().busy
    }

    /// Ends the worker's work: whoever plays is told to stop, and has a while to hand over what is left, up to
    /// [`Outbox::finish`]. For signals.
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

    /// Notes the weights with which games are played from now on.
    pub(crate) fn play_with(&self, step: u64) {
        self.state().model = step;
    }

    pub(crate) fn model(&self) -> u64 {
        self.state().model
    }

    /// The games that are to be parked now.
    pub(crate) fn parking(&self) -> Option<Parking> {
        let state = self.state();
        let files = state.delivered.files;
        state.parking.iter().rfind(|parking| files >= parking.after).cloned()
    }

    /// Notes that games are parked.
    pub(crate) fn has_parked(&self, done: &Parking) {
        self.state().parking.retain(|parking| parking.number > done.number);
    }

    /// Ends with the next change from this call on.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.0.changed.notified()
    }

    /// The file that is to be sent next: as soon as there is one, or as the games of `age` make one; `None` when the
    /// last has been sent. Whoever plays gets `grace` to hand over what is left.
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

    /// Notes that the file to be sent next has arrived.
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
        // The limits of files and games leave room for everything else.
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

//! An open game: its table, its running search, and its followers.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interface::{Catalogue, GameView, Language, Refusal, Secret, Table, ViewContext};
use tokio::sync::watch;

use super::problem::Problem;
use super::save_state::SaveState;
use super::timed_search::Cancel;

/// Version numbers for the changes of games, each larger than all before it, including those of a
/// game that was closed and reopened, and those from earlier starts of the server. Clocks are not
/// used, because they can be set back, and because games between programs change more than once per
/// millisecond.
pub(crate) struct Versions(AtomicU64);

impl Versions {
    /// The version numbers of one start of the server; starts are counted from 1. Each start has
    /// 2³⁶ numbers, so that 100,000 starts stay within JavaScript's exact integers.
    pub fn of_start(start: u64) -> Versions {
        Versions(AtomicU64::new(start << 36))
    }

    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// A new secret, from a generator seeded by the operating system.
pub(crate) fn secret() -> Secret {
    Secret::new(rand::random())
}

/// An open game.
pub(crate) struct Room {
    pub id: Secret,
    versions: Arc<Versions>,
    state: Mutex<RoomState>,
    /// The version of the latest change. Slow followers get only the latest, so nothing piles up.
    news: watch::Sender<u64>,
    /// When it was last requested, as a request number.
    used: AtomicU64,
    /// The number of turns, which determines the memory used.
    turns: AtomicUsize,
    /// How much of it is on disk.
    pub save_state: Arc<SaveState>,
}

/// The part that only one thread may access at a time.
pub(crate) struct RoomState {
    pub table: Table,
    pub version: u64,
    /// The queued or running search for a program's move.
    pub search: Option<Cancel>,
    /// Why a program that should have moved has not.
    pub trouble: Option<Problem>,
    /// What was shown last, because what stones would do takes a search under some rules.
    cached_view: Option<(ViewKey, GameView)>,
}

/// What a view depends on: the table has another version after every change.
#[derive(PartialEq)]
struct ViewKey {
    version: u64,
    thinking: bool,
    trouble: Option<String>,
    language: &'static str,
}

impl Room {
    pub fn new(id: Secret, table: Table, versions: &Arc<Versions>) -> Room {
        let version = versions.next();
        let turns = AtomicUsize::new(table.game.turns().len());
        Room {
            id,
            versions: Arc::clone(versions),
            state: Mutex::new(RoomState {
                table,
                version,
                search: None,
                trouble: None,
                cached_view: None,
            }),
            news: watch::Sender::new(version),
            used: AtomicU64::new(0),
            turns,
            save_state: Arc::default(),
        }
    }

    /// Locks the state; not to be held across an await.
    pub fn lock(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies followers of a change.
    pub fn announce(&self, state: &mut RoomState) {
        state.version = self.versions.next();
        self.turns.store(state.table.game.turns().len(), Ordering::Relaxed);
        self.news.send_replace(state.version);
    }

    /// Wakes followers without a change.
    pub fn wake(&self) {
        self.news.send_modify(|_| {});
    }

    /// The stream of versions, beginning with the current one.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Whether somebody receives its changes.
    pub fn is_followed(&self) -> bool {
        self.news.receiver_count() > 0
    }

    /// The game as clients see it.
    pub fn view(&self, catalogue: &Catalogue, language: &Language) -> GameView {
        let mut state = self.lock();
        let key = ViewKey {
            version: state.version,
            thinking: state.search.is_some(),
            trouble: state.trouble.as_ref().map(|trouble| trouble.in_language(language)),
            language: language.tag(),
        };
        if let Some((_, view)) = state.cached_view.as_ref().filter(|(known, _)| *known == key) {
            return view.clone();
        }
        let context = ViewContext {
            id: self.id,
            version: key.version,
            thinking: key.thinking,
            trouble: key.trouble.clone(),
            catalogue,
            language,
        };
        let view = GameView::of(&state.table, context);
        state.cached_view = Some((key, view.clone()));
        view
    }

    pub fn mark_used(&self, count: u64) {
        self.used.store(count, Ordering::Relaxed);
    }

    pub fn last_used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// How many turns it holds in memory.
    pub fn turns(&self) -> usize {
        self.turns.load(Ordering::Relaxed)
    }
}

impl RoomState {
    /// Ends the search for a move that no longer fits the game.
    pub fn cancel_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.cancel();
        }
    }
}

/// A search for a room. If it ends without an answer, because its thread panicked or the
/// queue was dropped, the waiting clients are told.
pub(crate) struct PendingSearch {
    room: Arc<Room>,
    pub cancel: Cancel,
}

impl PendingSearch {
    /// Begins a search for the room with this state.
    pub fn new(room: &Arc<Room>, state: &mut RoomState) -> PendingSearch {
        state.cancel_search();
        let cancel = Cancel::default();
        state.search = Some(cancel.clone());
        PendingSearch { room: Arc::clone(room), cancel }
    }

    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Ends the search. If it is still wanted, `done` enters its answer, and clients are notified.
    pub fn finish(&self, done: impl FnOnce(&mut RoomState)) {
        let mut state = self.room.lock();
        if !self.cancel.is_cancelled() {
            self.cancel.cancel();
            state.search = None;
            done(&mut state);
            self.room.announce(&mut state);
        }
    }
}

impl Drop for PendingSearch {
    fn drop(&mut self) {
        let unanswered = || Refusal::Search("it ended without an answer".to_owned());
        self.finish(|state| state.trouble = Some(unanswered().into()));
    }
}

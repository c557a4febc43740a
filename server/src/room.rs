//! An open game: its table, its running search, and its followers.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interface::{ViewContext, Catalogue, GameView, Language, Refusal, Secret, Table};
use tokio::sync::watch;

use super::kept::Kept;
use super::problem::Problem;
use super::thinking::Cancel;

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
    inside: Mutex<Inside>,
    /// The version of the latest change. Slow followers get only the latest, so nothing piles up.
    news: watch::Sender<u64>,
    /// When it was last requested, as a request number.
    used: AtomicU64,
    /// The number of turns, which determines the memory used.
    turns: AtomicUsize,
    /// How much of it is on disk.
    pub kept: Arc<Kept>,
}

/// The part that only one thread may access at a time.
pub(crate) struct Inside {
    pub table: Table,
    pub version: u64,
    /// The queued or running search for a program's move.
    pub search: Option<Cancel>,
    /// Why a program that should have moved has not.
    pub trouble: Option<Problem>,
    /// What was shown last, because what stones would do takes a search under some rules.
    shown: Option<(Shown, GameView)>,
}

/// What a view depends on: the table has another version after every change.
#[derive(PartialEq)]
struct Shown {
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
            inside: Mutex::new(Inside { table, version, search: None, trouble: None, shown: None }),
            news: watch::Sender::new(version),
            used: AtomicU64::new(0),
            turns,
            kept: Arc::default(),
        }
    }

    /// Locks the inside; not to be held across an await.
    pub fn enter(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies followers of a change.
    pub fn announce(&self, inside: &mut Inside) {
        inside.version = self.versions.next();
        self.turns.store(inside.table.game.turns().len(), Ordering::Relaxed);
        self.news.send_replace(inside.version);
    }

    /// Wakes followers without a change.
    pub fn wake(&self) {
        self.news.send_modify(|_| {});
    }

    /// The stream of versions, beginning with the current one.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// The game as clients see it.
    pub fn view(&self, catalogue: &Catalogue, language: &Language) -> GameView {
        let mut inside = self.enter();
        let shown = Shown {
            version: inside.version,
            thinking: inside.search.is_some(),
            trouble: inside.trouble.as_ref().map(|trouble| trouble.in_language(language)),
            language: language.tag(),
        };
        if let Some((_, view)) = inside.shown.as_ref().filter(|(known, _)| *known == shown) {
            return view.clone();
        }
        let context = ViewContext {
            id: self.id,
            version: shown.version,
            thinking: shown.thinking,
            trouble: shown.trouble.clone(),
            catalogue,
            language,
        };
        let view = GameView::of(&inside.table, context);
        inside.shown = Some((shown, view.clone()));
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

impl Inside {
    /// Ends the search for a move that no longer fits the game.
    pub fn cancel_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.cancel();
        }
    }
}

/// A search promised to a room. If it ends without an answer, because its thread panicked or the
/// queue was dropped, the waiting clients are told.
pub(crate) struct Promise {
    room: Arc<Room>,
    pub cancel: Cancel,
}

impl Promise {
    /// Promises a search to the room of this inside.
    pub fn new(room: &Arc<Room>, inside: &mut Inside) -> Promise {
        inside.cancel_search();
        let cancel = Cancel::default();
        inside.search = Some(cancel.clone());
        Promise { room: Arc::clone(room), cancel }
    }

    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Ends the search. If it is still wanted, `done` enters its answer, and clients are notified.
    pub fn keep(&self, done: impl FnOnce(&mut Inside)) {
        let mut inside = self.room.enter();
        if !self.cancel.is_cancelled() {
            self.cancel.cancel();
            inside.search = None;
            done(&mut inside);
            self.room.announce(&mut inside);
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let unanswered = || Refusal::Search("it ended without an answer".to_owned());
        self.keep(|inside| inside.trouble = Some(unanswered().into()));
    }
}

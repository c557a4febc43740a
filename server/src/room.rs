//! A game that is open: its table, the search that goes on, and those who watch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::catalogue::Catalogue;
use super::secret::Secret;
use super::table::Table;
use super::thinking::Cancel;
use super::view::{Around, GameView};

/// Numbers for the changes of games, each larger than all before it: those of a game that was closed and opened again, and
/// those of earlier servers. No clock is asked, because clocks are set back, and games of programs change more than once
/// a millisecond.
pub(crate) struct Versions(AtomicU64);

impl Versions {
    /// Those of one start of the server, counted from 1. Each start has 2³⁶ numbers, so that 100,000 starts stay within
    /// what JavaScript counts exactly.
    pub fn of_start(start: u64) -> Versions {
        Versions(AtomicU64::new(start << 36))
    }

    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// A game that is open.
pub(crate) struct Room {
    pub id: Secret,
    versions: Arc<Versions>,
    inside: Mutex<Inside>,
    /// The version of the latest change. Watchers that are slow get the latest only, so nothing piles up for them.
    news: watch::Sender<u64>,
    /// When it was last asked for, in the count of the hall.
    used: AtomicU64,
}

/// What only one thread may have at a time.
pub(crate) struct Inside {
    pub table: Table,
    pub version: u64,
    /// The search for a program's move that is waiting or going on.
    pub search: Option<Cancel>,
    /// Why a program that should have moved has not.
    pub trouble: Option<String>,
}

impl Room {
    pub fn new(id: Secret, table: Table, versions: &Arc<Versions>) -> Room {
        let version = versions.next();
        Room {
            id,
            versions: Arc::clone(versions),
            inside: Mutex::new(Inside { table, version, search: None, trouble: None }),
            news: watch::Sender::new(version),
            used: AtomicU64::new(0),
        }
    }

    /// The inside, for as long as nothing is waited for.
    pub fn enter(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who watch that something has changed.
    pub fn announce(&self, inside: &mut Inside) {
        inside.version = self.versions.next();
        self.news.send_replace(inside.version);
    }

    /// Wakes those who watch, though nothing has changed.
    pub fn wake(&self) {
        self.news.send_modify(|_| {});
    }

    /// The versions to come, the present one first.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// The game as clients see it.
    pub fn view(&self, catalogue: &Catalogue) -> GameView {
        let inside = self.enter();
        let around = Around {
            id: self.id,
            version: inside.version,
            thinking: inside.search.is_some(),
            trouble: inside.trouble.clone(),
            catalogue,
        };
        GameView::of(&inside.table, around)
    }

    pub fn mark_used(&self, count: u64) {
        self.used.store(count, Ordering::Relaxed);
    }

    pub fn last_used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl Inside {
    /// Ends the search for a move that does not fit the game any more.
    pub fn cancel_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.cancel();
        }
    }
}

/// A search that has been promised to a room. If it ends without an answer, because its thread panicked or the queue
/// was dropped, those who wait are told.
pub(crate) struct Promise {
    room: Arc<Room>,
    pub cancel: Cancel,
}

impl Promise {
    /// Promises the room, whose inside this is, a search.
    pub fn new(room: &Arc<Room>, inside: &mut Inside) -> Promise {
        inside.cancel_search();
        let cancel = Cancel::default();
        inside.search = Some(cancel.clone());
        Promise { room: Arc::clone(room), cancel }
    }

    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Ends the search, if it is still wanted: `done` takes its answer in.
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
        self.keep(|inside| inside.trouble = Some("The search ended without an answer".to_owned()));
    }
}

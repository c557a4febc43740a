//! The state shared by all requests, and how a game changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use interface::{Catalogue, GameView, Language, Refusal, Secret, Table, playing_settings};
use tokio::sync::Notify;

use super::client_counter::ClientCounter;
use super::problem::Problem;
use super::rate_limiter::{Client, RateLimiter, Resource};
use super::room::{PendingSearch, Room, RoomState, Versions, secret};
use super::settings::{Limits, ServerSettings};
use super::storage::{Answer, Storage, StorageError};
use super::timed_search::{Cancel, Deadline, think};
use super::workers::{Evaluators, Held, Purpose, QueuePlace, Workers};
use bot::{Level, Strength};
use engine::Rules;

/// The state shared by all requests.
pub(crate) struct Application {
    pub limits: Limits,
    pub behind_proxy: bool,
    /// Whether only this machine may connect, and no proxy forwards requests from elsewhere.
    pub is_for_its_machine: bool,
    pub catalogue: Arc<Catalogue>,
    pub rate_limiter: RateLimiter,
    /// The clients that follow games.
    pub following: ClientCounter,
    searching: ClientCounter,
    workers: Workers,
    storage: Storage,
    versions: Arc<Versions>,
    rooms: Mutex<HashMap<Secret, Arc<Room>>>,
    /// The games that are being opened, each as often as there are requests that open it.
    opening: Mutex<Vec<Secret>>,
    /// Number of room requests so far, used to find the least recently used room.
    uses: AtomicU64,
    stopping: AtomicBool,
    stopped: Notify,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The games cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// No thread could be started.
    #[error("cannot start a search thread: {0}")]
    Threads(#[source] std::io::Error),
}

impl Application {
    pub fn start(settings: &ServerSettings, catalogue: Catalogue) -> Result<Arc<Self>, StartError> {
        let limits = settings.limits;
        let catalogue = Arc::new(catalogue);
        let storage = Storage::open(&settings.data, limits.games, limits.keep)?;
        let workers = Workers::start(&catalogue, limits.searching_threads, limits.waiting_searches)
            .map_err(StartError::Threads)?;
        Ok(Arc::new(Application {
            limits,
            behind_proxy: settings.behind_proxy,
            is_for_its_machine: settings.address.ip().is_loopback() && !settings.behind_proxy,
            catalogue,
            rate_limiter: RateLimiter::new(limits.per_client),
            following: ClientCounter::default(),
            searching: ClientCounter::default(),
            workers,
            versions: Arc::new(Versions::of_start(storage.starts())),
            storage,
            rooms: Mutex::default(),
            opening: Mutex::default(),
            uses: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            stopped: Notify::new(),
        }))
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Ends everything that would otherwise run forever: event streams, and waiting for searches
    /// that have not begun.
    pub fn begin_to_stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.stopped.notify_waiters();
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.values().for_each(|room| room.wake());
    }

    /// Lets running searches finish, and saves. Takes at most as long as a search. Returns the
    /// number of games that lack turns on disk.
    pub fn stop(&self) -> usize {
        self.workers.stop();
        let rooms: Vec<Arc<Room>> =
            self.rooms.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        rooms.iter().for_each(|room| self.save_again(room));
        self.storage.close();
        rooms.iter().filter(|room| !room.save_state.is_saved()).count()
    }

    /// A place in the queue for a search of this cost, if the client's quota and the queue allow
    /// it.
    pub fn reserve(
        &self,
        client: Client,
        purpose: Purpose,
        simulations: u32,
    ) -> Result<QueuePlace, Problem> {
        self.rate_limiter.check(client, Resource::Thinking).map_err(Problem::TooMuchThinking)?;
        let most = self.limits.per_client.searches.unwrap_or(usize::MAX);
        let permit = self.searching.admit(client, most).ok_or(Problem::TooManySearches)?;
        let place = self.workers.reserve(permit, purpose).ok_or(Problem::Busy)?;
        self.rate_limiter
            .charge(client, Resource::Simulations, f64::from(simulations.max(1)))
            .map_err(Problem::TooManySimulations)?;
        Ok(place)
    }

    /// A place for the search of a program's reply.
    pub fn place_for_reply(
        &self,
        client: Client,
        name: &str,
        level: Level,
        rules: &Rules,
    ) -> Result<QueuePlace, Problem> {
        let strength = |model| self.catalogue.strength(model, rules, level).1;
        let simulations =
            self.catalogue.model_for_player(name, rules).map(|it| strength(it).simulations);
        self.reserve(client, Purpose::Reply, simulations.unwrap_or_default())
    }

    /// Opens a new game.
    pub async fn create(&self, table: Table) -> Result<Arc<Room>, Problem> {
        let id = secret();
        let saved = table.save();
        let room = self.keep_open(Room::new(id, table, &self.versions));
        match finished(self.storage.create(id, saved)).await {
            Ok(true) => Ok(room),
            refused => {
                self.rooms.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                Err(refused.err().map_or(Problem::Full, Problem::from))
            }
        }
    }

    /// The game with this name, from memory or from disk.
    pub async fn room(&self, id: &str) -> Result<Arc<Room>, Problem> {
        let id: Secret = id.parse().map_err(|_| Refusal::NoSuchGame)?;
        let open = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(room) = open {
            self.save_again(&room);
            room.mark_used(self.uses.fetch_add(1, Ordering::Relaxed));
            return Ok(room);
        }
        let _opening = Opening::begin(&self.opening, id);
        let saved = finished(self.storage.load(id)).await?.ok_or(Refusal::NoSuchGame)?;
        // Replaying a long game takes longer than others should have to wait.
        let table = tokio::task::block_in_place(|| Table::restore(&saved));
        let table = table.ok_or(Refusal::Unreadable)?;
        Ok(self.keep_open(Room::new(id, table, &self.versions)))
    }

    /// Adds a room to the open ones, unless it is already open, and closes some unused ones if
    /// there are too many.
    fn keep_open(&self, room: Room) -> Arc<Room> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        self.close_unused(&mut rooms, room.turns());
        let room = Arc::clone(rooms.entry(room.id).or_insert_with(|| Arc::new(room)));
        room.mark_used(self.uses.fetch_add(1, Ordering::Relaxed));
        room
    }

    /// Makes room for one more game, with `more` turns. Games that somebody follows are closed
    /// last: the streams of their events then end, and whoever still listens opens them again.
    /// Among them the longest are closed first, so that as few as possible are.
    fn close_unused(&self, rooms: &mut HashMap<Secret, Arc<Room>>, more: usize) {
        let Limits { open_games, open_turns, .. } = self.limits;
        let most = open_turns.saturating_mul(2);
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        // Rooms in use cannot be closed, but must not push out all others either.
        let is_unused = |room: &Arc<Room>| {
            Arc::strong_count(room) == 1
                && room.save_state.is_saved()
                && !opening.contains(&room.id)
        };
        let mut unused: Vec<(bool, usize, u64, Secret)> = Vec::new();
        let (mut unfollowed, mut followed) = (more, 0);
        for room in rooms.values().filter(|room| is_unused(room)) {
            let is_followed = room.is_followed();
            let turns = if is_followed { &mut followed } else { &mut unfollowed };
            let length = room.turns();
            *turns += length;
            let longest_first = if is_followed { usize::MAX - length } else { 0 };
            unused.push((is_followed, longest_first, room.last_used(), room.id));
        }
        if rooms.len() < open_games && unfollowed <= open_turns && unfollowed + followed <= most {
            return;
        }
        // Close several at a time, so that this is not necessary for every new room.
        let fewer = open_games.saturating_sub(1 + open_games / 10);
        unused.sort_unstable();
        for (is_followed, _, _, id) in unused {
            // Connections limit the number of games that are followed, but not their length.
            let fits = is_followed || (rooms.len() <= fewer && unfollowed <= open_turns);
            if fits && unfollowed + followed <= most {
                break;
            }
            // The number of turns may have changed since it was counted.
            let closed = rooms.remove(&id).map_or(0, |room| room.turns());
            let turns = if is_followed { &mut followed } else { &mut unfollowed };
            *turns = turns.saturating_sub(closed);
        }
    }

    /// Saves a game again after a failed save, as when the disk was full.
    fn save_again(&self, room: &Room) {
        if room.save_state.has_failed() {
            drop(self.storage.save(room.id, room.lock().table.save(), &room.save_state));
        }
    }

    /// Changes a game, saves it, and lets a program answer if it is then to move, using the given
    /// place in the queue or a newly reserved one. A change that fails must leave the table as it
    /// was. A change that cannot be saved is kept, and the next request for the game saves it.
    pub async fn change(
        self: &Arc<Self>,
        room: &Arc<Room>,
        client: Client,
        place: Option<QueuePlace>,
        act: impl FnOnce(&mut Table) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let saved = {
            let mut state = room.lock();
            act(&mut state.table)?;
            state.cancel_search();
            state.trouble = None;
            let saved = self.storage.save(room.id, state.table.save(), &room.save_state);
            self.let_program_move(room, &mut state, client, place);
            room.announce(&mut state);
            saved
        };
        finished(saved).await.map_err(Problem::Unsaved)
    }

    /// Starts the search of a program that is to move and is not searching yet.
    pub fn start_reply(self: &Arc<Self>, room: &Arc<Room>, client: Client) -> Result<(), Problem> {
        self.start_reply_in(room, &mut room.lock(), client)
    }

    /// After a restart, a program may be to move. One that has failed is left alone until a client
    /// asks for it.
    pub fn wake_program(self: &Arc<Self>, room: &Arc<Room>, client: Client) {
        // Under one lock: a remark entered later could be about a search that another request has
        // started meanwhile, or about a turn that has been taken back.
        let mut state = room.lock();
        if state.trouble.is_some() {
            return;
        }
        match self.start_reply_in(room, &mut state, client) {
            Ok(()) | Err(Problem::Refused(Refusal::NoReplyDue)) => {}
            // Nobody waits for this answer: the view says that the program cannot search now.
            Err(problem) => {
                state.trouble = Some(problem);
                room.announce(&mut state);
            }
        }
    }

    fn start_reply_in(
        self: &Arc<Self>,
        room: &Arc<Room>,
        state: &mut RoomState,
        client: Client,
    ) -> Result<(), Problem> {
        if state.search.is_some() {
            return Ok(());
        }
        let Some((name, level)) = state.table.program_to_move() else {
            return Err(Refusal::NoReplyDue.into());
        };
        let place = self.place_for_reply(client, name, level, state.table.game.rules())?;
        state.trouble = None;
        self.let_program_move(room, state, client, Some(place));
        room.announce(state);
        Ok(())
    }

    fn let_program_move(
        self: &Arc<Self>,
        room: &Arc<Room>,
        state: &mut RoomState,
        client: Client,
        place: Option<QueuePlace>,
    ) {
        let Some((name, level)) = state.table.program_to_move() else { return };
        let rules = state.table.game.rules();
        let Some(model) = self.catalogue.model_for_player(name, rules) else {
            state.trouble = Some(Refusal::NoLongerAvailable(name.to_owned()).into());
            return;
        };
        let (evaluating_model, strength) = self.catalogue.strength(model, rules, level);
        let reserved = || self.reserve(client, Purpose::Reply, strength.simulations);
        let place = match place.map_or_else(reserved, Ok) {
            Ok(place) => place,
            Err(problem) => {
                state.trouble = Some(problem);
                return;
            }
        };
        let pending = PendingSearch::new(room, state);
        let application = Arc::clone(self);
        place.submit(move |evaluators, held| {
            application.reply(evaluators, held, &pending, evaluating_model, strength, client)
        });
    }

    /// Finds and plays a program's move, on a search thread.
    fn reply(
        self: &Arc<Self>,
        evaluators: &mut Evaluators,
        held: Held,
        pending: &PendingSearch,
        evaluating_model: usize,
        strength: Strength,
        client: Client,
    ) {
        if pending.cancel.is_cancelled() {
            return;
        }
        let room = pending.room();
        let position = room.lock().table.game.position().clone();
        let player = position.turn();
        let settings = playing_settings(room.id, strength);
        let start = Instant::now();
        let deadline = Deadline::after(self.limits.search_time, pending.cancel.clone());
        let choice = think(position, settings, evaluators.of(evaluating_model), &deadline);
        self.rate_limiter.take(client, Resource::Thinking, start.elapsed().as_secs_f64());
        pending.finish(|state| {
            let played = match choice {
                Ok(choice) => {
                    let turns = state.table.game.turns().len();
                    if self.catalogue.is_model_for(evaluating_model, state.table.game.rules()) {
                        state.table.remember(turns, choice.value);
                    }
                    state.table.game.play(choice.played).map_err(|rule| rule.to_string())
                }
                Err(error) => Err(error.to_string()),
            };
            match played {
                Ok(()) => {
                    // Nobody waits for this save; it is queued before any client can see the move.
                    drop(self.storage.save(room.id, state.table.save(), &room.save_state));
                    // A turn may have several stones. One that has begun is ended, whoever else waits
                    // for a place and however little the client has left.
                    let game = &state.table.game;
                    let goes_on = game.end().is_none() && game.position().turn() == player;
                    let place = if goes_on {
                        let simulations = f64::from(strength.simulations.max(1));
                        self.rate_limiter.take(client, Resource::Simulations, simulations);
                        self.workers.pass_on(held, Purpose::Reply)
                    } else {
                        // The next search needs a place, and this may be the only one.
                        drop(held);
                        None
                    };
                    self.let_program_move(room, state, client, place);
                }
                Err(problem) => state.trouble = Some(Refusal::Search(problem).into()),
            }
        });
    }

    /// Waits until no program is searching, or the server is stopping.
    pub async fn reply_in(&self, room: &Room) {
        let mut news = room.watch();
        loop {
            news.borrow_and_update();
            if room.lock().search.is_none() || self.is_stopping() {
                return;
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { return },
                () = self.stopped.notified() => return,
            }
        }
    }

    /// Runs a search for a client that waits for the result; it changes nothing.
    pub async fn search<T: Send + 'static>(
        self: &Arc<Self>,
        place: QueuePlace,
        client: Client,
        task: impl FnOnce(&mut Evaluators, Cancel) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let (answer, answered) = tokio::sync::oneshot::channel();
        let guard = CancelOnDrop::default();
        let (cancel, application) = (guard.0.clone(), Arc::clone(self));
        place.submit(move |evaluators, _held| {
            let start = Instant::now();
            let found = (!cancel.is_cancelled()).then(|| task(evaluators, cancel));
            application.rate_limiter.take(
                client,
                Resource::Thinking,
                start.elapsed().as_secs_f64(),
            );
            // The client may be gone.
            let _ = found.map(|found| answer.send(found));
        });
        answered.await.map_err(|_| match self.is_stopping() {
            true => Problem::Stopping,
            false => Refusal::Internal.into(),
        })
    }

    /// The game as clients see it.
    pub fn view(&self, room: &Room, language: &Language) -> GameView {
        room.view(&self.catalogue, language)
    }
}

/// A game that a request is opening. Until that is done, the same game opened by a faster request
/// is not closed: the slower one would open it again as it was before the turns played meanwhile.
struct Opening<'a> {
    games: &'a Mutex<Vec<Secret>>,
    id: Secret,
}

impl Opening<'_> {
    fn begin(games: &Mutex<Vec<Secret>>, id: Secret) -> Opening<'_> {
        games.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Opening { games, id }
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = games.iter().position(|&id| id == self.id) {
            games.swap_remove(index);
        }
    }
}

/// Cancels a search when its client is gone.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn finished<T>(answer: Answer<T>) -> Result<T, StorageError> {
    answer.await.unwrap_or(Err(StorageError::Stopped))
}

#[cfg(test)]
mod tests {
    use game::Game;
    use interface::Seat;

    use super::*;

    #[tokio::test]
    async fn a_game_that_a_request_is_opening_is_not_closed() {
        let folder = tempfile::tempdir().unwrap();
        let settings = ServerSettings {
            address: ([127, 0, 0, 1], 0).into(),
            data: folder.path().into(),
            behind_proxy: false,
            limits: Limits { open_games: 2, ..Limits::default() },
        };
        let catalogue = Catalogue::new(Vec::new()).unwrap();
        let application = Application::start(&settings, catalogue).unwrap();
        let table = || {
            let seats = [(); 2].map(|()| Seat::Person { token: secret() });
            Table::new(Game::new(Rules::parse("go", 5).unwrap()), seats)
        };
        let id = application.create(table()).await.unwrap().id;
        let is_open = || application.rooms.lock().unwrap().contains_key(&id);
        let opening = Opening::begin(&application.opening, id);
        for _ in 0..4 {
            application.create(table()).await.unwrap();
        }
        assert!(is_open());
        drop(opening);
        application.create(table()).await.unwrap();
        assert!(!is_open());
        assert_eq!(application.stop(), 0);
    }
}

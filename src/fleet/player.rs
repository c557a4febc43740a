//! Self-play with the weights of a run in an object store, on behalf of a worker.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fleet::blocking::Outbox;
use fleet::{Model, Orders, Parked, Player, ReadParkedError, Slot};
use models::{Server, ServerSettings, StoredModel};
use selfplay::format::{self, LIMITS};
use selfplay::{Mixture, ParkedGame, Phase, SelfPlay};
use train::{Repertoire, StartingModel};

use crate::fleet::matches::{ANSWER, Matches};

/// What a worker plays, and with which weights. Clones are the same player.
#[derive(Clone)]
pub struct FleetPlayer(Arc<Shared>);

struct Shared {
    repertoire: Repertoire,
    settings: ServerSettings,
    now: Mutex<Option<Playing>>,
}

/// What is being played.
#[derive(Clone)]
struct Playing {
    server: Arc<Server>,
    mixture: Mixture,
    phase: Phase,
    /// Number of times that weights have arrived.
    number: u64,
}

/// When games in progress are parked.
struct Parking {
    interval: Duration,
    /// When they were last parked, or playing began.
    last: Instant,
}

impl Parking {
    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }
}

impl FleetPlayer {
    /// A player that waits until there are weights.
    pub fn new(repertoire: Repertoire, settings: ServerSettings) -> FleetPlayer {
        FleetPlayer(Arc::new(Shared { repertoire, settings, now: Mutex::new(None) }))
    }

    /// Plays until told to stop, with `matches` taking precedence while there are any. `seed`
    /// determines all games of the run except those that were `found`, which are continued. Games
    /// in progress are parked whenever `park` has passed, and before a match, a wait or the end.
    ///
    /// # Errors
    /// The network fails.
    pub fn play(
        &self,
        outbox: &Outbox,
        seed: u64,
        mut found: Vec<ParkedGame>,
        park: Duration,
        matches: &mut Option<Matches>,
    ) -> Result<()> {
        let mut self_play = None;
        let mut parking = Parking { interval: park, last: Instant::now() };
        loop {
            match orders_after_matches(outbox, matches) {
                Orders::Stop => return Ok(()),
                Orders::Wait => continue,
                Orders::Play => {}
            }
            let Some(playing) = self.now().clone() else {
                // Orders to play come only after the first weights.
                continue;
            };
            let begin = || {
                let Playing { server, phase, .. } = &playing;
                let mut games = self.0.repertoire.self_play(server, phase.model, seed);
                continue_games(&mut games, std::mem::take(&mut found), *phase);
                games
            };
            let games = self_play.get_or_insert_with(begin);
            let has_match = self.play_phase(games, &playing, outbox, matches, &parking)?;
            // Between two phases, every game is either in progress or handed over.
            if parking.is_due() || outbox.orders() != Orders::Play || has_match {
                outbox.park(encode_parked(&games.parked()));
                parking.last = Instant::now();
            }
        }
    }

    /// Plays until the orders or the weights change, a match is due, or the games are to be parked.
    /// Returns whether a match is due.
    fn play_phase(
        &self,
        games: &mut SelfPlay,
        playing: &Playing,
        outbox: &Outbox,
        matches: &mut Option<Matches>,
        parking: &Parking,
    ) -> Result<bool> {
        let Playing { server, mixture, phase, number } = playing;
        let (mut counted, mut paid) = (0, 0);
        let mut has_match = false;
        games
            .play(
                mixture,
                *phase,
                || server.client(),
                |game, report| {
                    outbox.count_evaluations(report.evaluations - counted);
                    let cost = report.game_evaluations - paid;
                    (counted, paid) = (report.evaluations, report.game_evaluations);
                    let goes_on = game.is_none_or(|game| outbox.add(game, cost));
                    has_match = matches.as_mut().is_some_and(Matches::is_due);
                    let is_same = outbox.orders() == Orders::Play && self.number() == *number;
                    goes_on && is_same && !has_match && !parking.is_due()
                },
            )
            .context("self-play")?;
        Ok(has_match)
    }

    fn number(&self) -> u64 {
        self.now().as_ref().map_or(0, |playing| playing.number)
    }

    fn now(&self) -> MutexGuard<'_, Option<Playing>> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&self, model: Model, simulations: u32) -> Result<()> {
        let Model { step, weights, card, kinds } = model;
        let place = PathBuf::from(format!("models/{step}"));
        let stored = StoredModel::built_in(place, card.as_bytes(), weights.to_vec())?;
        let network = stored.network(None)?;
        let known = StartingModel::built_in(stored, Some(&kinds))?;
        let mixture = self.0.repertoire.new_games(known.kinds());
        let phase = Phase { simulations, model: step };
        let before = self.now().as_ref().map(|playing| (playing.server.clone(), playing.number));
        let (server, number) = match before {
            Some((server, number)) => {
                server.replace(network)?;
                (server, number + 1)
            }
            None => (Arc::new(Server::start(network, self.0.settings)?), 1),
        };
        *self.now() = Some(Playing { server, mixture, phase, number });
        Ok(())
    }
}

impl Player for FleetPlayer {
    fn swap(&mut self, model: Model, simulations: u32) -> Result<(), String> {
        self.exchange(model, simulations).map_err(|error| format!("{error:#}"))
    }
}

/// Plays the matches that there are, and then waits for orders, but no longer than until it is time
/// to look for matches again. If the store refuses access to them, there are none from then on.
fn orders_after_matches(outbox: &Outbox, matches: &mut Option<Matches>) -> Orders {
    let Some(playing) = matches else { return outbox.wait_for_orders() };
    let poll = playing.poll();
    if let Err(error) = playing.play_all(ANSWER) {
        // The run is not affected.
        eprintln!("matches are left to others: {error:#}");
        *matches = None;
    }
    outbox.wait_for_orders_at_most(poll)
}

/// Games in progress in the form in which others find them.
fn encode_parked(games: &[ParkedGame]) -> Parked {
    let seeds = games.iter().map(ParkedGame::seed).collect();
    Parked { seeds, games: format::encode(games).into() }
}

/// The games in progress left by the previous process. What cannot be read is dropped and reported.
pub fn read_parked(left: Result<Option<Parked>, ReadParkedError>) -> Vec<ParkedGame> {
    let read = |parked: Parked| {
        format::decode(parked.games.as_ref(), LIMITS).map_err(|fault| fault.to_string())
    };
    let found = match left {
        Ok(None) => Ok(Vec::new()),
        Ok(Some(parked)) => read(parked),
        Err(why) => Err(why.to_string()),
    };
    found.unwrap_or_else(|why| {
        eprintln!("the parked games cannot be read and are left out: {why}");
        Vec::new()
    })
}

/// Continues the games that were found. Those that do not fit are dropped and reported.
fn continue_games(games: &mut SelfPlay, found: Vec<ParkedGame>, phase: Phase) {
    let unfit = games.unpark(found, phase);
    if let Some((_, first)) = unfit.first() {
        // Text from the store may be long and contain control characters.
        let why = first.to_string();
        let why: String = why.chars().filter(|it| !it.is_control()).take(200).collect();
        eprintln!("{} parked games are left out; the first: {why}", unfit.len());
    }
}

/// The seed for a process's games: no two processes of a run share one.
pub fn seed(run: &str, slot: &Slot, generation: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (run, slot.to_string(), generation).hash(&mut hasher);
    hasher.finish()
}

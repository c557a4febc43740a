//! Self-play with the weights of a run in an object store, on behalf of a worker.

use std::cmp::Reverse;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fleet::blocking::Outbox;
use fleet::{Model, Orders, Parked, Player, ReadParkedError, Slot};
use models::{Server, ServerSettings, StoredModel};
use selfplay::format::{self, LIMITS, Limits};
use selfplay::{Mixture, ParkedGame, Phase, PhaseReport, SelfPlay, TrainingRecord};
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
        let mut is_parked = true;
        loop {
            // Matches may take long, and an order to stop ends the work: the games in progress are
            // parked before. With new weights alone, they simply continue.
            if is_parked {
                match orders_after_matches(outbox, matches) {
                    Orders::Stop => return Ok(()),
                    Orders::Wait => continue,
                    Orders::Play => {}
                }
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
            is_parked = parking.is_due() || outbox.orders() != Orders::Play || has_match;
            if is_parked {
                outbox.park(encode_parked(games.parked(), LIMITS));
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
        let mut counted = PhaseReport::default();
        let mut has_match = false;
        games
            .play(
                mixture,
                *phase,
                || server.client(),
                |game, report| {
                    let time = report.time.saturating_sub(counted.time);
                    outbox.count_evaluations(report.evaluations - counted.evaluations, time);
                    let cost = report.game_evaluations - counted.game_evaluations;
                    counted = *report;
                    let goes_on = game.is_none_or(|game| hand_over(outbox, game, cost));
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

/// Hands over a finished game, and returns whether to go on. The first one that is left out is
/// reported, because nobody else learns of it.
fn hand_over(outbox: &Outbox, game: TrainingRecord, cost: u64) -> bool {
    let before = outbox.delivered().too_large;
    let goes_on = outbox.add(game, cost);
    if before == 0 && outbox.delivered().too_large > 0 {
        eprintln!(
            "a game is too long for a file of the run and is left out, as others like it will be: begin the run with a smaller max_moves"
        );
    }
    goes_on
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

/// Games in progress in the form in which others find them. Of more than one file can hold, those
/// with the most turns are kept: of a larger file nobody could read any.
fn encode_parked(mut games: Vec<ParkedGame>, most: Limits) -> Parked {
    games.sort_by_key(|game| Reverse(game.record().turns.len()));
    games.truncate(format::fitting(&games, most));
    let seeds = games.iter().map(ParkedGame::seed).collect();
    Parked { seeds, games: format::encode(&games).into() }
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

#[cfg(test)]
mod tests {
    use fleet::blocking::Worker;
    use fleet::{
        FORMAT, Learner, LearnerSettings, Process, Publication, Run, Store, WorkerSettings,
    };
    use models::{Device, Precision};
    use search::evaluators::Uniform;
    use selfplay::SelfPlaySettings;
    use train::RunConfig;

    use super::*;
    use crate::fleet::matches::StoreHandle;
    use crate::fleet::matches::testing::{claim, open_match};
    use crate::released::{BEGINNER, UNIVERSAL};

    const CONFIG: &str = "rules = 'go'\nsize = 3\n[budget]\npositions = 12000\n\
        [self_play]\ngames = 4\nworkers = 1\n[evaluation]\nevery = 0.0\n";

    /// Far longer than a test may take.
    const LONG: Duration = Duration::from_secs(3600);

    fn publish(handle: &StoreHandle, learner: &mut Learner, step: u64) {
        let stored = BEGINNER.stored().unwrap();
        let new = Publication {
            step,
            weights: stored.weights().to_vec().into(),
            card: stored.card().text().unwrap(),
            kinds: UNIVERSAL.kinds.unwrap().to_owned(),
            simulations: 2,
            phase: 0,
            samples: 0,
            samples_per_second: None,
        };
        handle.runtime.wait(learner.publish(new)).unwrap();
    }

    fn wait_until(what: &str, is_so: impl Fn() -> bool) {
        for _ in 0..6000 {
            if is_so() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("in vain: {what}");
    }

    #[test]
    fn of_many_games_as_many_are_parked_as_can_be_read() {
        let mixture = Mixture::of(engine::Rules::parse("go", 3).unwrap());
        let settings = SelfPlaySettings { games: 12, ..SelfPlaySettings::default() };
        let phase = Phase { simulations: 2, model: 0 };
        let mut games = SelfPlay::new(std::slice::from_ref(&mixture), &settings, phase, 1, 1);
        let take = |_, report: &PhaseReport| report.batches < 20;
        games.play(&mixture, phase, || Uniform, take).unwrap();
        let games = games.parked();
        let bytes: usize = games.iter().map(|game| format::framed(game).len()).sum();
        let most = Limits { bytes: bytes as u64 / 2, ..LIMITS };
        let parked = encode_parked(games.clone(), most);
        let found: Vec<ParkedGame> = format::decode(parked.games.as_ref(), most).unwrap();
        assert!((1..12).contains(&found.len()), "{} games", found.len());
        assert!(found.iter().map(ParkedGame::seed).eq(parked.seeds));
        let turns = |game: &ParkedGame| game.record().turns.len();
        assert_eq!(found.first().map(turns), games.iter().map(turns).max());
        assert_eq!(encode_parked(games, LIMITS).seeds.len(), 12);
    }

    #[test]
    fn no_match_begins_before_the_games_in_progress_are_parked() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&format!("file://{}", folder.path().display())).unwrap();
        let handle = StoreHandle::new(store).unwrap();
        let [id, rules] = ["r", "go on 3×3"].map(str::to_owned);
        let config = toml::Table::default();
        let run = Run { id, format: FORMAT, encoder: 0, rules, begins_from: None, config };
        let learner = Learner::open(handle.store.clone(), run, LearnerSettings::default());
        let mut learner = handle.runtime.wait(learner).unwrap();
        publish(&handle, &mut learner, 0);

        let compute = ServerSettings::new(Device::Cpu, Precision::F32);
        let config = RunConfig::parse(CONFIG, "small", &[]).unwrap();
        let player = FleetPlayer::new(Repertoire::new(config).unwrap(), compute);
        let slot: Slot = "a".parse().unwrap();
        let mut settings = WorkerSettings::new(slot.clone(), 0, claim());
        settings.timing.poll = Duration::from_millis(20);
        let worker =
            Worker::start(&handle.runtime, handle.store.clone(), settings, player.clone()).unwrap();
        let outbox = worker.outbox();
        let playing = std::thread::spawn({
            let (handle, player, outbox) = (handle.clone(), player.clone(), outbox.clone());
            move || {
                let process = Process { slot, generation: 0 };
                let matches = Matches::new(&handle, process, outbox.clone(), compute, LONG, LONG);
                let mut matches = Some(matches);
                player.play(&outbox, 1, Vec::new(), LONG, &mut matches).unwrap();
                matches.map(|matches| matches.delivered())
            }
        });

        let evaluations = || outbox.delivered().evaluations;
        wait_until("games", || evaluations() > 0);
        open_match(&handle);
        // The worker looks for matches again in an hour, but it gets other weights now.
        publish(&handle, &mut learner, 1);
        wait_until("other weights", || player.number() == 2);
        let before = evaluations();
        wait_until("more games", || evaluations() > before + 200);
        outbox.interrupt();
        assert_eq!(playing.join().unwrap(), Some(0), "it has played a match");
        outbox.finish();
        worker.wait();
        let parked = handle.runtime.wait(Parked::get(&handle.store, "r", &"a".parse().unwrap()));
        assert_eq!(parked.unwrap().unwrap().unwrap().seeds.len(), 4);
    }
}

//! Self-play with the weights of a run in an object store, as a worker does it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use fleet::blocking::Outbox;
use fleet::{Model, Orders, Player, Slot};
use models::{Server, ServerSettings, StoredModel};
use selfplay::{Mixture, Phase};
use train::{Beginning, Repertoire};

use crate::fleet_match::Matches;

/// What a worker plays, and with which weights. Clones are the same.
#[derive(Clone)]
pub struct Table(Arc<Shared>);

struct Shared {
    repertoire: Repertoire,
    settings: ServerSettings,
    now: Mutex<Option<Playing>>,
}

/// What is played now.
#[derive(Clone)]
struct Playing {
    server: Arc<Server>,
    mixture: Mixture,
    phase: Phase,
    /// How often weights have arrived.
    number: u64,
}

impl Table {
    /// A table at which nobody plays before there are weights.
    pub fn new(repertoire: Repertoire, settings: ServerSettings) -> Table {
        Table(Arc::new(Shared { repertoire, settings, now: Mutex::new(None) }))
    }

    /// Plays until told to stop, and `matches` first while there are any. `seed` determines the openings of all games.
    ///
    /// # Errors
    /// The network fails, or the store refuses what is asked of it.
    pub fn play(&self, outbox: &Outbox, seed: u64, matches: &mut Option<Matches>) -> Result<()> {
        let mut self_play = None;
        loop {
            let orders = match matches {
                Some(matches) => {
                    matches.play_all()?;
                    outbox.wait_for_orders_at_most(matches.poll())
                }
                None => outbox.wait_for_orders(),
            };
            match orders {
                Orders::Stop => return Ok(()),
                Orders::Wait => continue,
                Orders::Play => {}
            }
            let Some(Playing { server, mixture, phase, number }) = self.now().clone() else {
                // Orders to play come after the first weights.
                continue;
            };
            let begin = || self.0.repertoire.self_play(&server, phase.model, seed);
            let mut counted = 0;
            let mut looked = Ok(());
            self_play
                .get_or_insert_with(begin)
                .play(
                    &mixture,
                    phase,
                    || server.client(),
                    |game, report| {
                        outbox.count_evaluations(report.evaluations - counted);
                        counted = report.evaluations;
                        let goes_on = game.is_none_or(|game| outbox.add(game));
                        let mut has_match = false;
                        if let Some(matches) = matches {
                            match matches.is_due() {
                                Ok(is_due) => has_match = is_due,
                                Err(error) => looked = Err(error),
                            }
                        }
                        let is_same = outbox.orders() == Orders::Play && self.number() == number;
                        goes_on && is_same && !has_match && looked.is_ok()
                    },
                )
                .context("self-play")?;
            looked?;
        }
    }

    fn number(&self) -> u64 {
        self.now().as_ref().map_or(0, |playing| playing.number)
    }

    fn now(&self) -> MutexGuard<'_, Option<Playing>> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&self, model: Model) -> Result<()> {
        let Model { step, weights, card, kinds, simulations } = model;
        let place = PathBuf::from(format!("models/{step}"));
        let stored = StoredModel::built_in(place, card.as_bytes(), weights.to_vec())?;
        let network = stored.network(None)?;
        let known = Beginning::built_in(stored, Some(&kinds))?;
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

impl Player for Table {
    fn swap(&mut self, model: Model) -> Result<(), String> {
        self.exchange(model).map_err(|error| format!("{error:#}"))
    }
}

/// The seed of a process's games: no two processes of a run have the same.
pub fn seed(run: &str, slot: &Slot, generation: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (run, slot.to_string(), generation).hash(&mut hasher);
    hasher.finish()
}

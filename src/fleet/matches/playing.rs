//! Plays units of matches, as a worker does it.

use std::time::{Duration, Instant};

use anyhow::Result;
use arena::Match;
use fleet::blocking::{Claimant, Outbox};
use fleet::{Assignment, MatchId, Orders, Process, StoreError};
use models::{Client, ServerSettings};

use super::{Place, Plan};
use crate::model::OpenModel;

/// How long a request is repeated before it is seen whether the worker has been told to stop.
const AGAIN: Duration = Duration::from_secs(5);
/// How long a store is waited for that may have a unit: there are other games to play.
pub const ANSWER: Duration = Duration::from_secs(2);

/// The matches of a store, for one worker.
pub struct Matches {
    place: Place,
    claimant: Claimant,
    outbox: Outbox,
    compute: ServerSettings,
    /// From one look for matches to the next.
    poll: Duration,
    looked: Option<Instant>,
    next: Option<Assignment>,
    open: Option<OpenMatch>,
    delivered: u64,
}

/// The match whose units are played now.
struct OpenMatch {
    id: MatchId,
    game: Match,
    networks: Vec<OpenModel>,
}

impl Matches {
    /// Those of a store, for a worker that tells of itself every `beat` and looks for matches every `poll`.
    pub fn new(
        place: &Place,
        process: Process,
        outbox: Outbox,
        compute: ServerSettings,
        beat: Duration,
        poll: Duration,
    ) -> Matches {
        let claimant = Claimant::new(&place.carrier, place.store.clone(), process, beat);
        let (looked, next, open) = (None, None, None);
        let place = Place { store: place.store.clone().with_patience(AGAIN), ..place.clone() };
        Matches { place, claimant, outbox, compute, poll, looked, next, open, delivered: 0 }
    }

    /// From one look for matches to the next.
    pub fn poll(&self) -> Duration {
        self.poll
    }

    /// Units that have been delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether [`Matches::play_all`] has something to do, or to say: that the store refuses to be looked at. Looks only
    /// now and then, and does not wait for the store, so it may be asked often.
    pub fn is_due(&mut self) -> bool {
        let is_fresh = self.looked.is_some_and(|looked| looked.elapsed() < self.poll);
        if self.next.is_none() && (!is_fresh || self.claimant.has_taken()) {
            return self.look(Duration::ZERO).is_err() || self.next.is_some();
        }
        self.next.is_some()
    }

    /// Plays units until there is none, or none that the store tells of within `answer`.
    ///
    /// # Errors
    /// The store refuses what is asked of it. What keeps a match from being played is said, and it is left to others.
    pub fn play_all(&mut self, answer: Duration) -> Result<()> {
        while self.outbox.orders() != Orders::Stop {
            if self.next.is_none() {
                self.look(answer)?;
            }
            let Some(unit) = self.next.take() else { break };
            self.play(&unit)?;
        }
        // Its networks take memory.
        self.open = None;
        if self.outbox.orders() == Orders::Stop {
            self.leave();
        }
        Ok(())
    }

    /// What a worker that stops has claimed, or is about to, is left to others.
    fn leave(&mut self) {
        let next = self.next.take();
        let next = next.or_else(|| self.claimant.taken_within(ANSWER).ok().flatten());
        if let Some(unit) = next {
            self.give_back(&unit, "it was told to stop");
        }
    }

    fn look(&mut self, wait: Duration) -> Result<()> {
        self.looked = Some(Instant::now());
        match self.claimant.take_within(wait) {
            Ok(next) => self.next = next,
            // Whoever carries the worker's health notices if it stays so.
            Err(error) if error.may_pass() => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn play(&mut self, unit: &Assignment) -> Result<()> {
        self.outbox.note_busy();
        match self.find(unit) {
            Ok(Some(found)) => self.deliver(unit, found)?,
            Ok(None) => self.give_back(unit, "it was told to stop"),
            Err(error) => {
                let reason = format!("{error:#}");
                eprintln!("match {}: {reason}", unit.id);
                // What the store may say the next time is no reason to leave the match alone.
                let store = error.downcast_ref::<StoreError>();
                if !store.is_some_and(StoreError::may_pass) {
                    self.claimant.avoid(&unit.id, reason.clone());
                }
                self.give_back(unit, &reason);
            }
        }
        Ok(())
    }

    /// The games of a unit; `None` if the worker is told to stop.
    fn find(&mut self, unit: &Assignment) -> Result<Option<String>> {
        if self.open.as_ref().is_none_or(|open| open.id != unit.id) {
            let plan = Plan::read(&unit.plan)?;
            self.open = None;
            let networks = plan.open_networks(&self.place, self.compute)?;
            self.open = Some(OpenMatch { id: unit.id.clone(), game: plan.contest()?, networks });
        }
        let Some(OpenMatch { game, networks, .. }) = &self.open else { return Ok(None) };
        let mut clients: Vec<Client> = networks.iter().map(OpenModel::client).collect();
        let outbox = &self.outbox;
        let found = game.play_unit(unit.unit as usize, &mut clients, &mut || {
            outbox.note_busy();
            outbox.orders() != Orders::Stop
        })?;
        Ok(found)
    }

    fn deliver(&mut self, unit: &Assignment, found: String) -> Result<()> {
        loop {
            match self.claimant.deliver(unit, found.clone().into()) {
                Ok(()) => {
                    self.delivered += 1;
                    return Ok(());
                }
                Err(error) if !error.may_pass() => {
                    // This worker plays on for the run, so nobody would see that it has given up.
                    self.give_back(unit, &format!("it cannot deliver: {error}"));
                    return Err(error.into());
                }
                // Others will see that this worker has gone.
                Err(_) if self.outbox.orders() == Orders::Stop => return Ok(()),
                Err(_) => self.outbox.note_busy(),
            }
        }
    }

    /// Leaves a unit to others now; if that fails, they get it when they see that this worker has gone.
    fn give_back(&mut self, unit: &Assignment, reason: &str) {
        let _ = self.claimant.give_back(unit, reason);
    }
}

//! Plays units of matches on behalf of a worker.

use std::time::{Duration, Instant};

use anyhow::Result;
use arena::Match;
use fleet::blocking::{Claimant, Outbox};
use fleet::{Assignment, MatchId, Orders, Process, StoreError};
use models::{Client, ServerSettings};

use super::{Plan, StoreHandle};
use crate::model::OpenModel;

/// How long a request is repeated before checking whether the worker has been told to stop.
const AGAIN: Duration = Duration::from_secs(5);
/// How long to wait for a store that may have a unit: there are other games to play.
pub const ANSWER: Duration = Duration::from_secs(2);

/// The matches of a store, for one worker.
pub struct Matches {
    handle: StoreHandle,
    claimant: Claimant,
    outbox: Outbox,
    compute: ServerSettings,
    /// Interval between checks for matches.
    poll: Duration,
    looked: Option<Instant>,
    next: Option<Assignment>,
    open: Option<OpenMatch>,
    delivered: u64,
}

/// The match whose units are being played.
struct OpenMatch {
    id: MatchId,
    game: Match,
    networks: Vec<OpenModel>,
}

impl Matches {
    /// The matches of a store, for a worker that reports every `beat` and checks for matches every
    /// `poll`.
    pub fn new(
        handle: &StoreHandle,
        process: Process,
        outbox: Outbox,
        compute: ServerSettings,
        beat: Duration,
        poll: Duration,
    ) -> Matches {
        let handle =
            StoreHandle { store: handle.store.clone().with_patience(AGAIN), ..handle.clone() };
        let claimant = Claimant::new(&handle.runtime, handle.store.clone(), process, beat);
        let (looked, next, open) = (None, None, None);
        Matches { handle, claimant, outbox, compute, poll, looked, next, open, delivered: 0 }
    }

    /// Interval between checks for matches.
    pub fn poll(&self) -> Duration {
        self.poll
    }

    /// Number of units delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether [`Matches::play_all`] has something to do, or to report: that the store refuses
    /// access. It checks only now and then, and does not wait for the store, so it may be called
    /// often.
    pub fn is_due(&mut self) -> bool {
        let is_fresh = self.looked.is_some_and(|looked| looked.elapsed() < self.poll);
        if self.next.is_none() && (!is_fresh || self.claimant.has_taken()) {
            return self.look(Duration::ZERO).is_err() || self.next.is_some();
        }
        self.next.is_some()
    }

    /// Plays units until there are none, or none that the store reports within `answer`. Returns
    /// whether the store has said that there are none.
    ///
    /// # Errors
    /// The store refuses a request. Whatever prevents a match from being played is reported, and
    /// the match is left to others.
    pub fn play_all(&mut self, answer: Duration) -> Result<bool> {
        let mut is_sure = false;
        while self.outbox.orders() != Orders::Stop {
            let has_answered = self.next.is_some() || self.look_for(answer)?;
            let Some(unit) = self.next.take() else {
                is_sure = has_answered;
                break;
            };
            self.play(&unit)?;
        }
        // Its networks take up memory.
        self.open = None;
        if self.outbox.orders() == Orders::Stop {
            self.leave();
        }
        Ok(is_sure)
    }

    /// Leaves to others whatever a stopping worker has claimed or is about to claim.
    fn leave(&mut self) {
        let next = self.next.take();
        let next = next.or_else(|| self.claimant.taken_within(ANSWER).ok().flatten());
        if let Some(unit) = next {
            self.give_back(&unit, "it was told to stop");
        }
    }

    /// Looks for a unit until the store answers, but no longer than `time`, and not once the worker
    /// is told to stop. Returns whether the store has answered.
    fn look_for(&mut self, time: Duration) -> Result<bool> {
        let begun = Instant::now();
        loop {
            let left = time.saturating_sub(begun.elapsed());
            if self.look(left.min(AGAIN))? {
                return Ok(true);
            }
            if begun.elapsed() >= time || self.outbox.orders() == Orders::Stop {
                return Ok(false);
            }
        }
    }

    /// Looks for a unit. Returns whether the store has answered within `wait`.
    fn look(&mut self, wait: Duration) -> Result<bool> {
        self.looked = Some(Instant::now());
        match self.claimant.take_within(wait) {
            Ok(next) => {
                self.next = next;
                Ok(!self.claimant.is_taking())
            }
            // Whoever carries the worker's health reports will notice if the error persists.
            Err(error) if error.is_transient() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn play(&mut self, unit: &Assignment) -> Result<()> {
        self.outbox.note_busy();
        match self.find(unit) {
            Ok(Some(found)) => self.deliver(unit, found)?,
            Ok(None) => self.give_back(unit, "it was told to stop"),
            Err(error) => {
                let reason = format!("{error:#}");
                eprintln!("match {}: {reason}", unit.id);
                // An error of the store that may pass is no reason to avoid the match.
                let store = error.downcast_ref::<StoreError>();
                if !store.is_some_and(StoreError::is_transient) {
                    self.claimant.avoid(&unit.id, reason.clone());
                }
                self.give_back(unit, &reason);
            }
        }
        Ok(())
    }

    /// Plays the games of a unit; `None` if the worker is told to stop.
    fn find(&mut self, unit: &Assignment) -> Result<Option<String>> {
        if self.open.as_ref().is_none_or(|open| open.id != unit.id) {
            let plan = Plan::read(&unit.plan)?;
            self.open = None;
            let networks = plan.open_networks(&self.handle, self.compute)?;
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
                Err(error) if !error.is_transient() => {
                    // This worker continues playing for the run, so nobody would notice that it has
                    // given up.
                    self.give_back(unit, &format!("it cannot deliver: {error}"));
                    return Err(error.into());
                }
                // Others will notice that this worker is gone.
                Err(_) if self.outbox.orders() == Orders::Stop => return Ok(()),
                Err(_) => self.outbox.note_busy(),
            }
        }
    }

    /// Leaves a unit to others now; if that fails, they get it when they notice that this worker is
    /// gone.
    fn give_back(&mut self, unit: &Assignment, reason: &str) {
        let _ = self.claimant.give_back(unit, reason);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::mpsc;

    use fleet::blocking::Worker;
    use fleet::{Slot, Store, WorkerSettings};
    use models::{Device, Precision};
    use tempfile::TempDir;

    use super::*;
    use crate::fleet::matches::testing::{claim, open_match};

    /// Far longer than a test may take.
    const PATIENCE: Duration = Duration::from_secs(3600);

    /// A folder as a store, and a patient handle to it.
    fn store() -> (TempDir, StoreHandle) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&format!("file://{}", folder.path().display())).unwrap();
        (folder, StoreHandle::new(store.with_patience(PATIENCE)).unwrap())
    }

    fn worker(handle: &StoreHandle) -> Worker {
        let settings = WorkerSettings::new("a".parse().unwrap(), 0, claim());
        Worker::join_without_run(&handle.runtime, handle.store.clone(), settings).unwrap()
    }

    fn matches(handle: &StoreHandle, outbox: Outbox) -> Matches {
        let slot: Slot = "a".parse().unwrap();
        let compute = ServerSettings::new(Device::Cpu, Precision::F32);
        Matches::new(handle, Process { slot, generation: 0 }, outbox, compute, PATIENCE, AGAIN)
    }

    /// Opens a match of one unit between players without a network; its folder.
    fn match_in(folder: &TempDir, handle: &StoreHandle) -> PathBuf {
        open_match(handle);
        let mut all = fs::read_dir(folder.path().join("matches")).unwrap();
        all.next().unwrap().unwrap().path()
    }

    #[test]
    fn a_worker_that_cannot_deliver_stops_when_it_is_told_to() {
        let (folder, handle) = store();
        let place = match_in(&folder, &handle);
        // Where the folder of the results would be, there is a file.
        fs::write(place.join("units"), "").unwrap();
        let worker = worker(&handle);
        let (outbox, playing) = (worker.outbox(), worker.outbox());
        let (begin, begun) = mpsc::channel();
        let (done, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let mut matches = matches(&handle, playing);
            assert!(matches.look_for(PATIENCE).unwrap());
            let unit = matches.next.take().unwrap();
            let found = matches.find(&unit).unwrap().unwrap();
            begin.send(()).unwrap();
            let delivered = matches.deliver(&unit, found);
            let played = delivered.and_then(|()| matches.play_all(PATIENCE));
            done.send((played.is_ok(), matches.delivered()))
        });
        let long = Duration::from_secs(45);
        begun.recv_timeout(long).expect("it has something to deliver");
        outbox.interrupt();
        assert_eq!(ended.recv_timeout(long), Ok((true, 0)), "nothing has arrived");
        outbox.finish();
        worker.wait();
    }

    #[cfg(unix)]
    #[test]
    fn a_store_that_is_silent_has_not_said_that_there_are_no_matches() {
        let (folder, handle) = store();
        let worker = worker(&handle);
        let mut matches = matches(&handle, worker.outbox());
        // A link to itself cannot be listed.
        let list = folder.path().join("open");
        std::os::unix::fs::symlink(&list, &list).unwrap();
        assert!(!matches.play_all(Duration::from_secs(1)).unwrap());
        fs::remove_file(&list).unwrap();
        assert!(matches.play_all(PATIENCE).unwrap());
        worker.outbox().finish();
        worker.wait();
    }
}

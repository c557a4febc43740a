//! How a run is doing, as seen from the store.
//!
//! Rates and silence are measured by the observer's own clock between two looks: machines' clocks differ.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use crate::books::Books;
use crate::commit::{Commit, Refused};
use crate::health::Health;
use crate::names::{self, Slot};
use crate::silence::Silence;
use crate::store::{Store, StoreError};

/// Looks at a run again and again.
#[derive(Debug)]
pub struct Observer {
    store: Store,
    beat: Duration,
    reuse: f64,
    first: Option<Look>,
    silence: Silence,
    /// When each file was first seen to wait.
    waiting: HashMap<object_store::path::Path, Instant>,
}

/// What rates are measured from.
#[derive(Debug)]
struct Look {
    at: Instant,
    positions: u64,
    samples: u64,
    evaluations: HashMap<(Slot, u64), u64>,
}

/// Whether a worker works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It plays.
    Plays,
    /// It waits, as it was told to.
    Holds,
    /// It has said nothing new for three beats.
    Silent,
}

/// How a worker is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotStatus {
    /// What it said last.
    pub health: Health,
    /// Whether it works.
    pub liveness: Liveness,
    /// Evaluations a second since the first look.
    pub evaluations_per_second: Option<f64>,
    /// Training steps by which its weights are older than the newest.
    pub behind: u64,
}

/// How a run is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The newest commit's number.
    pub commit: u64,
    /// Training step of the newest weights.
    pub step: u64,
    /// Phases of learning that are done.
    pub phase: u64,
    /// Games that have counted.
    pub games: u64,
    /// Their positions to learn from.
    pub positions: u64,
    /// Positions a second since the first look.
    pub positions_per_second: Option<f64>,
    /// Samples that have been learnt from.
    pub samples: u64,
    /// Samples a second since the first look.
    pub samples_per_second: Option<f64>,
    /// How often each position has been learnt from so far; `None` before the first.
    pub effective_reuse: Option<f64>,
    /// How many workers like these the learner can use, at its speed since the first look.
    pub useful_workers: Option<f64>,
    /// Whether workers are told to wait.
    pub hold: bool,
    /// Whether the run is over.
    pub ended: bool,
    /// The workers, by slot.
    pub slots: Vec<SlotStatus>,
    /// Files that wait for the learner.
    pub inbox_files: usize,
    /// Their bytes.
    pub inbox_bytes: u64,
    /// For how long at least the oldest of them has waited.
    pub inbox_age: Duration,
    /// What has not counted.
    pub refused: Refused,
    /// Requests that have failed for the workers.
    pub store_errors: u64,
}

impl Observer {
    /// An observer of workers that tell of themselves every `beat`, in a run that is to learn `reuse` times from each
    /// position.
    pub fn new(store: Store, beat: Duration, reuse: f64) -> Observer {
        let (first, silence, waiting) = (None, Silence::default(), HashMap::new());
        Observer { store, beat, reuse, first, silence, waiting }
    }

    /// Looks; `None` if no learner has begun the run. Rates are known from the second look on.
    ///
    /// # Errors
    /// The store fails, or its books are damaged.
    pub async fn look(&mut self) -> Result<Option<Status>, StoreError> {
        let Some(commit) = Books::new(self.store.clone()).newest().await? else { return Ok(None) };
        let health = Health::get_all(&self.store).await?;
        let inbox = self.store.list(&names::inbox()).await?;
        let now = Instant::now();
        let before = std::mem::take(&mut self.waiting);
        for listed in &inbox {
            let since = before.get(&listed.name).copied().unwrap_or(now);
            self.waiting.insert(listed.name.clone(), since);
        }
        let oldest = self.waiting.values().min().copied().unwrap_or(now);
        let first = self.first.get_or_insert_with(|| Look::at(now, &commit, &health));
        let elapsed = now.duration_since(first.at).as_secs_f64();
        let rate = |before: u64, after: u64| {
            (elapsed > 0.0).then(|| after.saturating_sub(before) as f64 / elapsed)
        };
        let positions_per_second = rate(first.positions, commit.positions);
        let samples_per_second = rate(first.samples, commit.samples);
        let evaluations = first.evaluations.clone();
        let slots: Vec<SlotStatus> = health
            .into_iter()
            .map(|health| {
                let key = (health.slot.clone(), health.generation);
                let before = evaluations.get(&key);
                SlotStatus {
                    liveness: self.liveness(&health, now),
                    evaluations_per_second: before.and_then(|&it| rate(it, health.evaluations)),
                    behind: commit.step().saturating_sub(health.model),
                    health,
                }
            })
            .collect();
        let useful_workers = useful_workers(&commit, samples_per_second, &slots, self.reuse);
        Ok(Some(Status {
            commit: commit.number,
            step: commit.step(),
            phase: commit.phase,
            games: commit.games,
            positions: commit.positions,
            positions_per_second,
            samples: commit.samples,
            samples_per_second,
            effective_reuse: (commit.positions > 0)
                .then(|| commit.samples as f64 / commit.positions as f64),
            useful_workers,
            hold: commit.hold,
            ended: commit.ended,
            inbox_files: inbox.len(),
            inbox_bytes: inbox.iter().map(|listed| listed.size).sum(),
            inbox_age: now.duration_since(oldest),
            refused: commit.refused,
            store_errors: slots.iter().map(|slot| slot.health.store_errors).sum(),
            slots,
        }))
    }

    fn liveness(&mut self, health: &Health, now: Instant) -> Liveness {
        if self.silence.is_silent(&health.slot, Some(health), self.beat, now) {
            Liveness::Silent
        } else if health.holds {
            Liveness::Holds
        } else {
            Liveness::Plays
        }
    }
}

impl Look {
    fn at(at: Instant, commit: &Commit, health: &[Health]) -> Look {
        let evaluations =
            health.iter().map(|it| ((it.slot.clone(), it.generation), it.evaluations));
        let evaluations = evaluations.collect();
        Look { at, positions: commit.positions, samples: commit.samples, evaluations }
    }
}

/// The positions that the learner can use in a second, in workers.
fn useful_workers(
    commit: &Commit,
    samples_per_second: Option<f64>,
    slots: &[SlotStatus],
    reuse: f64,
) -> Option<f64> {
    let plays = slots.iter().filter(|slot| slot.liveness == Liveness::Plays);
    let rates: Vec<f64> = plays.filter_map(|slot| slot.evaluations_per_second).collect();
    let evaluations = rates.iter().sum::<f64>() / rates.len() as f64;
    let positions = evaluations / f64::from(commit.simulations);
    let useful = samples_per_second? / reuse / positions;
    (useful.is_finite() && useful > 0.0).then_some(useful)
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rate = |rate: Option<f64>| rate.map_or(String::new(), |it| format!(" ({it:.1}/s)"));
        let state = match (self.ended, self.hold) {
            (true, _) => ", ended",
            (false, true) => ", workers wait",
            (false, false) => "",
        };
        writeln!(f, "commit {}, phase {}, step {}{state}", self.commit, self.phase, self.step)?;
        writeln!(
            f,
            "positions {}{} of {} games",
            self.positions,
            rate(self.positions_per_second),
            self.games
        )?;
        write!(f, "samples {}{}", self.samples, rate(self.samples_per_second))?;
        if let Some(reuse) = self.effective_reuse {
            write!(f, ", each position {reuse:.2} times")?;
        }
        writeln!(f)?;
        let count = |kind| self.slots.iter().filter(|slot| slot.liveness == kind).count();
        write!(
            f,
            "workers: {} play, {} wait, {} silent",
            count(Liveness::Plays),
            count(Liveness::Holds),
            count(Liveness::Silent)
        )?;
        match self.useful_workers {
            Some(useful) => writeln!(f, "; the learner can use {useful:.1} like them")?,
            None => writeln!(f)?,
        }
        let age = self.inbox_age.as_secs();
        writeln!(f, "inbox: {} files, {} bytes, for {age} s", self.inbox_files, self.inbox_bytes)?;
        let Refused { stale, invalid, invalid_files, late, strange_files } = self.refused;
        writeln!(
            f,
            "did not count: {stale} games too old, {invalid} invalid in {invalid_files} files, {late} late, {strange_files} strange objects"
        )?;
        writeln!(f, "failed requests of workers: {}", self.store_errors)?;
        for SlotStatus { health, liveness, evaluations_per_second, behind } in &self.slots {
            let word = match liveness {
                Liveness::Plays => "plays",
                Liveness::Holds => "waits",
                Liveness::Silent => "silent",
            };
            writeln!(
                f,
                "  {}/{} {word}: {} games{}, {} files wait, weights {behind} steps old",
                health.slot,
                health.generation,
                health.games,
                evaluations_per_second
                    .map_or(String::new(), |it| format!(", {it:.0} evaluations/s")),
                health.waiting
            )?;
        }
        Ok(())
    }
}

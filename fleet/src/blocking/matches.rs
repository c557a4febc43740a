//! Matches for threads.

use std::time::Duration;

use bytes::Bytes;

use super::Carrier;
use crate::matches::{self, Assignment, Check, MatchPlan, Standing};
use crate::names::Process;
use crate::names::matches::MatchId;
use crate::store::{Store, StoreError};

/// [`matches::Claimant`] for threads.
#[derive(Debug)]
pub struct Claimant {
    carrier: Carrier,
    inner: matches::Claimant,
}

impl Claimant {
    /// A process that tells of itself every `beat`.
    pub fn new(carrier: &Carrier, store: Store, process: Process, beat: Duration) -> Claimant {
        let inner = matches::Claimant::new(store, process, beat, rand::random());
        Claimant { carrier: carrier.clone(), inner }
    }

    /// Claims a unit that nobody plays.
    ///
    /// # Errors
    /// As [`matches::Claimant::take`].
    pub fn take(&mut self) -> Result<Option<Assignment>, StoreError> {
        self.carrier.wait(self.inner.take())
    }

    /// Delivers what has been found for a unit.
    ///
    /// # Errors
    /// As [`matches::Claimant::deliver`].
    pub fn deliver(&self, unit: &Assignment, result: Bytes) -> Result<(), StoreError> {
        self.carrier.wait(self.inner.deliver(unit, result))
    }

    /// Leaves a unit to others.
    ///
    /// # Errors
    /// As [`matches::Claimant::give_back`].
    pub fn give_back(&mut self, unit: &Assignment, reason: &str) -> Result<(), StoreError> {
        self.carrier.wait(self.inner.give_back(unit, reason))
    }

    /// Takes no more units of a match.
    pub fn avoid(&mut self, id: &MatchId, reason: String) {
        self.inner.avoid(id, reason);
    }
}

/// [`matches::Judge`] for threads.
#[derive(Debug)]
pub struct Judge {
    carrier: Carrier,
    inner: matches::Judge,
}

impl Judge {
    /// Opens a match to workers, or goes on with it.
    ///
    /// # Errors
    /// As [`matches::Judge::open`].
    pub fn open(carrier: &Carrier, store: Store, plan: &MatchPlan) -> Result<Judge, StoreError> {
        let inner = carrier.wait(matches::Judge::open(store, plan))?;
        Ok(Judge { carrier: carrier.clone(), inner })
    }

    /// The match.
    pub fn id(&self) -> &MatchId {
        self.inner.id()
    }

    /// The SHA-256 of the results that have been taken, unit by unit.
    pub fn taken(&self) -> &[String] {
        self.inner.taken()
    }

    /// Whether all units have a result.
    pub fn has_all(&self) -> bool {
        self.inner.has_all()
    }

    /// Takes the results that are there for the next units.
    ///
    /// # Errors
    /// As [`matches::Judge::take`].
    pub fn take<R>(&mut self, check: &Check<'_, R>) -> Result<Vec<(u64, R)>, StoreError> {
        self.carrier.wait(self.inner.take(check))
    }

    /// How the match stands.
    ///
    /// # Errors
    /// As [`matches::Judge::standing`].
    pub fn standing(&mut self) -> Result<Standing, StoreError> {
        self.carrier.wait(self.inner.standing())
    }

    /// Ends the match.
    ///
    /// # Errors
    /// As [`matches::Judge::end`].
    pub fn end(&self, verdict: Bytes) -> Result<(), StoreError> {
        self.carrier.wait(self.inner.end(verdict))
    }
}

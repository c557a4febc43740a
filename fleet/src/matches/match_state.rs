//! The state of a match, as shown by a listing of its objects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio::time::Instant;

use super::plan::UnitClaim;
use crate::health::Health;
use crate::names::Process;
use crate::names::matches::{self as names, MatchId, Object};
use crate::silence::SilenceDetector;
use crate::store::{Store, StoreError, read_json};

/// Upper limit on the size of a claim, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The state of a match.
#[derive(Debug, Default)]
pub(super) struct MatchState {
    /// The latest attempt at each claimed unit.
    pub attempts: BTreeMap<u64, u64>,
    /// The processes that have delivered results for each unit.
    pub results: BTreeMap<u64, Vec<Process>>,
    /// The units for which a result has been accepted.
    pub taken: BTreeSet<u64>,
    /// Processes whose results were refused.
    pub refused: BTreeSet<Process>,
    pub has_verdict: bool,
}

impl MatchState {
    pub async fn read(store: &Store, id: &MatchId) -> Result<MatchState, StoreError> {
        let mut state = MatchState::default();
        for listed in store.list(&names::folder(id)).await? {
            match Object::of(id, &listed.name) {
                Some(Object::Claim(unit, attempt)) => {
                    let newest = state.attempts.entry(unit).or_default();
                    *newest = attempt.max(*newest);
                }
                Some(Object::Result(unit, by)) => state.results.entry(unit).or_default().push(by),
                Some(Object::Taken(unit)) => drop(state.taken.insert(unit)),
                Some(Object::Refused(_, by)) => drop(state.refused.insert(by)),
                Some(Object::Verdict) => state.has_verdict = true,
                Some(Object::Plan) | None => {}
            }
        }
        Ok(state)
    }

    /// The units without a result.
    pub fn missing(&self, units: u64) -> impl Iterator<Item = u64> {
        (0..units).filter(|unit| !self.taken.contains(unit) && !self.results.contains_key(unit))
    }
}

/// Reads claims, which never change, once each, and tracks which of their holders are silent.
#[derive(Debug)]
pub(super) struct Claims {
    store: Store,
    known: HashMap<(MatchId, u64, u64), Arc<UnitClaim>>,
    silence: SilenceDetector,
}

impl Claims {
    pub fn new(store: Store) -> Claims {
        Claims { store, known: HashMap::new(), silence: SilenceDetector::default() }
    }

    pub async fn read(
        &mut self,
        id: &MatchId,
        unit: u64,
        attempt: u64,
    ) -> Result<Arc<UnitClaim>, StoreError> {
        let key = (id.clone(), unit, attempt);
        if let Some(claim) = self.known.get(&key) {
            return Ok(claim.clone());
        }
        let name = names::claim(id, unit, attempt);
        let claim = read_json(&self.store, &name, MAX_BYTES).await?;
        let missing = || StoreError::damaged(&name, "it is missing");
        let claim = Arc::new(claim.ok_or_else(missing)?);
        self.known.insert(key, Arc::clone(&claim));
        Ok(claim)
    }

    /// Whether the process that holds a claim is gone: a newer one has its slot, or it is silent.
    pub async fn is_gone(&mut self, claim: &UnitClaim) -> Result<bool, StoreError> {
        let Process { slot, generation } = &claim.by;
        let health = Health::get(&self.store, slot).await?;
        let is_replaced = health.as_ref().is_some_and(|health| health.generation > *generation);
        let silent = self.silence.is_silent(slot, health.as_ref(), claim.beat(), Instant::now());
        Ok(is_replaced || silent)
    }
}

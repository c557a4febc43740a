//! The worker's side of matches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::match_state::{Claims, MatchState};
use super::plan::{MatchPlan, UnitClaim};
use crate::names::Process;
use crate::names::matches::{self as names, MatchId};
use crate::store::{Created, Store, StoreError, json, read_json};

/// Upper limit on the size of a plan, in bytes.
const MAX_PLAN_BYTES: u64 = 64 << 20;
/// Number of claims without a result whose holders are watched, lowest units first.
const WATCHED: usize = 16;

/// How far ahead of the judge units are played. If nobody judges a match any more, playing ends
/// here; it also limits how many workers can play at once.
const AHEAD: u64 = 100;

/// A process that plays units of matches, one at a time.
#[derive(Debug)]
pub struct Claimant {
    store: Store,
    process: Process,
    beat: Duration,
    claims: Claims,
    plans: HashMap<MatchId, Arc<MatchPlan>>,
    /// Matches that it does not play, and why.
    avoided: HashMap<MatchId, String>,
    random: StdRng,
}

/// A unit that this process has to play.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The match.
    pub id: MatchId,
    /// What is played.
    pub plan: Arc<MatchPlan>,
    /// The index of the unit.
    pub unit: u64,
    attempt: u64,
}

/// What there is to do in a match.
enum ClaimableUnits {
    /// A unit that already belongs to this process: the answer to its claim was lost.
    Own(u64, u64),
    /// Units that nobody is playing, each with the number of the next attempt.
    Free(Vec<(u64, u64)>),
}

impl Claimant {
    /// A process that reports its health every `beat`; after three silent beats, others take over
    /// its unit. `seed` decides which of the next units it tries to claim when others compete.
    pub fn new(store: Store, process: Process, beat: Duration, seed: u64) -> Claimant {
        let claims = Claims::new(store.clone());
        let (plans, avoided) = (HashMap::new(), HashMap::new());
        let random = StdRng::seed_from_u64(seed);
        Claimant { store, process, beat, claims, plans, avoided, random }
    }

    /// Claims a unit that nobody is playing; `None` if there is none. The previous unit must have
    /// been delivered or given back.
    ///
    /// # Errors
    /// The store fails.
    pub async fn take(&mut self) -> Result<Option<Assignment>, StoreError> {
        for listed in self.store.list(&names::all_open()).await? {
            let Some(id) = names::open_id(&listed.name) else { continue };
            match self.take_of(id).await {
                Ok(None) => {}
                // The match's own judge will report it; other matches may be fine.
                Err(StoreError::Damaged { .. } | StoreError::TooLarge { .. }) => {}
                assignment => return assignment,
            }
        }
        Ok(None)
    }

    async fn take_of(&mut self, id: MatchId) -> Result<Option<Assignment>, StoreError> {
        let state = MatchState::read(&self.store, &id).await?;
        if state.has_verdict {
            return Ok(None);
        }
        let Some(plan) = self.plan(&id).await? else { return Ok(None) };
        if state.refused.contains(&self.process) {
            self.avoid(&id, "its result was refused".to_owned());
        }
        let found = self.find(&id, &state, plan.units).await?;
        if let Some(reason) = self.avoided.get(&id).cloned() {
            if let ClaimableUnits::Own(unit, attempt) = found {
                self.give_back(&Assignment { id, plan, unit, attempt }, &reason).await?;
            }
            return Ok(None);
        }
        let mut free = match found {
            ClaimableUnits::Own(unit, attempt) => {
                return Ok(Some(Assignment { id, plan, unit, attempt }));
            }
            ClaimableUnits::Free(free) => free,
        };
        // The lowest units are needed first. After losing a race for one, choose among more of the
        // next ones.
        let mut reach = 1;
        while !free.is_empty() {
            let (unit, attempt) = free.remove(self.random.random_range(0..reach.min(free.len())));
            reach = reach.saturating_mul(2);
            if self.claim(&id, unit, attempt, None).await? {
                return Ok(Some(Assignment { id, plan, unit, attempt }));
            }
        }
        Ok(None)
    }

    async fn plan(&mut self, id: &MatchId) -> Result<Option<Arc<MatchPlan>>, StoreError> {
        if let Some(plan) = self.plans.get(id) {
            return Ok(Some(Arc::clone(plan)));
        }
        let plan = read_json(&self.store, &names::plan(id), MAX_PLAN_BYTES).await?;
        let plan: Option<Arc<MatchPlan>> = plan.map(Arc::new);
        self.plans.extend(plan.iter().map(|plan| (id.clone(), Arc::clone(plan))));
        Ok(plan)
    }

    async fn find(
        &mut self,
        id: &MatchId,
        state: &MatchState,
        units: u64,
    ) -> Result<ClaimableUnits, StoreError> {
        let mut free = Vec::new();
        let mut watched = 0;
        let end = state.taken.last().map_or(0, |taken| taken + 1).saturating_add(AHEAD);
        for unit in state.missing(units.min(end)) {
            let Some(&attempt) = state.attempts.get(&unit) else {
                free.push((unit, 0));
                continue;
            };
            if watched == WATCHED {
                continue;
            }
            let claim = self.claims.read(id, unit, attempt).await?;
            let is_void = if claim.given_back.is_some() {
                true
            } else if claim.by == self.process {
                return Ok(ClaimableUnits::Own(unit, attempt));
            } else {
                watched += 1;
                // The previous process in this slot is gone, even if nobody has noticed yet.
                let is_before = claim.by.slot == self.process.slot
                    && claim.by.generation < self.process.generation;
                is_before || self.claims.is_gone(&claim).await?
            };
            if is_void {
                free.push((unit, attempt.saturating_add(1)));
            }
        }
        Ok(ClaimableUnits::Free(free))
    }

    /// Whether the attempt now belongs to this process.
    async fn claim(
        &mut self,
        id: &MatchId,
        unit: u64,
        attempt: u64,
        given_back: Option<String>,
    ) -> Result<bool, StoreError> {
        let nonce = format!("{:016x}", self.random.random::<u64>());
        let (by, beat) = (self.process.clone(), self.beat.as_secs_f64());
        let claim = UnitClaim { nonce, by, beat, given_back };
        let created = self.store.create(&names::claim(id, unit, attempt), json(&claim)).await?;
        Ok(created == Created::Mine)
    }

    /// Delivers the result of a unit. May be repeated after an error.
    ///
    /// # Errors
    /// The store fails.
    pub async fn deliver(&self, unit: &Assignment, result: Bytes) -> Result<(), StoreError> {
        self.store.put(&names::result(&unit.id, unit.unit, &self.process), result).await
    }

    /// Leaves a unit to others.
    ///
    /// # Errors
    /// The store fails. Others will notice when the process is gone.
    pub async fn give_back(&mut self, unit: &Assignment, reason: &str) -> Result<(), StoreError> {
        let next = unit.attempt.saturating_add(1);
        // If somebody else has claimed it in the meantime, they may keep it.
        self.claim(&unit.id, unit.unit, next, Some(reason.to_owned())).await.map(drop)
    }

    /// Stops taking units of a match.
    pub fn avoid(&mut self, id: &MatchId, reason: String) {
        self.avoided.entry(id.clone()).or_insert(reason);
    }
}

//! The judge's side of matches: it has a match played.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::match_state::{Claims, MatchState};
use super::plan::{MatchPlan, id_of};
use crate::digest::sha256;
use crate::names::Process;
use crate::names::matches::{self as names, MatchId};
use crate::store::{Created, Store, StoreError, from_json, json, read_json};

/// Upper limit on the size of a result, in bytes.
const MAX_RESULT_BYTES: u64 = 64 << 20;
/// Upper limit on the size of a judge's note, in bytes.
const MAX_NOTE_BYTES: u64 = 64 << 10;
/// Number of claims reported, lowest units first.
const MAX_REPORTED: usize = 16;

/// Parses the result of a unit; the error says why it is not valid.
pub type Check<'a, R> = dyn Fn(u64, &[u8]) -> Result<R, String> + 'a;

/// Has a match played, and takes one result per unit, in order.
#[derive(Debug)]
pub struct Judge {
    store: Store,
    id: MatchId,
    units: u64,
    /// The SHA-256 digests of the results so far.
    taken: Vec<String>,
    claims: Claims,
}

/// The process whose result counts for a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taken {
    by: Process,
    sha256: String,
}

/// Who holds a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// This process is playing it.
    Plays(Process),
    /// This process was playing it, and is gone.
    Gone(Process),
    /// This process has given it back, for this reason.
    GaveBack(Process, String),
}

/// The state of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The first units that have been claimed and have no result.
    pub claimed: Vec<(u64, Holder)>,
    /// Number of further such units.
    pub others: usize,
    /// Processes whose results were refused.
    pub refused: Vec<Process>,
}

impl Judge {
    /// Opens a match to workers, or continues the one with this plan.
    ///
    /// # Errors
    /// The store fails, or holds another match under its name.
    pub async fn open(store: Store, plan: &MatchPlan) -> Result<Judge, StoreError> {
        let bytes = json(plan);
        let id = id_of(&bytes);
        let name = names::plan(&id);
        if store.create(&name, bytes).await? != Created::Mine {
            return Err(StoreError::damaged(&name, "it is the plan of another match"));
        }
        if store.exists(&names::verdict(&id)).await? {
            close(&store, &id).await;
        } else {
            store.put(&names::open(&id), Bytes::new()).await?;
        }
        let claims = Claims::new(store.clone());
        Ok(Judge { store, id, units: plan.units, taken: Vec::new(), claims })
    }

    /// The match.
    pub fn id(&self) -> &MatchId {
        &self.id
    }

    /// The SHA-256 digests of the accepted results, by unit.
    pub fn taken(&self) -> &[String] {
        &self.taken
    }

    /// Whether all units have a result.
    pub fn has_all(&self) -> bool {
        self.taken.len() as u64 == self.units
    }

    /// Accepts the available results for the next units. `check` parses the result of a unit; if it
    /// is not valid, the reason is stored next to it, and others play the unit.
    ///
    /// # Errors
    /// The store fails, or an accepted result is missing or damaged.
    pub async fn take<R>(&mut self, check: &Check<'_, R>) -> Result<Vec<(u64, R)>, StoreError> {
        let state = MatchState::read(&self.store, &self.id).await?;
        let mut results = Vec::new();
        while !self.has_all() {
            let unit = self.taken.len() as u64;
            let Some((result, digest)) = self.take_unit(&state, unit, check).await? else { break };
            self.taken.push(digest);
            results.push((unit, result));
        }
        Ok(results)
    }

    async fn take_unit<R>(
        &self,
        state: &MatchState,
        unit: u64,
        check: &Check<'_, R>,
    ) -> Result<Option<(R, String)>, StoreError> {
        let name = names::taken(&self.id, unit);
        if state.taken.contains(&unit)
            && let Some(taken) = read_json(&self.store, &name, MAX_NOTE_BYTES).await?
        {
            return self.read_taken(unit, &taken, check).await.map(Some);
        }
        for by in state.results.get(&unit).into_iter().flatten() {
            let result = names::result(&self.id, unit, by);
            let Some(bytes) = self.store.get(&result, MAX_RESULT_BYTES).await? else { continue };
            match check(unit, &bytes) {
                Ok(read) => {
                    let taken = Taken { by: by.clone(), sha256: sha256(&bytes) };
                    return match self.store.create(&name, json(&taken)).await? {
                        Created::Mine => Ok(Some((read, taken.sha256))),
                        // Another judge has already made a choice, which counts.
                        Created::Others(others) => {
                            let taken: Taken = from_json(&name, &others)?;
                            self.read_taken(unit, &taken, check).await.map(Some)
                        }
                    };
                }
                Err(reason) => self.refuse(unit, by, reason).await?,
            }
        }
        Ok(None)
    }

    async fn read_taken<R>(
        &self,
        unit: u64,
        taken: &Taken,
        check: &Check<'_, R>,
    ) -> Result<(R, String), StoreError> {
        let name = names::result(&self.id, unit, &taken.by);
        let damaged = |why: &str| StoreError::damaged(&name, why);
        let bytes = self.store.get(&name, MAX_RESULT_BYTES).await?;
        let bytes = bytes.ok_or_else(|| damaged("it is missing, though it counts"))?;
        if sha256(&bytes) != taken.sha256 {
            return Err(damaged("it has changed since it was taken"));
        }
        Ok((check(unit, &bytes).map_err(|why| damaged(&why))?, taken.sha256.clone()))
    }

    /// Removes a result. The process that delivered it notices, and takes no more units of this
    /// match.
    async fn refuse(&self, unit: u64, by: &Process, reason: String) -> Result<(), StoreError> {
        self.store.put(&names::refused(&self.id, unit, by), reason.into()).await?;
        self.store.delete(vec![names::result(&self.id, unit, by)]).await
    }

    /// The state of the match. Whether a process is gone is known once this has been called over
    /// three of its beats.
    ///
    /// # Errors
    /// The store fails.
    pub async fn standing(&mut self) -> Result<Standing, StoreError> {
        let state = MatchState::read(&self.store, &self.id).await?;
        let attempts = &state.attempts;
        let open: Vec<(u64, u64)> = state
            .missing(self.units)
            .filter_map(|unit| attempts.get(&unit).map(|&attempt| (unit, attempt)))
            .collect();
        let mut claimed = Vec::new();
        for &(unit, attempt) in open.iter().take(MAX_REPORTED) {
            let claim = self.claims.read(&self.id, unit, attempt).await?;
            let by = claim.by.clone();
            let holder = match &claim.given_back {
                Some(reason) => Holder::GaveBack(by, reason.clone()),
                None if self.claims.is_gone(&claim).await? => Holder::Gone(by),
                None => Holder::Plays(by),
            };
            claimed.push((unit, holder));
        }
        let others = open.len() - claimed.len();
        Ok(Standing { claimed, others, refused: state.refused.into_iter().collect() })
    }

    /// Ends the match. Workers take no more of its units.
    ///
    /// # Errors
    /// The store fails, or the match has already ended with another verdict.
    pub async fn end(&self, verdict: Bytes) -> Result<(), StoreError> {
        let name = names::verdict(&self.id);
        if self.store.create(&name, verdict).await? != Created::Mine {
            return Err(StoreError::damaged(&name, "the match has ended with another verdict"));
        }
        close(&self.store, &self.id).await;
        Ok(())
    }
}

/// Tells workers to ignore the match from now on. If that fails, it costs them a check each time,
/// until the judge comes again.
async fn close(store: &Store, id: &MatchId) {
    let _ = store.delete(vec![names::open(id)]).await;
}

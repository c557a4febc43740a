//! Observes a run from its store.
//!
//! The clocks of machines differ. So ages are measured by the store's clock, up to the time at
//! which the newest object was written; only if that is long ago are they measured up to the
//! present by the observer's clock.

use std::time::{Duration, SystemTime};

use super::standing::{Liveness, Recent, SlotStatus, Status, Useful};
use crate::commit::Commit;
use crate::commit_log::CommitLog;
use crate::health::{Health, LearnerHealth};
use crate::names;
use crate::silence::SILENT_BEATS;
use crate::store::{Listed, Store, StoreError};

/// What counts as recent; below, the number of commits among which the first recent one is
/// searched.
const RECENT: Duration = Duration::from_secs(15 * 60);
const RECENT_COMMITS: u64 = 500;
/// If nobody has written anything for this long, a run has probably stopped. Clocks differ by less.
const LONG: Duration = Duration::from_secs(15 * 60);
/// Number of refusal reasons shown; below, their maximum size in bytes.
const REASONS: usize = 3;
const REASON_BYTES: u64 = 64 << 10;

/// Looks at a run.
#[derive(Debug)]
pub struct Observer {
    store: Store,
    beat: Duration,
    reuse: f64,
}

impl Observer {
    /// An observer of workers that report every `beat`, in a run that should learn `reuse` times
    /// from each position.
    pub fn new(store: Store, beat: Duration, reuse: f64) -> Observer {
        Observer { store, beat, reuse }
    }

    /// Looks at the run; `None` if no learner has begun it.
    ///
    /// # Errors
    /// The store fails, or its commit log is damaged.
    pub async fn look(&self) -> Result<Option<Status>, StoreError> {
        let commit_log = CommitLog::new(self.store.clone());
        let Some(commit) = commit_log.newest().await? else { return Ok(None) };
        let learner = LearnerHealth::get(&self.store).await?;
        let sign = self.store.look_at(&names::learner()).await?.map(|sign| sign.written);
        let first = commit.number.saturating_sub(RECENT_COMMITS);
        let commits = match first.checked_sub(1) {
            Some(before) => {
                self.store.list_after(&names::commits(), &names::commit(before)).await?
            }
            None => self.store.list(&names::commits()).await?,
        };
        let healths = self.store.list(&names::all_health()).await?;
        let inbox = self.store.list(&names::inbox()).await?;

        let newest = |listed: &[Listed]| listed.iter().map(|listed| listed.written).max();
        let learner_written = newest(&commits).max(sign);
        let written = learner_written.max(newest(&healths)).max(newest(&inbox));
        let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
        let quiet = Some(since(written, SystemTime::now())).filter(|&quiet| quiet >= LONG);
        let now = written + quiet.unwrap_or_default();
        let age = |time: Option<SystemTime>| time.map_or(Duration::ZERO, |it| since(it, now));

        let told = Health::get_listed(&self.store, &healths).await?.into_iter();
        let slots: Vec<SlotStatus> = told
            .map(|(listed, health)| self.slot(&commit, health, age(Some(listed.written))))
            .collect();
        Ok(Some(Status {
            learner_age: age(learner_written),
            quiet,
            recent: recent(&commit_log, &commit, &commits).await?,
            useful: useful(&commit, learner.as_ref(), &slots, self.reuse),
            reuse: self.reuse,
            inbox_files: inbox.len(),
            inbox_bytes: inbox.iter().map(|listed| listed.size).sum(),
            inbox_age: age(inbox.iter().map(|listed| listed.written).min()),
            reasons: self.reasons().await?,
            slots,
            learner,
            commit,
        }))
    }

    fn slot(&self, commit: &Commit, health: Health, age: Duration) -> SlotStatus {
        let liveness = if age >= self.beat * SILENT_BEATS {
            Liveness::Silent
        } else if health.holds {
            Liveness::Holds
        } else {
            Liveness::Plays
        };
        SlotStatus {
            age,
            liveness,
            // While there are too many workers, each waits for a part of the time, and would seem
            // to be slower than it is.
            evaluations_per_second: health.evaluations as f64
                / (health.seconds - health.idle).max(1.0),
            behind: commit.step().saturating_sub(health.model),
            health,
        }
    }

    async fn reasons(&self) -> Result<Vec<String>, StoreError> {
        let mut listed = self.store.list(&names::refused()).await?;
        listed.retain(|listed| listed.name.extension() == Some("txt"));
        listed.sort_by_key(|listed| std::cmp::Reverse(listed.written));
        let mut reasons = Vec::new();
        for Listed { name, .. } in listed.iter().take(REASONS) {
            let why = match self.store.get(name, REASON_BYTES).await {
                // It is not one of our reasons: the name has to suffice.
                Err(StoreError::TooLarge { .. }) => None,
                other => other?,
            };
            let why = why.unwrap_or_default();
            // Any participant may have written it, and it will be shown on a terminal.
            let plain = String::from_utf8_lossy(&why).trim().replace(char::is_control, " ");
            reasons.push(format!("{name}: {plain}"));
        }
        Ok(reasons)
    }
}

fn since(earlier: SystemTime, later: SystemTime) -> Duration {
    later.duration_since(earlier).unwrap_or_default()
}

/// What happened according to the commits of the last minutes before the newest.
async fn recent(
    commit_log: &CommitLog,
    newest: &Commit,
    commits: &[Listed],
) -> Result<Option<Recent>, StoreError> {
    let Some(last) = commits.iter().find(|it| it.name == names::commit(newest.number)) else {
        return Ok(None);
    };
    let first = commits.iter().find(|it| since(it.written, last.written) <= RECENT);
    let number = first.and_then(|first| names::commit_number(&first.name));
    let Some((first, number)) = first.zip(number) else { return Ok(None) };
    let time = since(first.written, last.written);
    let Some(before) = commit_log.read(number).await? else { return Ok(None) };
    let rate = |before: u64, after: u64| after.saturating_sub(before) as f64 / time.as_secs_f64();
    Ok((time > Duration::ZERO).then(|| Recent {
        time,
        positions_per_second: rate(before.positions, newest.positions),
        samples_per_second: rate(before.samples, newest.samples),
    }))
}

/// How many workers' positions the learner can use per second.
fn useful(
    commit: &Commit,
    learner: Option<&LearnerHealth>,
    slots: &[SlotStatus],
    reuse: f64,
) -> Option<Useful> {
    let plays = slots.iter().filter(|slot| slot.liveness == Liveness::Plays);
    let rates: Vec<f64> = plays.map(|slot| slot.evaluations_per_second).collect();
    let evaluations = rates.iter().sum::<f64>() / rates.len() as f64;
    let played = evaluations / f64::from(commit.simulations);
    let learnt = learner?.samples_per_second? / reuse;
    let workers = learnt / played;
    (workers.is_finite() && workers > 0.0).then_some(Useful { workers, learnt, played })
}

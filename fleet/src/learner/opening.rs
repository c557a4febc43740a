//! How a learner takes over a run.

use std::collections::HashSet;

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::time::Instant;

use super::gaps::Gaps;
use super::past;
use super::problem_log::ProblemLog;
use super::state::{Learner, LearnerError, LearnerSettings, nonce};
use crate::check::keeps_first;
use crate::commit::{Commit, Event};
use crate::commit_log::{AppendOutcome, CommitLog};
use crate::names;
use crate::run::Run;
use crate::store::{Store, StoreError};

/// Number of attempts to open the commit log while others do so at the same time.
const OPENINGS: u32 = 20;

impl Learner {
    /// Opens the commit log of a run, creating it if there is none. Every other learner is shut out
    /// from now on.
    ///
    /// # Errors
    /// The store fails, cannot keep two writers apart, or holds another run.
    pub async fn open(
        store: Store,
        run: Run,
        settings: LearnerSettings,
    ) -> Result<Learner, LearnerError> {
        let mut nonces = StdRng::seed_from_u64(settings.seed);
        if !settings.is_sole && !is_atomic(&store, &nonce(&mut nonces)).await? {
            return Err(LearnerError::NotAtomic);
        }
        run.create(&store).await?;
        let commit_log = CommitLog::new(store.clone());
        let newest = open_commit_log(&commit_log, &mut nonces).await?;
        let adopted = past::adopted(&commit_log, &newest).await?;
        Ok(Learner {
            store,
            commit_log,
            run,
            settings,
            newest,
            adopted,
            claimed: HashSet::new(),
            gaps: Gaps::default(),
            stuck: HashSet::new(),
            problems: ProblemLog::default(),
            nonces,
            has_announced: false,
            opened: Instant::now(),
            samples_per_second: None,
            told_health: None,
        })
    }
}

/// Records that this learner has opened the commit log. If several start at the same time, the last
/// one to be recorded stays.
async fn open_commit_log(
    commit_log: &CommitLog,
    nonces: &mut StdRng,
) -> Result<Commit, LearnerError> {
    let mut number = 0;
    for _ in 0..OPENINGS {
        let nonce = nonce(nonces);
        let opened = match commit_log.newest().await? {
            Some(newest) => newest.successor(Event::Opened, nonce),
            None => Commit { nonce, ..Commit::default() },
        };
        number = opened.number;
        match commit_log.append(&opened).await? {
            AppendOutcome::Appended => {
                return Ok(opened);
            }
            AppendOutcome::Fenced => {}
        }
    }
    Err(LearnerError::Fenced(number))
}

/// Whether the store lets only one of two writers create an object.
async fn is_atomic(store: &Store, nonce: &str) -> Result<bool, StoreError> {
    let name = names::probe(nonce);
    let is_atomic = keeps_first(store, &name).await?;
    // Anything left is removed by `collect_garbage`.
    let _ = store.delete(vec![name]).await;
    Ok(is_atomic)
}

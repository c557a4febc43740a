//! A learner's state, and how it enters a commit.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use object_store::path::Path;
use rand::Rng;
use rand::rngs::StdRng;
use thiserror::Error;
use tokio::time::Instant;

use super::gaps::Gaps;
use super::problem_log::ProblemLog;
use crate::commit::{Commit, Event};
use crate::commit_log::{AppendOutcome, CommitLog};
use crate::exit::Exit;
use crate::health::LearnerHealth;
use crate::names::Slot;
use crate::run::{Run, RunError};
use crate::store::{Store, StoreError};

/// How a learner works.
#[derive(Debug, Clone)]
pub struct LearnerSettings {
    /// Maximum number of files per commit.
    pub take_files: usize,
    /// Maximum number of bytes per commit.
    pub take_bytes: u64,
    /// Slots from which nothing is taken.
    pub banned: BTreeSet<Slot>,
    /// Whether the operator guarantees that there is only one learner, because the store cannot.
    pub is_sole: bool,
    /// Interval between health reports.
    pub beat: Duration,
    /// The machine's name.
    pub host: String,
    /// Seed of the nonces. No two learners may share a seed.
    pub seed: u64,
}

impl Default for LearnerSettings {
    fn default() -> LearnerSettings {
        LearnerSettings {
            take_files: 2000,
            take_bytes: 256 << 20,
            banned: BTreeSet::new(),
            is_sole: false,
            beat: Duration::from_secs(120),
            host: "unknown".to_owned(),
            seed: rand::random(),
        }
    }
}

/// Why a learner cannot continue.
#[derive(Debug, Error)]
pub enum LearnerError {
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store does not hold this run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Another learner has opened the commit log.
    #[error("another learner has taken over at commit {0}: this one must stop")]
    Fenced(u64),
    /// Two learners could overwrite each other's commits.
    #[error(
        "the store does not keep two writers from creating the same object: use another store, or say --sole-learner and start one learner only"
    )]
    NotAtomic,
}

impl LearnerError {
    /// How the process ends.
    pub fn exit(&self) -> Exit {
        match self {
            LearnerError::Store(error) | LearnerError::Run(RunError::Store(error)) => error.exit(),
            LearnerError::Fenced(_) => Exit::Fenced,
            LearnerError::Run(RunError::Absent | RunError::Other(_) | RunError::Version { .. })
            | LearnerError::NotAtomic => Exit::Unfit,
        }
    }
}

/// The only learner of a run.
#[derive(Debug)]
pub struct Learner {
    pub(super) store: Store,
    pub(super) commit_log: CommitLog,
    pub(super) run: Run,
    pub(super) settings: LearnerSettings,
    pub(super) newest: Commit,
    /// Seeds of counted games that another generation may also finish, with the step at which each
    /// counted.
    pub(super) adopted: HashMap<u64, u64>,
    /// Generations known to exist.
    pub(super) claimed: HashSet<(Slot, u64)>,
    /// Missing files.
    pub(super) gaps: Gaps,
    /// Strange objects that have been counted but could not be deleted.
    pub(super) stuck: HashSet<Path>,
    pub(super) problems: ProblemLog,
    pub(super) nonces: StdRng,
    /// Whether the newest commit has been announced to workers.
    pub(super) has_announced: bool,
    pub(super) opened: Instant,
    /// Samples per second during the last learning.
    pub(super) samples_per_second: Option<f64>,
    /// When it last reported its health.
    pub(super) told_health: Option<Instant>,
}

impl Learner {
    /// The newest commit.
    pub fn newest(&self) -> &Commit {
        &self.newest
    }

    /// The commit after the newest, in which nothing has changed yet.
    pub(super) fn successor(&mut self, event: Event) -> Commit {
        self.newest.successor(event, nonce(&mut self.nonces))
    }

    /// Reports its health from time to time. Failures are ignored.
    pub(super) async fn report_health(&mut self) {
        if self.told_health.is_some_and(|told| told.elapsed() < self.settings.beat) {
            return;
        }
        self.told_health = Some(Instant::now());
        let health = LearnerHealth {
            host: self.settings.host.clone(),
            seconds: self.opened.elapsed().as_secs_f64(),
            samples_per_second: self.samples_per_second,
            requests: self.store.requests(),
        };
        let _ = health.put(&self.store).await;
    }

    /// Enters a commit and announces it to workers.
    pub(super) async fn append_commit(&mut self, commit: Commit) -> Result<(), LearnerError> {
        match self.commit_log.append(&commit).await? {
            AppendOutcome::Appended => {
                self.newest = commit;
                // If this fails, the next cycle makes up for it.
                self.has_announced = self.commit_log.announce(&self.newest).await.is_ok();
                Ok(())
            }
            AppendOutcome::Fenced => Err(LearnerError::Fenced(commit.number)),
        }
    }
}

/// Distinguishes a commit from others with its number.
pub(super) fn nonce(nonces: &mut StdRng) -> String {
    format!("{:016x}", nonces.next_u64())
}

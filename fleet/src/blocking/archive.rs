//! What a run has come to, for threads.

use bytes::Bytes;

use super::Carrier;
use crate::commit::{CheckpointRecord, Commit};
use crate::intake::Examiner;
use crate::learner::{self, PastGames};
use crate::store::{Store, StoreError};

/// [`learner::Archive`] for threads.
#[derive(Debug)]
pub struct Archive {
    carrier: Carrier,
    inner: learner::Archive,
}

impl Archive {
    pub(super) fn over(carrier: &Carrier, inner: learner::Archive) -> Archive {
        Archive { carrier: carrier.clone(), inner }
    }

    /// The run as it stands in its store; `None` if no learner has begun it.
    ///
    /// # Errors
    /// As [`learner::Archive::open`].
    pub fn open(carrier: &Carrier, store: &Store) -> Result<Option<Archive>, StoreError> {
        let inner = carrier.wait(learner::Archive::open(store))?;
        Ok(inner.map(|inner| Archive::over(carrier, inner)))
    }

    /// The commit up to which it goes.
    pub fn newest(&self) -> &Commit {
        self.inner.newest()
    }

    /// Reads an object of a checkpoint.
    ///
    /// # Errors
    /// As [`learner::Archive::saved`].
    pub fn saved(
        &self,
        checkpoint: &CheckpointRecord,
        name: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        self.carrier.wait(self.inner.saved(checkpoint, name))
    }

    /// Gives the games of earlier commits to `take`.
    ///
    /// # Errors
    /// As [`learner::Archive::past_games`].
    pub fn past_games<E: Examiner>(
        &self,
        examiner: &E,
        positions: u64,
        from: u64,
        take: impl FnMut(PastGames<E::Game>),
    ) -> Result<(), StoreError> {
        self.carrier.wait(self.inner.past_games(examiner, positions, from, take))
    }
}

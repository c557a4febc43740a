//! What a learner that starts must know about earlier commits.

use std::collections::HashMap;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path;

use super::state::Learner;
use crate::commit::{CheckpointRecord, Commit, SegmentRecord};
use crate::commit_log::CommitLog;
use crate::digest::sha256;
use crate::game_file;
use crate::intake::Examiner;
use crate::names;
use crate::segment;
use crate::store::{Store, StoreError};

/// Number of segments read concurrently.
const AT_ONCE: usize = 4;
/// Number of commits read together.
const BATCH: u64 = 64;

/// The games of one earlier commit.
#[derive(Debug)]
pub struct PastGames<G> {
    /// The number of the commit.
    pub commit: u64,
    /// Its games that counted, in order.
    pub games: Vec<G>,
    /// Why they cannot be read, if so; there are none then.
    pub damage: Option<StoreError>,
}

/// Seeds that may occur again, with the step at which each counted: those of all commits whose
/// games may still count.
pub(super) async fn adopted(
    commit_log: &CommitLog,
    newest: &Commit,
) -> Result<HashMap<u64, u64>, StoreError> {
    let mut adopted = HashMap::new();
    let mut end = newest.number + 1;
    while end > 0 {
        let begin = end.saturating_sub(BATCH);
        let commits = commit_log.read_all(begin..end).await?;
        for commit in &commits {
            adopted.extend(commit.adopted.iter().map(|&seed| (seed, commit.step())));
        }
        // A game that counted then began with these or earlier weights, and would not count again.
        if commits.first().is_some_and(|first| first.step() < newest.oldest) {
            break;
        }
        end = begin;
    }
    Ok(adopted)
}

/// A read-only view of a run.
#[derive(Debug)]
pub struct Archive {
    store: Store,
    newest: Commit,
}

impl Learner {
    /// A view of the run up to its newest commit.
    pub fn archive(&self) -> Archive {
        Archive { store: self.store.clone(), newest: self.newest.clone() }
    }
}

impl Archive {
    /// A view of the run in a store; `None` if no learner has begun it.
    ///
    /// # Errors
    /// The store fails.
    pub async fn open(store: &Store) -> Result<Option<Archive>, StoreError> {
        let newest = CommitLog::new(store.clone()).newest().await?;
        Ok(newest.map(|newest| Archive { store: store.clone(), newest }))
    }

    /// The newest commit included.
    pub fn newest(&self) -> &Commit {
        &self.newest
    }

    /// Reads an object of the checkpoint; `None` if it has no such object.
    ///
    /// # Errors
    /// The store fails.
    pub async fn saved(
        &self,
        checkpoint: &CheckpointRecord,
        name: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        let folder = names::checkpoint(checkpoint.step, &checkpoint.nonce);
        self.store.get(&folder.join(name), u64::MAX).await
    }

    /// Passes the games of the newest commits to `take`, oldest first, going back until they
    /// contain this many positions and reach the commit `from`. Nothing older is read, and memory
    /// holds only what `take` keeps plus a few segments.
    ///
    /// # Errors
    /// The store fails, or a segment of the commit `from` or a later one is damaged or missing.
    pub async fn past_games<E: Examiner>(
        &self,
        examiner: &E,
        positions: u64,
        from: u64,
        mut take: impl FnMut(PastGames<E::Game>),
    ) -> Result<(), StoreError> {
        let commit_log = CommitLog::new(self.store.clone());
        let mut chosen = Vec::new();
        let mut found = 0;
        let mut end = self.newest.number + 1;
        while end > from || (end > 0 && found < positions) {
            let begin = end.saturating_sub(BATCH);
            for commit in commit_log.read_all(begin..end).await?.into_iter().rev() {
                let Some(segment) = &commit.segment else { continue };
                if found < positions || commit.number >= from {
                    found += segment.positions;
                    chosen.push((commit.number, commit.nonce.clone(), segment.clone()));
                }
            }
            end = begin;
        }
        let read = |(number, nonce, record): (u64, String, SegmentRecord)| async move {
            let name = names::segment(number, &nonce);
            let bytes = self.read_segment(&name, &record).await;
            (number, name, bytes)
        };
        let chosen = futures_util::stream::iter(chosen.into_iter().rev());
        let mut segments = chosen.map(read).buffered(AT_ONCE);
        while let Some((commit, name, bytes)) = segments.next().await {
            let games = bytes.and_then(|bytes| {
                games_in(examiner, &bytes).map_err(|why| StoreError::damaged(&name, why))
            });
            take(match games {
                Err(damage @ StoreError::Damaged { .. }) if commit < from => {
                    PastGames { commit, games: Vec::new(), damage: Some(damage) }
                }
                games => PastGames { commit, games: games?, damage: None },
            });
        }
        Ok(())
    }

    async fn read_segment(&self, name: &Path, record: &SegmentRecord) -> Result<Bytes, StoreError> {
        let damaged = |why: &str| StoreError::damaged(name, why);
        let bytes = self.store.get(name, u64::MAX).await?;
        let bytes = bytes.ok_or_else(|| damaged("it is missing"))?;
        if sha256(&bytes) != record.sha256 {
            return Err(damaged("its SHA-256 is another than its commit says"));
        }
        Ok(bytes)
    }
}

/// The games of a segment that counted.
fn games_in<E: Examiner>(examiner: &E, segment: &Bytes) -> Result<Vec<E::Game>, String> {
    let mut games = Vec::new();
    for (entry, file) in segment::decode(segment).map_err(|error| error.to_string())? {
        let file = game_file::decode(&file).map_err(|error| error.to_string())?;
        for (index, game) in (0..).zip(file.games) {
            if entry.left_out.binary_search(&index).is_err() {
                games.push(examiner.examine(game)?);
            }
        }
    }
    Ok(games)
}

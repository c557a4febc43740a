//! The commit log of a run: numbered commits, each created exactly once.
//!
//! An existing number is never written again, so if two learners compete for it, one succeeds and
//! the other knows that it has been shut out.

use futures_util::{StreamExt, TryStreamExt};

use crate::commit::{Commit, Latest};
use crate::names;
use crate::store::{Created, Listed, Store, StoreError, json, read_json};

/// Upper limit on the size of a commit, in bytes; more than thousands of workers need.
const MAX_BYTES: u64 = 16 << 20;
/// Number of commits read concurrently.
const AT_ONCE: usize = 16;

/// Whether a commit was added to the commit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AppendOutcome {
    /// The commit was entered.
    Appended,
    /// Another learner's commit has this number.
    Fenced,
}

/// The commit log of a run.
#[derive(Debug, Clone)]
pub struct CommitLog {
    store: Store,
}

impl CommitLog {
    /// The commit log in a store.
    pub fn new(store: Store) -> CommitLog {
        CommitLog { store }
    }

    /// The newest commit; `None` if there are none.
    ///
    /// # Errors
    /// The store fails, or the commit is damaged.
    pub async fn newest(&self) -> Result<Option<Commit>, StoreError> {
        let hint = self.latest().await.ok().flatten().map_or(0, |latest| latest.commit);
        let mut newest = None;
        if let Some(before) = hint.checked_sub(1) {
            let listed = self.store.list_after(&names::commits(), &names::commit(before)).await?;
            newest = newest_of(&listed);
        }
        // If the commit named by the hint does not exist, ignore the hint.
        if newest.is_none() {
            newest = newest_of(&self.store.list(&names::commits()).await?);
        }
        match newest {
            Some(number) => self.read(number).await,
            None => Ok(None),
        }
    }

    /// A commit; `None` if it does not exist.
    ///
    /// # Errors
    /// The store fails, or the commit is damaged.
    pub async fn read(&self, number: u64) -> Result<Option<Commit>, StoreError> {
        read_json(&self.store, &names::commit(number), MAX_BYTES).await
    }

    /// The commits with these numbers, all of which must exist, in order.
    ///
    /// # Errors
    /// The store fails, or a commit is missing or damaged.
    pub async fn read_all(
        &self,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<Vec<Commit>, StoreError> {
        let read = |number| async move {
            self.read(number).await?.ok_or_else(|| {
                let why = "it is missing, though a later one exists";
                StoreError::damaged(&names::commit(number), why)
            })
        };
        futures_util::stream::iter(numbers).map(read).buffered(AT_ONCE).try_collect().await
    }

    /// Appends a commit.
    ///
    /// # Errors
    /// The store fails; the commit may have been appended anyway, or may still be.
    pub async fn append(&self, commit: &Commit) -> Result<AppendOutcome, StoreError> {
        match self.store.create(&names::commit(commit.number), json(commit)).await? {
            Created::Mine => Ok(AppendOutcome::Appended),
            Created::Others(_) => Ok(AppendOutcome::Fenced),
        }
    }

    /// Whether a commit of this number exists.
    ///
    /// # Errors
    /// The store fails.
    pub async fn has(&self, number: u64) -> Result<bool, StoreError> {
        self.store.exists(&names::commit(number)).await
    }

    /// The announcement to workers.
    ///
    /// # Errors
    /// The store fails, or the object is damaged.
    pub async fn latest(&self) -> Result<Option<Latest>, StoreError> {
        read_json(&self.store, &names::latest(), MAX_BYTES).await
    }

    /// Announces a commit to workers.
    ///
    /// # Errors
    /// The store fails.
    pub async fn announce(&self, commit: &Commit) -> Result<(), StoreError> {
        self.store.put(&names::latest(), json(&commit.latest())).await
    }
}

fn newest_of(listed: &[Listed]) -> Option<u64> {
    listed.iter().filter_map(|listed| names::commit_number(&listed.name)).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::Event;

    #[tokio::test]
    async fn a_number_is_appended_once() {
        let commit_log = CommitLog::new(Store::open("memory://").unwrap());
        assert_eq!(commit_log.newest().await.unwrap(), None);
        let first = Commit { nonce: "a".to_owned(), ..Commit::default() };
        assert_eq!(commit_log.append(&first).await.unwrap(), AppendOutcome::Appended);
        assert_eq!(
            commit_log.append(&first).await.unwrap(),
            AppendOutcome::Appended,
            "ours is there"
        );
        let other = Commit { nonce: "b".to_owned(), ..Commit::default() };
        assert_eq!(commit_log.append(&other).await.unwrap(), AppendOutcome::Fenced);
        let second = first.successor(Event::Taken, "c".to_owned());
        assert_eq!(commit_log.append(&second).await.unwrap(), AppendOutcome::Appended);
        assert_eq!(commit_log.read_all(0..2).await.unwrap(), [first, second.clone()]);
        assert_eq!(commit_log.newest().await.unwrap(), Some(second.clone()));
        // The hint may be missing, outdated, or current.
        for told in 0..2 {
            commit_log.announce(&commit_log.read(told).await.unwrap().unwrap()).await.unwrap();
            assert_eq!(commit_log.newest().await.unwrap(), Some(second.clone()));
        }
        // It may also belong to another run, or be damaged.
        let far = Commit { number: 1000, ..second.clone() };
        commit_log.announce(&far).await.unwrap();
        assert_eq!(commit_log.newest().await.unwrap(), Some(second.clone()));
        let missing = commit_log.read_all(1..3).await.unwrap_err().to_string();
        assert!(missing.contains("is missing"), "{missing}");
    }
}

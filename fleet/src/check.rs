//! Tests whether a store behaves as runs require.

use bytes::Bytes;
use object_store::path::Path;
use tokio::task::JoinSet;

use crate::names;
use crate::store::{Created, Fetched, Store, StoreError};

/// Number of writers that race for one object.
pub const WRITERS: usize = 16;
/// Number of objects that are listed.
const LISTED: usize = 20;
/// Upper limit on the size of a check's objects, in bytes.
const MAX_BYTES: u64 = 64;

/// The observed behaviour of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckReport {
    /// Whether an existing object keeps its contents when somebody tries to create it again.
    pub keeps_first: bool,
    /// Number of races in which not exactly one of [`WRITERS`] was told that it had created the
    /// object.
    pub torn_races: usize,
    /// The largest number of writers told so in one race.
    pub most_winners: usize,
    /// Whether an unchanged object is not transferred again.
    pub saves_bytes: bool,
    /// Whether a listing includes everything written before it.
    pub lists_all: bool,
    /// Whether a listing that starts after a name includes exactly the later names.
    pub lists_after: bool,
}

impl CheckReport {
    /// Whether two learners can be kept apart: only one of them creates a commit.
    pub fn is_atomic(&self) -> bool {
        self.keeps_first && self.torn_races == 0
    }

    /// Whether nothing that was written is overlooked.
    pub fn is_consistent(&self) -> bool {
        self.lists_all && self.lists_after
    }
}

/// Tests a store with this many races. `seed` determines the names of the objects, which are
/// deleted at the end.
///
/// # Errors
/// The store fails.
pub async fn check(store: &Store, races: usize, seed: u64) -> Result<CheckReport, StoreError> {
    let probes = Probes { store, seed };
    // Whatever is left after an error is removed by `collect_garbage`.
    let report = probes.report(races).await?;
    let listed = store.list(&names::probes()).await?;
    let names = listed.into_iter().map(|listed| listed.name).filter(|name| probes.has(name));
    store.delete(names.collect()).await?;
    Ok(report)
}

/// Whether an existing object keeps its contents when somebody tries to create it again, so that
/// the second of two learners is told that it came second. Leaves the object in place.
pub(crate) async fn keeps_first(store: &Store, name: &Path) -> Result<bool, StoreError> {
    let first = store.create(name, "first".into()).await?;
    let second = store.create(name, "second".into()).await?;
    let kept = store.get(name, MAX_BYTES).await?;
    let is_kept = kept.is_some_and(|kept| kept == "first");
    Ok(is_kept && first == Created::Mine && second != Created::Mine)
}

/// The objects of one check.
struct Probes<'a> {
    store: &'a Store,
    seed: u64,
}

impl Probes<'_> {
    fn name(&self, rest: &str) -> Path {
        names::probe(&format!("{:016x}-{rest}", self.seed))
    }

    fn has(&self, name: &Path) -> bool {
        name.as_ref().starts_with(self.name("").as_ref())
    }

    async fn report(&self, races: usize) -> Result<CheckReport, StoreError> {
        let keeps_first = keeps_first(self.store, &self.name("twice")).await?;
        let (mut torn_races, mut most_winners) = (0, 0);
        for number in 0..races {
            let winners = self.race(number).await?;
            torn_races += usize::from(winners != 1);
            most_winners = most_winners.max(winners);
        }
        let saves_bytes = self.saves_bytes().await?;
        let (lists_all, lists_after) = self.lists().await?;
        Ok(CheckReport {
            keeps_first,
            torn_races,
            most_winners,
            saves_bytes,
            lists_all,
            lists_after,
        })
    }

    /// How many of several concurrent writers are told that they have created the object.
    async fn race(&self, number: usize) -> Result<usize, StoreError> {
        let name = self.name(&format!("race-{number}"));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let (store, name) = (self.store.clone(), name.clone());
            writers.spawn(async move { store.create(&name, writer.to_string().into()).await });
        }
        let mut winners = 0;
        for created in writers.join_all().await {
            winners += usize::from(created? == Created::Mine);
        }
        Ok(winners)
    }

    async fn saves_bytes(&self) -> Result<bool, StoreError> {
        let name = self.name("same");
        self.store.put(&name, "same".into()).await?;
        let Fetched::New { tag, .. } = self.store.get_unless(&name, None, MAX_BYTES).await? else {
            return Ok(false);
        };
        let again = self.store.get_unless(&name, tag.as_deref(), MAX_BYTES).await?;
        Ok(matches!(again, Fetched::Unchanged))
    }

    /// Whether a listing is complete, and whether one that starts after a name includes everything
    /// after it.
    async fn lists(&self) -> Result<(bool, bool), StoreError> {
        let written: Vec<Path> =
            (0..LISTED).map(|number| self.name(&format!("list-{number:02}"))).collect();
        for name in &written {
            self.store.put(name, Bytes::from_static(b"listed")).await?;
        }
        let ours = |listed: Vec<crate::store::Listed>| {
            let names = listed.into_iter().map(|listed| listed.name);
            names.filter(|name| written.contains(name)).collect::<Vec<Path>>()
        };
        let all = ours(self.store.list(&names::probes()).await?);
        let middle = LISTED / 2;
        let after = ours(self.store.list_after(&names::probes(), &written[middle]).await?);
        Ok((all == written, after == written[middle + 1..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: CheckReport = CheckReport {
        keeps_first: true,
        torn_races: 0,
        most_winners: 1,
        saves_bytes: true,
        lists_all: true,
        lists_after: true,
    };

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn memory_and_folders_can_hold_runs() {
        let folder = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(folder.path()).unwrap();
        for url in ["memory://", url.as_str()] {
            let store = Store::open(url).unwrap();
            assert_eq!(check(&store, 150, 7).await.unwrap(), GOOD, "{url}");
            assert!(store.list(&names::probes()).await.unwrap().is_empty(), "nothing is left");
        }
        assert!(GOOD.is_atomic() && GOOD.is_consistent());
    }
}

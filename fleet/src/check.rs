//! Tries out whether a store does what runs need.

use bytes::Bytes;
use object_store::path::Path;
use tokio::task::JoinSet;

use crate::names;
use crate::store::{Created, Fetched, Store, StoreError};

/// Writers that race for one object.
pub const WRITERS: usize = 16;
/// Objects that are listed.
const LISTED: usize = 20;
/// Larger than any object of a check, in bytes.
const LARGEST: u64 = 64;

/// What a store has been seen to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Findings {
    /// Whether an object that exists keeps its contents when it is created again.
    pub keeps_first: bool,
    /// Races in which not exactly one of [`WRITERS`] was told that it had created an object.
    pub torn_races: usize,
    /// The most who were told so in one race.
    pub most_winners: usize,
    /// Whether an object that has not changed is not sent again.
    pub saves_bytes: bool,
    /// Whether a listing has everything that was written before it.
    pub lists_all: bool,
    /// Whether a listing from a name on has all names after it and no others.
    pub lists_after: bool,
}

impl Findings {
    /// Whether two learners can be told apart: only one of them creates a commit.
    pub fn is_atomic(&self) -> bool {
        self.keeps_first && self.torn_races == 0
    }

    /// Whether nothing that was written is overlooked.
    pub fn is_consistent(&self) -> bool {
        self.lists_all && self.lists_after
    }
}

/// Tries a store out, with so many races. `seed` makes the names of the objects, which are deleted in the end.
///
/// # Errors
/// The store fails.
pub async fn check(store: &Store, races: usize, seed: u64) -> Result<Findings, StoreError> {
    let place = Place { store, seed };
    // What is left after an error, `tidy` removes.
    let findings = place.findings(races).await?;
    let listed = store.list(&names::probes()).await?;
    let names = listed.into_iter().map(|listed| listed.name).filter(|name| place.has(name));
    store.delete(names.collect()).await?;
    Ok(findings)
}

/// Whether an object that exists keeps its contents when it is created again: so whether one of two learners is told
/// that it came second. Leaves the object.
pub(crate) async fn keeps_first(store: &Store, name: &Path) -> Result<bool, StoreError> {
    let first = store.create(name, "first".into()).await?;
    let second = store.create(name, "second".into()).await?;
    let kept = store.get(name, LARGEST).await?;
    let is_kept = kept.is_some_and(|kept| kept == "first");
    Ok(is_kept && first == Created::Mine && second != Created::Mine)
}

/// The objects of one check.
struct Place<'a> {
    store: &'a Store,
    seed: u64,
}

impl Place<'_> {
    fn name(&self, rest: &str) -> Path {
        names::probe(&format!("{:016x}-{rest}", self.seed))
    }

    fn has(&self, name: &Path) -> bool {
        name.as_ref().starts_with(self.name("").as_ref())
    }

    async fn findings(&self, races: usize) -> Result<Findings, StoreError> {
        let keeps_first = keeps_first(self.store, &self.name("twice")).await?;
        let (mut torn_races, mut most_winners) = (0, 0);
        for number in 0..races {
            let winners = self.race(number).await?;
            torn_races += usize::from(winners != 1);
            most_winners = most_winners.max(winners);
        }
        let saves_bytes = self.saves_bytes().await?;
        let (lists_all, lists_after) = self.lists().await?;
        Ok(Findings { keeps_first, torn_races, most_winners, saves_bytes, lists_all, lists_after })
    }

    /// How many of several writers at once are told that they have created an object.
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
        let Fetched::New { tag, .. } = self.store.get_unless(&name, None, LARGEST).await? else {
            return Ok(false);
        };
        let again = self.store.get_unless(&name, tag.as_deref(), LARGEST).await?;
        Ok(matches!(again, Fetched::Unchanged))
    }

    /// Whether a listing has everything, and one from a name on everything after it.
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

    const GOOD: Findings = Findings {
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

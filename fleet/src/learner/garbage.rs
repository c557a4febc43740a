//! Removes objects that no commit refers to, left by learners and other writers that were killed or
//! shut out.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use object_store::path::Path;

use crate::commit::Commit;
use crate::commit_log::CommitLog;
use crate::names;
use crate::store::{Leftovers, Listed, Store, StoreError};

/// Number of commits read together.
const BATCH: u64 = 256;
/// Age from which half-written objects, and those with which a store was tested, are abandoned: no
/// request and no test takes this long.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Numbers of removed objects by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GarbageCounts {
    /// Segments of commits that were never entered.
    pub segments: usize,
    /// Objects of checkpoints.
    pub checkpoints: usize,
    /// Objects of models.
    pub models: usize,
    /// Objects with which the store was tested.
    pub probes: usize,
    /// Half-written files in a folder.
    pub partial: usize,
    /// Empty folders.
    pub folders: usize,
}

/// Removes objects that no commit refers to. A learner may be running: whatever it may be about to
/// refer to stays.
///
/// # Errors
/// The store fails; whatever remains is left for the next time.
pub async fn collect_garbage(store: &Store) -> Result<GarbageCounts, StoreError> {
    let Leftovers { partial, folders } = store.remove_leftovers(ABANDONED).await?;
    // A store that holds only matches has been tested, too.
    let probes = remove_probes(store).await?;
    let removed = GarbageCounts { probes, partial, folders, ..GarbageCounts::default() };
    let commit_log = CommitLog::new(store.clone());
    // Listed first: whatever is written after this is newer than the commits that are read.
    let segments = store.list(&names::segments()).await?;
    let checkpoints = store.list(&names::checkpoints()).await?;
    let models = store.list(&names::models()).await?;
    let Some(newest) = commit_log.newest().await? else { return Ok(removed) };

    let kept = newest.checkpoints.iter().map(|it| names::checkpoint(it.step, &it.nonce));
    let mut referred: HashSet<Path> = kept.collect();
    // There may be so many commits that only the names fit into memory.
    for begin in (0..=newest.number).step_by(BATCH as usize) {
        let commits = commit_log.read_all(begin..(begin + BATCH).min(newest.number + 1)).await?;
        referred.extend(commits.iter().flat_map(named_by));
    }
    let saved = newest.checkpoints.first().map(|record| record.step);
    let is_old_segment = |Listed { name, .. }: &Listed| {
        names::segment_parts(name).is_some_and(|(commit, _)| commit <= newest.number)
            && !referred.contains(name)
    };
    // The next ones may exist already. Their steps are higher, unless the learner has gone back to
    // an older checkpoint, and they were written after the newest commit.
    let committed = store.look_at(&names::commit(newest.number)).await?.map(|it| it.written);
    let is_old = |Listed { name, written, .. }: &Listed, newest: Option<u64>| {
        let step = names::folder_parts(name).map(|(step, _)| step);
        step.zip(newest).is_some_and(|(step, newest)| step < newest)
            && committed.is_some_and(|committed| *written < committed)
            && !names::folder_of(name).is_some_and(|folder| referred.contains(&folder))
    };
    let model = newest.model.as_ref().map(|model| model.step);
    let old = |listed: Vec<Listed>, is_old: &dyn Fn(&Listed) -> bool| {
        let old = listed.into_iter().filter(|listed| is_old(listed));
        old.map(|listed| listed.name).collect::<Vec<Path>>()
    };
    let segments = old(segments, &is_old_segment);
    let checkpoints = old(checkpoints, &|listed| is_old(listed, saved));
    let models = old(models, &|listed| is_old(listed, model));
    let removed = GarbageCounts {
        segments: segments.len(),
        checkpoints: checkpoints.len(),
        models: models.len(),
        ..removed
    };
    store.delete([segments, checkpoints, models].concat()).await?;
    Ok(removed)
}

/// Removes abandoned objects with which the store was tested, and returns their number.
///
/// A learner that begins tests the store with such objects. If they were removed meanwhile, it
/// would take the store for one that cannot keep two writers apart.
async fn remove_probes(store: &Store) -> Result<usize, StoreError> {
    let now = SystemTime::now();
    let is_abandoned =
        |listed: &Listed| now.duration_since(listed.written).is_ok_and(|age| age >= ABANDONED);
    let probes = store.list(&names::probes()).await?.into_iter().filter(is_abandoned);
    let probes: Vec<Path> = probes.map(|listed| listed.name).collect();
    let count = probes.len();
    store.delete(probes).await?;
    Ok(count)
}

/// The segment and the model that a commit refers to.
fn named_by(commit: &Commit) -> Vec<Path> {
    let segment = commit.segment.as_ref().map(|_| names::segment(commit.number, &commit.nonce));
    let model = commit.model.as_ref().map(|model| names::model(model.step, &model.sha256));
    segment.into_iter().chain(model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::{CheckpointRecord, Event};
    use crate::commit_log::AppendOutcome;

    #[tokio::test]
    async fn a_store_that_is_being_tested_keeps_what_it_is_tested_with() {
        let store = Store::open("memory://").unwrap();
        let first = Commit { nonce: "a".to_owned(), ..Commit::default() };
        let appended = CommitLog::new(store.clone()).append(&first).await.unwrap();
        assert_eq!(appended, AppendOutcome::Appended);
        store.put(&names::probe("b"), "first".into()).await.unwrap();
        assert_eq!(collect_garbage(&store).await.unwrap(), GarbageCounts::default());
        assert!(store.exists(&names::probe("b")).await.unwrap());
    }

    #[tokio::test]
    async fn a_checkpoint_of_a_lower_step_stays_while_it_is_written() {
        let store = Store::open("memory://").unwrap();
        let commit_log = CommitLog::new(store.clone());
        let saved = CheckpointRecord { step: 8, nonce: "x".to_owned(), commit: 0 };
        let first = Commit { nonce: "a".to_owned(), checkpoints: vec![saved], ..Commit::default() };
        assert_eq!(commit_log.append(&first).await.unwrap(), AppendOutcome::Appended);
        let written = names::checkpoint(4, "y").join("learner.safetensors");
        store.put(&written, "weights".into()).await.unwrap();
        assert_eq!(collect_garbage(&store).await.unwrap(), GarbageCounts::default());
        assert!(store.exists(&written).await.unwrap());
        // Its learner has been killed.
        let second = first.successor(Event::Opened, "b".to_owned());
        assert_eq!(commit_log.append(&second).await.unwrap(), AppendOutcome::Appended);
        let removed = collect_garbage(&store).await.unwrap();
        assert_eq!(removed, GarbageCounts { checkpoints: 1, ..GarbageCounts::default() });
    }

    #[tokio::test]
    async fn what_a_test_of_the_store_has_left_is_removed_once_it_is_old_without_a_run_too() {
        let home = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(home.path()).unwrap();
        let store = Store::open(url.as_str()).unwrap();
        for name in ["old", "new"] {
            store.put(&names::probe(name), "first".into()).await.unwrap();
        }
        let old = std::fs::File::open(home.path().join("probe/old")).unwrap();
        old.set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        let removed = collect_garbage(&store).await.unwrap();
        assert_eq!(removed, GarbageCounts { probes: 1, ..GarbageCounts::default() });
        assert!(!store.exists(&names::probe("old")).await.unwrap());
        assert!(store.exists(&names::probe("new")).await.unwrap());
    }
}

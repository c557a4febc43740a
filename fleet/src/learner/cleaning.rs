//! Removes what no commit refers to: what learners and other writers left that were killed or shut out.

use std::collections::HashSet;
use std::time::Duration;

use object_store::path::Path;

use crate::books::Books;
use crate::commit::Commit;
use crate::names;
use crate::store::{Leftovers, Store, StoreError};

/// Commits that are read together.
const BATCH: u64 = 256;
/// Half-written objects of this age are nobody's any more: no request takes so long.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// How many objects of each kind were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Segments of commits that were never entered.
    pub segments: usize,
    /// Objects of checkpoints.
    pub checkpoints: usize,
    /// Objects of models.
    pub models: usize,
    /// Keys with which the store was tried out.
    pub probes: usize,
    /// Objects of a folder that were half-written.
    pub partial: usize,
    /// Folders without anything.
    pub folders: usize,
}

/// Removes what no commit refers to. A learner may be at work: what it may be about to refer to stays.
///
/// # Errors
/// The store fails; what remains is for the next time.
pub async fn tidy(store: &Store) -> Result<Tidied, StoreError> {
    let Leftovers { partial, folders } = store.remove_leftovers(ABANDONED).await?;
    let tidied = Tidied { partial, folders, ..Tidied::default() };
    let books = Books::new(store.clone());
    // Listed first: what is written after it is newer than the commits that are read.
    let segments = store.list(&names::segments()).await?;
    let checkpoints = store.list(&names::checkpoints()).await?;
    let models = store.list(&names::models()).await?;
    let probes = store.list(&names::probes()).await?;
    let Some(newest) = books.newest().await? else { return Ok(tidied) };

    let kept = newest.checkpoints.iter().map(|it| names::checkpoint(it.step, &it.nonce));
    let mut referred: HashSet<Path> = kept.collect();
    // Of many commits only the names fit into memory.
    for begin in (0..=newest.number).step_by(BATCH as usize) {
        let commits = books.read_all(begin..(begin + BATCH).min(newest.number + 1)).await?;
        referred.extend(commits.iter().flat_map(named_by));
    }
    let saved = newest.checkpoints.first().map(|record| record.step);
    let is_old_segment = |name: &Path| {
        names::segment_parts(name).is_some_and(|(commit, _)| commit <= newest.number)
            && !referred.contains(name)
    };
    // The next ones may be there already: their steps are higher.
    let is_old = |name: &Path, newest: Option<u64>| {
        let step = names::folder_parts(name).map(|(step, _)| step);
        step.zip(newest).is_some_and(|(step, newest)| step < newest)
            && !folder(name).is_some_and(|folder| referred.contains(&folder))
    };
    let model = newest.model.as_ref().map(|model| model.step);
    let old = |listed: Vec<crate::store::Listed>, is_old: &dyn Fn(&Path) -> bool| {
        let names = listed.into_iter().map(|listed| listed.name);
        names.filter(|name| is_old(name)).collect::<Vec<Path>>()
    };
    let segments = old(segments, &is_old_segment);
    let checkpoints = old(checkpoints, &|name| is_old(name, saved));
    let models = old(models, &|name| is_old(name, model));
    let probes = old(probes, &|_| true);
    let tidied = Tidied {
        segments: segments.len(),
        checkpoints: checkpoints.len(),
        models: models.len(),
        probes: probes.len(),
        ..tidied
    };
    store.delete([segments, checkpoints, models, probes].concat()).await?;
    Ok(tidied)
}

/// The segment and the model of a commit.
fn named_by(commit: &Commit) -> Vec<Path> {
    let segment = commit.segment.as_ref().map(|_| names::segment(commit.number, &commit.nonce));
    let model = commit.model.as_ref().map(|model| names::model(model.step, &model.sha256));
    segment.into_iter().chain(model).collect()
}

/// The folder of an object two levels down.
fn folder(name: &Path) -> Option<Path> {
    let mut parts = name.parts();
    Some([parts.next()?, parts.next()?].into_iter().collect())
}

//! Files that are missing before others of their generation.
//!
//! A worker sends a file only when the previous one has arrived. So a missing file has existed and
//! has disappeared, by human action or a fault of the store, and whatever comes after it would wait
//! forever.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::inbox::Files;
use crate::marks::{FileStatus, Marks};
use crate::names::FileName;

/// How long a gap must last before it is reported. Listings may lag behind for a moment.
const TOLD_AFTER: Duration = Duration::from_secs(5 * 60);
/// How long a gap must last before it is skipped. It is skipped earlier only if the slot has a
/// newer process, because then nobody is left who could fill it.
const PASSED_AFTER: Duration = Duration::from_secs(60 * 60);

/// The first missing file of each generation that has one, and since when it has been missing.
#[derive(Debug, Default)]
pub(super) struct Gaps(BTreeMap<FileName, Instant>);

/// A gap that has lasted for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    /// The first missing file.
    pub missing: FileName,
    /// The first file that waits for it.
    pub waiting: FileName,
    /// Whether to continue without the missing files.
    pub is_over: bool,
}

impl Gaps {
    /// The gaps between taken and waiting files that have lasted for a while.
    pub fn look(&mut self, files: &Files, marks: &Marks) -> Vec<Gap> {
        let before = std::mem::take(&mut self.0);
        let mut lasting = Vec::new();
        for (slot, files) in files {
            let newest = files.last().map(|(name, _)| name.generation);
            let newest = newest.max(marks.of(slot).last().map(|mark| mark.generation));
            for (waiting, count) in gaps(files, marks) {
                let sequence = waiting.sequence - count;
                let missing = FileName { sequence, ..waiting.clone() };
                let since = before.get(&missing).copied().unwrap_or_else(Instant::now);
                self.0.insert(missing.clone(), since);
                let (lasts, is_replaced) = (since.elapsed(), newest > Some(waiting.generation));
                if lasts >= TOLD_AFTER {
                    let is_over = is_replaced || lasts >= PASSED_AFTER;
                    lasting.push(Gap { missing, waiting: waiting.clone(), is_over });
                }
            }
        }
        lasting
    }
}

/// The first file of each generation in a slot that waits for missing ones, and how many are
/// missing.
fn gaps<'a>(
    files: &'a [(FileName, u64)],
    marks: &'a Marks,
) -> impl Iterator<Item = (&'a FileName, u64)> {
    let generations = files.chunk_by(|(a, _), (b, _)| a.generation == b.generation);
    generations.filter_map(|files| {
        let names = files.iter().map(|(name, _)| name);
        let mut left = names.filter(|name| marks.status(name) != FileStatus::Taken);
        let first = left.next().filter(|name| marks.status(name) == FileStatus::Waits)?;
        Some((first, marks.missing(first)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(generation: u64, sequence: u64) -> FileName {
        FileName { slot: "a".parse().unwrap(), generation, sequence }
    }

    fn look(gaps: &mut Gaps, waiting: &[(u64, u64)], marks: &Marks) -> Vec<(u64, u64, bool)> {
        let files = waiting.iter().map(|&(generation, sequence)| (file(generation, sequence), 1));
        let files = Files::from([("a".parse().unwrap(), files.collect())]);
        let found = gaps.look(&files, marks).into_iter();
        found.map(|gap| (gap.missing.sequence, gap.waiting.sequence, gap.is_over)).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn gaps_are_told_of_after_a_while_and_passed_over_in_the_end() {
        let (mut gaps, mut marks) = (Gaps::default(), Marks::default());
        marks.take(&file(0, 0));
        let wait = |minutes: u64| tokio::time::advance(Duration::from_secs(60 * minutes));
        assert_eq!(look(&mut gaps, &[(0, 3), (0, 4)], &marks), []);
        wait(6).await;
        assert_eq!(look(&mut gaps, &[(0, 3), (0, 4)], &marks), [(1, 3, false)]);
        // If a listing includes it after all, timing starts over.
        assert_eq!(look(&mut gaps, &[(0, 1), (0, 3)], &marks), []);
        assert_eq!(look(&mut gaps, &[(0, 3)], &marks), []);
        wait(59).await;
        assert_eq!(look(&mut gaps, &[(0, 3)], &marks), [(1, 3, false)]);
        wait(1).await;
        assert_eq!(look(&mut gaps, &[(0, 3)], &marks), [(1, 3, true)]);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_process_that_has_been_replaced() {
        for by_file in [true, false] {
            let (mut gaps, mut marks) = (Gaps::default(), Marks::default());
            let mut waiting = vec![(0, 2)];
            if by_file {
                waiting.push((1, 0));
            } else {
                marks.take(&file(1, 0));
            }
            assert_eq!(look(&mut gaps, &waiting, &marks), []);
            tokio::time::advance(TOLD_AFTER).await;
            assert_eq!(look(&mut gaps, &waiting, &marks), [(0, 2, true)]);
        }
    }
}

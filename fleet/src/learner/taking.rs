//! How a learner takes files out of the inbox.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;

use super::gaps::Gap;
use super::state::{Learner, LearnerError, LearnerSettings};
use crate::commit::Event;
use crate::digest::sha256;
use crate::game_file::MAX_BYTES;
use crate::inbox::{self, BatchLimit, Files, Plan, Waiting};
use crate::intake::{self, Examiner, Expected, Fetched, IntakeResult};
use crate::marks::Marks;
use crate::names::{self, FileName, Slot};
use crate::segment;
use crate::store::{PartialListing, StoreError};

/// Number of files read concurrently.
const AT_ONCE: usize = 32;
/// Maximum number of strange objects set aside per commit.
const MAX_STRANGE: usize = 100;

/// What a cycle of the learner has taken.
#[derive(Debug)]
pub struct Taken<G> {
    /// The games that count, in order.
    pub games: Vec<G>,
    /// Number of files dealt with.
    pub files: usize,
    /// Number of files that have to wait for the next cycle.
    pub left: usize,
    /// Why files were refused.
    pub reasons: Vec<(FileName, String)>,
    /// Other problems, one line each: what the store refuses, and missing files. A problem that
    /// persists is repeated after some minutes.
    pub problems: Vec<String>,
}

impl Learner {
    /// Takes what is waiting in the inbox. Games that began with weights from before step `oldest`
    /// do not count; this limit never decreases, whatever is passed.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over. After a failure it is unknown whether
    /// the commit was entered. If not, the next call takes the same files; if so, the next call
    /// reports that this learner is shut out, and the learner that opens the commit log next finds
    /// the games among the past ones.
    pub async fn take_in<E: Examiner>(
        &mut self,
        examiner: &E,
        oldest: u64,
    ) -> Result<Taken<E::Game>, LearnerError> {
        let next = self.newest.number + 1;
        if self.commit_log.has(next).await? {
            return Err(LearnerError::Fenced(next));
        }
        self.report_health().await;
        let plan = self.plan().await?;
        self.delete(plan.again).await;
        if plan.take.is_empty() && plan.strange.is_empty() {
            self.announce_if_stale().await?;
            return Ok(self.nothing(plan.left));
        }
        let files = self.fetch(plan.take).await?;
        let mut commit = self.successor(Event::Taken);
        commit.oldest = commit.oldest.max(oldest);
        commit.turn = plan.turn;
        commit.refused.strange_files += plan.strange.len() as u64;
        let expected =
            Expected { run: &self.run, step: self.newest.step(), banned: &self.settings.banned };
        let mut result = intake::take(files, expected, &self.adopted, commit, examiner);
        if result.done.is_empty() && plan.strange.is_empty() {
            return Ok(self.nothing(plan.left));
        }
        self.write_segment(&mut result).await?;
        self.set_aside(&result.invalid, &plan.strange).await?;
        self.append_commit(result.commit).await?;
        self.remember_adopted();
        let done = result.done.iter().map(FileName::in_inbox);
        if !self.delete(done.chain(plan.strange.clone()).collect()).await {
            self.stuck.extend(plan.strange);
        }
        let reasons = result.invalid.into_iter().map(|(name, _, why)| (name, why)).collect();
        let (files, left) = (result.done.len(), plan.left + result.left);
        let problems = self.problems.take_unreported();
        Ok(Taken { games: result.games, files, left, reasons, problems })
    }

    fn nothing<G>(&mut self, left: usize) -> Taken<G> {
        let problems = self.problems.take_unreported();
        Taken { games: Vec::new(), files: 0, left, reasons: Vec::new(), problems }
    }

    /// Deletes objects, and returns whether they are gone. Whatever is left will be listed again.
    async fn delete(&mut self, names: Vec<Path>) -> bool {
        let deleted = self.store.delete(names).await;
        deleted.map_err(|error| self.problems.record(error)).is_ok()
    }

    async fn plan(&mut self) -> Result<Plan, LearnerError> {
        let PartialListing { listed, refused } =
            self.store.list_accessible(&names::inbox()).await?;
        refused.into_iter().for_each(|error| self.problems.record(error));
        let (mut files, mut strange) = inbox::sort(&listed);
        for (slot, files) in &mut files {
            strange.extend(self.set_aside_unclaimed(slot, files).await?);
        }
        let marks = self.marks_behind_gaps(&files).await?;
        let LearnerSettings { take_files: files_at_once, take_bytes: bytes, .. } = self.settings;
        let limit = BatchLimit { files: files_at_once, bytes };
        let turn = self.newest.turn.as_ref();
        let mut plan = inbox::plan(files, marks, turn, limit);
        plan.strange.extend(strange);
        // Objects already counted only need to be deleted.
        let stuck = plan.strange.extract_if(.., |name| self.stuck.contains(name));
        plan.again.extend(stuck);
        plan.strange.truncate(MAX_STRANGE);
        Ok(plan)
    }

    /// Keeps only the files whose process has claimed the slot, and returns the others.
    async fn set_aside_unclaimed(
        &mut self,
        slot: &Slot,
        files: &mut Vec<(FileName, u64)>,
    ) -> Result<Vec<Path>, StoreError> {
        let (mut known, mut strange) = (Vec::new(), Vec::new());
        for (name, size) in std::mem::take(files) {
            let is_known = self.newest.marks.knows(&name)
                || match self.is_claimed(slot, name.generation).await {
                    // The slot's turn comes when the store allows access.
                    Err(error @ StoreError::Refused { .. }) => {
                        self.problems.record(error);
                        return Ok(Vec::new());
                    }
                    is_claimed => is_claimed?,
                };
            if is_known {
                known.push((name, size));
            } else {
                strange.push(name.in_inbox());
            }
        }
        *files = known;
        Ok(strange)
    }

    /// How far files have been taken or never will be.
    async fn marks_behind_gaps(&mut self, files: &Files) -> Result<Marks, StoreError> {
        let mut marks = self.newest.marks.clone();
        for Gap { missing, waiting, is_over } in self.gaps.look(files, &marks) {
            let is_there = match self.store.exists(&missing.in_inbox()).await {
                Err(error @ StoreError::Refused { .. }) => {
                    self.problems.record(error);
                    true
                }
                is_there => is_there?,
            };
            if is_there {
                continue;
            }
            if is_over {
                self.problems.record(format!("{missing} is gone: {waiting} is taken without it"));
                marks.skip_to(&waiting);
            } else {
                self.problems.record(format!(
                    "{missing} is missing, though {waiting} has arrived after it: taken without it in an hour, or when \
                     the slot has a newer process"
                ));
            }
        }
        Ok(marks)
    }

    /// Whether a process has claimed this generation.
    async fn is_claimed(&mut self, slot: &Slot, generation: u64) -> Result<bool, StoreError> {
        let key = (slot.clone(), generation);
        let is_claimed = self.claimed.contains(&key)
            || self.store.exists(&names::claim(slot, generation)).await?;
        if is_claimed {
            self.claimed.insert(key);
        }
        Ok(is_claimed)
    }

    async fn fetch(&mut self, take: Vec<Waiting>) -> Result<Vec<Fetched>, StoreError> {
        let store = &self.store;
        let fetch = |waiting: Waiting| async move {
            let (mut bytes, mut refusal) = (None, None);
            if waiting.size <= MAX_BYTES {
                match store.get(&waiting.name.in_inbox(), MAX_BYTES).await {
                    // It has grown since it was listed.
                    Err(StoreError::TooLarge { .. }) => {}
                    // Its slot waits as if the file were not there; other slots do not.
                    Err(error @ StoreError::Refused { .. }) => refusal = Some(error),
                    found => bytes = found?,
                }
            }
            Ok::<_, StoreError>((Fetched { waiting, bytes }, refusal))
        };
        let fetched = futures_util::stream::iter(take).map(fetch).buffered(AT_ONCE);
        let (files, refusals): (Vec<_>, Vec<_>) =
            fetched.try_collect::<Vec<_>>().await?.into_iter().unzip();
        refusals.into_iter().flatten().for_each(|error| self.problems.record(error));
        Ok(files)
    }

    async fn write_segment<G>(&self, result: &mut IntakeResult<G>) -> Result<(), StoreError> {
        let IntakeResult { commit, segment, .. } = result;
        if let Some(record) = &mut commit.segment {
            let bytes = segment::encode(segment);
            record.sha256 = sha256(&bytes);
            self.store.put(&names::segment(commit.number, &commit.nonce), bytes).await?;
        }
        Ok(())
    }

    /// Keeps refused files, with the reason.
    async fn set_aside(
        &self,
        invalid: &[(FileName, Option<Bytes>, String)],
        strange: &[Path],
    ) -> Result<(), StoreError> {
        for (name, bytes, why) in invalid {
            if let Some(bytes) = bytes {
                self.store.put(&name.in_refused(), bytes.clone()).await?;
            }
            self.store.put(&name.reason(), Bytes::from(format!("{why}\n"))).await?;
        }
        for (number, name) in strange.iter().enumerate() {
            let why = format!("{name}: not put there by a worker that this run knows\n");
            let reason = names::refused_stranger(self.newest.number + 1, number);
            self.store.put(&reason, Bytes::from(why)).await?;
        }
        Ok(())
    }

    /// Requests believed lost may arrive late and overwrite the announcement to workers.
    async fn announce_if_stale(&mut self) -> Result<(), StoreError> {
        let told = self.commit_log.latest().await.ok().flatten();
        if !self.has_announced || told.is_none_or(|told| told != self.newest.latest()) {
            self.commit_log.announce(&self.newest).await?;
            self.has_announced = true;
        }
        Ok(())
    }

    /// Games that began before the oldest weights that count need not be remembered, since they do
    /// not count anyway.
    fn remember_adopted(&mut self) {
        let Learner { newest, adopted, .. } = self;
        adopted.retain(|_, &mut step| step >= newest.oldest);
        adopted.extend(newest.adopted.iter().map(|&seed| (seed, newest.step())));
    }
}

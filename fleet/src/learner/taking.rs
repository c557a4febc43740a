//! How a learner takes files out of the inbox.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};

use super::state::{Learner, LearnerError, LearnerSettings};
use crate::commit::Event;
use crate::digest::sha256;
use crate::game_file::MOST_BYTES;
use crate::inbox::{self, Measure, Plan, Waiting};
use crate::intake::{self, Account, Examiner, Expected, Fetched};
use crate::names::{self, FileName, Slot};
use crate::segment;
use crate::store::StoreError;

/// Files read at the same time.
const AT_ONCE: usize = 32;
/// Strange objects that a commit sets aside, at most.
const MOST_STRANGE: usize = 100;

/// What a cycle of the learner has taken.
#[derive(Debug)]
pub struct Taken<G> {
    /// The games that count, in the order in which they do.
    pub games: Vec<G>,
    /// Files that were dealt with.
    pub files: usize,
    /// Files that have to wait for the next cycle.
    pub left: usize,
    /// Why files were refused.
    pub reasons: Vec<(FileName, String)>,
}

impl Learner {
    /// Takes what waits in the inbox. Games that began with weights before step `oldest` do not count; it never
    /// decreases, whatever is given.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over. After a failure nobody knows whether the commit was entered.
    /// If not, the next call takes the same files; if so, it says that this learner is shut out, and the one that opens
    /// the books next finds the games among the past ones.
    pub async fn take_in<E: Examiner>(
        &mut self,
        examiner: &E,
        oldest: u64,
    ) -> Result<Taken<E::Game>, LearnerError> {
        let next = self.newest.number + 1;
        if self.books.has(next).await? {
            return Err(LearnerError::Fenced(next));
        }
        self.tell_health().await;
        let plan = self.plan().await?;
        // What is left of it is listed again.
        let _ = self.store.delete(plan.again.clone()).await;
        let nothing = Taken { games: Vec::new(), files: 0, left: plan.left, reasons: Vec::new() };
        if plan.take.is_empty() && plan.strange.is_empty() {
            self.see_that_workers_know().await?;
            return Ok(nothing);
        }
        let files = self.fetch(plan.take).await?;
        let mut commit = self.successor(Event::Taken);
        commit.oldest = commit.oldest.max(oldest);
        commit.turn = plan.turn;
        commit.refused.strange_files += plan.strange.len() as u64;
        let expected =
            Expected { run: &self.run, step: self.newest.step(), banned: &self.settings.banned };
        let mut account = intake::take(files, expected, &self.adopted, commit, examiner);
        if account.done.is_empty() && plan.strange.is_empty() {
            return Ok(nothing);
        }
        self.write_segment(&mut account).await?;
        self.set_aside(&account.invalid, &plan.strange).await?;
        self.enter(account.commit).await?;
        self.remember_adopted();
        let done = account.done.iter().map(FileName::in_inbox);
        let _ = self.store.delete(done.chain(plan.strange).collect()).await;
        let reasons = account.invalid.into_iter().map(|(name, _, why)| (name, why)).collect();
        let files = account.done.len();
        Ok(Taken { games: account.games, files, left: plan.left, reasons })
    }

    async fn plan(&mut self) -> Result<Plan, LearnerError> {
        let listed = self.store.list(&names::inbox()).await?;
        let (mut files, mut strange) = inbox::sort(&listed);
        for (slot, files) in &mut files {
            let mut known = Vec::new();
            for (name, size) in std::mem::take(files) {
                if self.newest.marks.knows(&name) || self.is_claimed(slot, name.generation).await? {
                    known.push((name, size));
                } else {
                    strange.push(name.in_inbox());
                }
            }
            *files = known;
        }
        let LearnerSettings { take_files: files_at_once, take_bytes: bytes, .. } = self.settings;
        let measure = Measure { files: files_at_once, bytes };
        let turn = self.newest.turn.as_ref();
        let mut plan = inbox::plan(files, self.newest.marks.clone(), turn, measure);
        plan.strange.extend(strange);
        plan.strange.truncate(MOST_STRANGE);
        Ok(plan)
    }

    /// Whether a process has claimed to be this generation.
    async fn is_claimed(&mut self, slot: &Slot, generation: u64) -> Result<bool, StoreError> {
        let key = (slot.clone(), generation);
        let is_claimed = self.claimed.contains(&key)
            || self.store.exists(&names::claim(slot, generation)).await?;
        if is_claimed {
            self.claimed.insert(key);
        }
        Ok(is_claimed)
    }

    async fn fetch(&self, take: Vec<Waiting>) -> Result<Vec<Fetched>, StoreError> {
        let fetch = |waiting: Waiting| async move {
            let bytes = if waiting.size > MOST_BYTES {
                None
            } else {
                match self.store.get(&waiting.name.in_inbox(), MOST_BYTES).await {
                    // It has grown since it was listed.
                    Err(StoreError::TooLarge { .. }) => None,
                    other => other?,
                }
            };
            Ok(Fetched { waiting, bytes })
        };
        futures_util::stream::iter(take).map(fetch).buffered(AT_ONCE).try_collect().await
    }

    async fn write_segment<G>(&self, account: &mut Account<G>) -> Result<(), StoreError> {
        let Account { commit, segment, .. } = account;
        if let Some(record) = &mut commit.segment {
            let bytes = segment::encode(segment);
            record.sha256 = sha256(&bytes);
            self.store.put(&names::segment(commit.number, &commit.nonce), bytes).await?;
        }
        Ok(())
    }

    /// Keeps what is refused, with the reason.
    async fn set_aside(
        &self,
        invalid: &[(FileName, Option<Bytes>, String)],
        strange: &[object_store::path::Path],
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

    /// Requests that were believed lost may arrive late and overwrite what workers are told.
    async fn see_that_workers_know(&mut self) -> Result<(), StoreError> {
        let told = self.books.latest().await.ok().flatten();
        if !self.has_told || told.is_none_or(|told| told != self.newest.latest()) {
            self.books.tell(&self.newest).await?;
            self.has_told = true;
        }
        Ok(())
    }

    /// Games that began before the oldest weights that count need not be known: they do not count anyway.
    fn remember_adopted(&mut self) {
        let Learner { newest, adopted, .. } = self;
        adopted.retain(|_, &mut step| step >= newest.oldest);
        adopted.extend(newest.adopted.iter().map(|&seed| (seed, newest.step())));
    }
}

//! A run in an object store, as its learner sees it: adapts the commit log of [`fleet`] to a
//! [`Source`] of [`train`].

use fleet::blocking::AsyncRuntime;
use fleet::{Examiner, Learner, PastGames, Publication, Saved, Taken};
use selfplay::TrainingRecord;
use train::{
    Archive, Arrived, Counted, FinishedGame, Intake, Published, SavedFile, Source, SourceError,
};

/// Number of refusals and problems per check that are reported in full.
const MAX_REPORTED: usize = 3;

/// Read access to a run in an object store; `intake` decides which of its games can be learnt from.
pub struct StoreArchive {
    runtime: AsyncRuntime,
    archive: fleet::Archive,
    examiner: GameExaminer,
}

impl StoreArchive {
    /// A view up to the newest commit that `archive` has.
    pub fn new(runtime: &AsyncRuntime, archive: fleet::Archive, intake: Intake) -> StoreArchive {
        StoreArchive { runtime: runtime.clone(), archive, examiner: GameExaminer(intake) }
    }
}

/// Games in an object store.
pub struct StoreSource {
    runtime: AsyncRuntime,
    learner: Learner,
    /// The state when the learner opened the commit log.
    archive: StoreArchive,
}

impl StoreSource {
    /// Games from the commit log kept by `learner`; `intake` decides which can be learnt from.
    pub fn new(runtime: &AsyncRuntime, learner: Learner, intake: Intake) -> StoreSource {
        let archive = StoreArchive::new(runtime, learner.archive(), intake);
        StoreSource { runtime: runtime.clone(), learner, archive }
    }

    /// The mark after everything that has been taken.
    fn mark(&self) -> u64 {
        self.learner.newest().number + 1
    }
}

/// Accepts what the run can learn from.
struct GameExaminer(Intake);

impl Examiner for GameExaminer {
    type Game = FinishedGame;

    fn examine(&self, game: TrainingRecord) -> Result<FinishedGame, String> {
        self.0.examine(game)
    }
}

/// The first of these lines, and how many more there are.
fn first(lines: Vec<String>) -> impl Iterator<Item = String> {
    let more = lines.len().saturating_sub(MAX_REPORTED);
    lines.into_iter().take(MAX_REPORTED).chain((more > 0).then(|| format!("and {more} more")))
}

impl Archive for StoreArchive {
    fn counted(&self) -> Counted {
        let newest = self.archive.newest();
        Counted { positions: newest.positions, evaluations: newest.evaluations }
    }

    fn past(
        &mut self,
        positions: u64,
        from: u64,
        take: &mut dyn FnMut(Arrived),
    ) -> Result<(), SourceError> {
        let take = |PastGames { commit, games, damage }| {
            let refusals = damage.map(|damage| format!("{damage}: its games are not learnt from"));
            let refusals = refusals.into_iter().collect();
            take(Arrived { below: commit + 1, games, is_more_left: false, refusals });
        };
        Ok(self.runtime.wait(self.archive.past_games(&self.examiner, positions, from, take))?)
    }

    fn saved(&self) -> Vec<u64> {
        self.archive.newest().checkpoints.iter().map(|checkpoint| checkpoint.step).collect()
    }

    fn read_saved(&mut self, place: usize, name: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let checkpoints = &self.archive.newest().checkpoints;
        let Some(checkpoint) = checkpoints.get(place) else { return Ok(None) };
        let saved = self.runtime.wait(self.archive.saved(checkpoint, name))?;
        Ok(saved.map(|bytes| bytes.to_vec()))
    }
}

impl Source for StoreSource {
    fn archive(&mut self) -> &mut dyn Archive {
        &mut self.archive
    }

    fn published(&self) -> u64 {
        self.learner.newest().step()
    }

    fn evaluations(&self) -> u64 {
        self.learner.newest().evaluations
    }

    fn take(&mut self, oldest: u64) -> Result<Arrived, SourceError> {
        let taken = self.runtime.wait(self.learner.take_in(&self.archive.examiner, oldest))?;
        let Taken { games, files, left, reasons, problems } = taken;
        let reasons = reasons.into_iter().map(|(name, why)| format!("refused: {name}: {why}"));
        let refusals = first(reasons.collect()).chain(first(problems)).collect();
        // `left` includes files that wait for missing ones; those alone are no reason to hurry.
        Ok(Arrived { below: self.mark(), games, is_more_left: files > 0 && left > 0, refusals })
    }

    fn publish(&mut self, weights: Published) -> Result<(), SourceError> {
        let new = Publication {
            step: weights.step,
            weights: weights.weights.into(),
            card: weights.card,
            kinds: weights.kinds,
            simulations: weights.simulations,
            phase: weights.phase,
            samples: weights.samples,
            samples_per_second: weights.samples_per_second,
        };
        Ok(self.runtime.wait(self.learner.publish(new))?)
    }

    fn save(&mut self, step: u64, files: Vec<SavedFile>) -> Result<(), SourceError> {
        let saved = |SavedFile { name, bytes }| Saved { name, bytes: bytes.into() };
        let saved = files.into_iter().map(saved).collect();
        Ok(self.runtime.wait(self.learner.save(step, saved))?)
    }

    fn hold(&mut self, hold: bool) -> Result<(), SourceError> {
        Ok(self.runtime.wait(self.learner.hold(hold))?)
    }

    fn end(&mut self, ended: bool) -> Result<(), SourceError> {
        Ok(self.runtime.wait(self.learner.end(ended))?)
    }
}

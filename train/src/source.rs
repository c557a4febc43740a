//! Where a run's games come from and its weights go to when others play for it.

use std::error::Error;

use crate::targets::FinishedGame;

/// An error of a source.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Read access to a run whose games are played by others.
pub trait Archive: Send {
    /// What has been counted so far.
    fn counted(&self) -> Counted;

    /// Passes games that have been counted to `take`, oldest first: enough of the latest that it
    /// holds this many positions, and everything from the mark `from` on. Of those before the mark,
    /// what cannot be read is left out, and told as a refusal.
    ///
    /// # Errors
    /// The source fails, or games from the mark on cannot be read.
    fn past(
        &mut self,
        positions: u64,
        from: u64,
        take: &mut dyn FnMut(Arrived),
    ) -> Result<(), SourceError>;

    /// Training steps of the saved checkpoints, newest first. A run can go on from any of them.
    fn saved(&self) -> Vec<u64>;

    /// A file of the checkpoint at this place among them; `None` if it has no such file.
    ///
    /// # Errors
    /// The source fails.
    fn read_saved(&mut self, place: usize, name: &str) -> Result<Option<Vec<u8>>, SourceError>;
}

/// Games played by others, and the accounts of them, which are authoritative: a learner that starts
/// continues from what they say.
pub trait Source: Send {
    /// The state of the run when the source was opened.
    fn archive(&mut self) -> &mut dyn Archive;

    /// Training step of the newest weights that were published; 0 before there are any.
    fn published(&self) -> u64;

    /// Evaluations in all games counted so far.
    fn evaluations(&self) -> u64;

    /// Counts the games that have arrived, if any. Games that began with weights from before step
    /// `oldest` do not count.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn take(&mut self, oldest: u64) -> Result<Arrived, SourceError>;

    /// Publishes weights for those who play.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn publish(&mut self, weights: Published) -> Result<(), SourceError>;

    /// Saves a checkpoint that includes everything counted so far.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn save(&mut self, step: u64, files: Vec<SavedFile>) -> Result<(), SourceError>;

    /// Tells those who play to wait (`true`) or to continue.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn hold(&mut self, hold: bool) -> Result<(), SourceError>;

    /// Tells those who play that the run has ended (`true`) or has not.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn end(&mut self, ended: bool) -> Result<(), SourceError>;
}

/// What a source has counted so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Positions to learn from.
    pub positions: u64,
    /// Evaluations spent on them.
    pub evaluations: u64,
}

/// Games counted together.
pub struct Arrived {
    /// The mark after them: anything later has this mark or a higher one.
    pub below: u64,
    /// The games, in order.
    pub games: Vec<FinishedGame>,
    /// Whether more games are waiting.
    pub is_more_left: bool,
    /// Refused games or files, one line each.
    pub refusals: Vec<String>,
}

/// Weights for those who play.
#[derive(Debug, Clone)]
pub struct Published {
    /// Training step.
    pub step: u64,
    /// The weights, as safetensors.
    pub weights: Vec<u8>,
    /// The model's card.
    pub card: String,
    /// The kinds of games, in a checkpoint's format.
    pub kinds: String,
    /// Simulations per search.
    pub simulations: u32,
    /// Number of completed learning phases.
    pub phase: u64,
    /// Samples that have been learnt from.
    pub samples: u64,
    /// Samples per second during the last learning; `None` before the first.
    pub samples_per_second: Option<f64>,
}

/// A file of a checkpoint.
#[derive(Debug, Clone)]
pub struct SavedFile {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

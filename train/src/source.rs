//! Where a run's games come from if others play them, and where its weights go.

use std::error::Error;

use crate::targets::FinishedGame;

/// What a source fails with.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// What has become of a run whose games others play, for whoever only reads it.
pub trait Archive: Send {
    /// What has been counted so far.
    fn counted(&self) -> Counted;

    /// Gives what was counted last to `take`, the oldest first: back to where it holds this many positions, and
    /// everything from the mark `from` on.
    ///
    /// # Errors
    /// The source fails.
    fn past(
        &mut self,
        positions: u64,
        from: u64,
        take: &mut dyn FnMut(Arrived),
    ) -> Result<(), SourceError>;

    /// Training step of the newest checkpoint that was kept.
    fn saved(&self) -> Option<u64>;

    /// A file of that checkpoint; `None` if it has no such file.
    ///
    /// # Errors
    /// The source fails.
    fn read_saved(&mut self, name: &str) -> Result<Option<Vec<u8>>, SourceError>;
}

/// Games that others play, and the books about them. The books are the truth: a learner that starts goes on from what
/// they say.
pub trait Source: Send {
    /// What had become of the run when the source was opened.
    fn archive(&mut self) -> &mut dyn Archive;

    /// Training step of the newest weights that were published; 0 before there are any.
    fn published(&self) -> u64;

    /// Evaluations of all games that have been counted by now.
    fn evaluations(&self) -> u64;

    /// Counts what has arrived, which may be nothing. Games that began with weights before step `oldest` do not count.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn take(&mut self, oldest: u64) -> Result<Arrived, SourceError>;

    /// Gives weights to those who play.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn publish(&mut self, weights: Published) -> Result<(), SourceError>;

    /// Keeps a checkpoint, in which everything is that has been counted.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn save(&mut self, step: u64, files: Vec<SavedFile>) -> Result<(), SourceError>;

    /// Tells those who play to wait, or to go on.
    ///
    /// # Errors
    /// The source fails, or another learner has taken over.
    fn hold(&mut self, hold: bool) -> Result<(), SourceError>;

    /// Tells those who play that the run is over, or that it is not.
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
    /// Evaluations that they have cost.
    pub evaluations: u64,
}

/// Games that have been counted together.
pub struct Arrived {
    /// The mark after them: what comes later has this mark or a higher one.
    pub below: u64,
    /// The games, in order.
    pub games: Vec<FinishedGame>,
    /// Whether more waits.
    pub is_more_left: bool,
    /// What was refused, in a line each.
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
    /// The kinds of games, as a checkpoint has them.
    pub kinds: String,
    /// Simulations of each search.
    pub simulations: u32,
    /// Phases of learning that are done.
    pub phase: u64,
    /// Samples that have been learnt from.
    pub samples: u64,
    /// Samples a second while it was last learnt; `None` before.
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

//! A run in progress: the state shared by its parts.

use std::sync::Arc;

use models::{Device, Learner, Precision, Server};
use selfplay::SelfPlay;

use super::games::Games;
use super::rules::RunRules;
use super::skip_notice::SkipNotice;
use crate::clock::Clock;
use crate::curves::Curves;
use crate::progress::Progress;
use crate::{RunConfig, RunFolder, RunState, TrainError};

/// Where a run computes and what it displays. This does not affect what is learnt.
#[derive(Debug, Clone, Copy)]
pub struct TrainingOptions {
    /// Where the network runs.
    pub device: Device,
    /// Arithmetic of the network in self-play and learning.
    pub precision: Precision,
    /// Whether to show no progress.
    pub quiet: bool,
}

/// A run in progress.
pub struct Training {
    pub(super) folder: RunFolder,
    pub(super) config: RunConfig,
    pub(super) options: TrainingOptions,
    /// Whether an earlier session has got as far as a checkpoint of the run's own.
    pub(super) is_resumed: bool,
    pub(super) rules: Arc<RunRules>,
    pub(super) state: RunState,
    pub(super) games: Games,
    pub(super) self_play: SelfPlay,
    pub(super) learner: Learner,
    /// Evaluates with the learnt weights.
    pub(super) server: Server,
    pub(super) curves: Curves,
    pub(super) progress: Progress,
    pub(super) clock: Clock,
    /// Minimum number of times that each position is learnt from, on average, however many are
    /// recorded.
    pub(super) min_reuse: f32,
    pub(super) skip_notice: SkipNotice,
    /// Whether the run may go back to an earlier checkpoint if it has become weaker.
    pub(super) may_revert: bool,
}

impl Training {
    /// Fraction of the run that is complete.
    pub(super) fn done(&self) -> f32 {
        self.config.budget.progress(self.state.positions, self.clock.seconds())
    }

    /// Saves the current state of the run, with the network that plays.
    pub(super) fn checkpoint(&mut self) -> Result<(), TrainError> {
        self.state.seconds = self.clock.seconds();
        let card = self.config.card(self.state.step)?;
        let learner = &self.learner;
        self.folder.save(&self.state, |folder| -> Result<(), TrainError> {
            learner.export(folder, &card)?;
            learner.save(&RunFolder::learner_file(folder))?;
            Ok(())
        })
    }
}

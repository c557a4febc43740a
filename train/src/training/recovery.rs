//! Recovery of a run from non-finite losses, from a network that has become weaker, and from
//! damaged files.

use std::path::{Path, PathBuf};

use models::{Learner, ModelError, Rated};

use super::state::Training;
use crate::progress::Progress;
use crate::{RunError, RunFolder, RunState, TrainError};

/// Number of rollbacks before a run gives up, unless it gains between them. Each halves the learning
/// rate.
const ROLLBACKS: u32 = 3;

impl Training {
    /// Fraction of the configured learning rate that is left after the rollbacks that count.
    pub(super) fn rate_factor(&self) -> f64 {
        0.5_f64.powi(self.state.rollbacks as i32)
    }

    /// Goes back to the last good checkpoint after a non-finite loss. The recorded games stay, but
    /// are learnt from in a different order.
    pub(super) fn roll_back(&mut self, error: ModelError) -> Result<(), TrainError> {
        if self.state.rollbacks >= ROLLBACKS {
            return Err(TrainError::Diverged { times: ROLLBACKS, error });
        }
        let saved = restore_newest(&self.folder, &mut self.learner, &self.progress)?;
        let Some(saved) = saved else { return Err(error.into()) };
        self.state.step = saved.step;
        self.state.rollbacks += 1;
        self.progress.line(&format!(
            "{error}: back to step {} with {} of the learning rate",
            saved.step,
            self.rate_factor()
        ));
        Ok(())
    }

    /// Goes back to the last rated checkpoint, because the network has become weaker since. Returns
    /// whether it could.
    pub(super) fn revert_to_rated(
        &mut self,
        better: Rated,
        difference: f64,
    ) -> Result<bool, TrainError> {
        let (now, done) = (self.state.step, self.done());
        let file = RunFolder::learner_file(&self.folder.checkpoint(better.step));
        let lost =
            format!("  step {now} is {:.0} Elo weaker than step {}", -difference, better.step);
        if !self.may_revert || self.state.rollbacks >= ROLLBACKS || !file.exists() {
            self.progress.line(&format!("{lost}: no way back is left, going on"));
            return Ok(false);
        }
        match self.learner.restore(&file) {
            // The learner is as it was. Stopping would not help: a resumed run would come here again.
            Err(error) if error.is_damage() => {
                self.progress.line(&format!("{lost}: no way back is left ({error}), going on"));
                return Ok(false);
            }
            restored => restored?,
        }
        // Try again only when the next match is due.
        if let Some(rated) = self.state.rated.last_mut() {
            rated.progress = done;
        }
        self.folder.remove_after(better.step)?;
        self.state.step = better.step;
        self.state.rollbacks += 1;
        self.server.replace(self.learner.playing_network()?)?;
        let rate = self.rate_factor();
        self.progress.line(&format!("{lost}: back there with {rate} of the learning rate"));
        Ok(true)
    }

    /// Doubles the learning rate again, up to the configured one, after a certain gain: the loss
    /// before may have been an accident of a network that had hardly learnt, and a rate that is too
    /// high only leads to another rollback.
    pub(super) fn forgive_rollback(&mut self) {
        if self.state.rollbacks > 0 {
            self.state.rollbacks -= 1;
            let rate = self.rate_factor();
            self.progress.line(&format!("  stronger again: on with {rate} of the learning rate"));
        }
    }
}

/// Restores the learner from the newest intact checkpoint, and sets aside the damaged ones after
/// it. Does nothing if the run has no checkpoint yet.
///
/// # Errors
/// The error of the newest checkpoint if none is intact, or if it cannot be read for a reason other
/// than its contents.
pub(super) fn restore_newest(
    folder: &RunFolder,
    learner: &mut Learner,
    progress: &Progress,
) -> Result<Option<RunState>, TrainError> {
    let mut damaged: Vec<(PathBuf, TrainError)> = Vec::new();
    for checkpoint in folder.resumable()? {
        match restore(&checkpoint, learner) {
            Ok(state) => {
                for (damaged, error) in damaged {
                    let aside = folder.set_aside(&damaged)?;
                    let (aside, step) = (aside.display(), state.step);
                    progress.line(&format!("{error}: set aside as {aside}, back to step {step}"));
                }
                return Ok(Some(state));
            }
            Err(error) if is_damage(&error) => damaged.push((checkpoint, error)),
            Err(error) => return Err(error),
        }
    }
    match damaged.into_iter().next() {
        Some((_, error)) => Err(error),
        // Starting over here would lose what the run has learnt.
        None if folder.has_checkpoint()? => {
            Err(RunError::NothingToResume(folder.root().to_owned()).into())
        }
        None => Ok(None),
    }
}

fn restore(checkpoint: &Path, learner: &mut Learner) -> Result<RunState, TrainError> {
    let state = RunFolder::state(checkpoint)?;
    learner.restore(&RunFolder::learner_file(checkpoint))?;
    Ok(state)
}

/// Whether the error means that a file is damaged, so that another checkpoint may be intact.
pub(super) fn is_damage(error: &TrainError) -> bool {
    matches!(error, TrainError::Run(RunError::Damaged { .. }))
        || matches!(error, TrainError::Model(error) if error.is_damage())
}

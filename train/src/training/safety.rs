//! What a run does about its own mistakes: matches against its past, and ways back.

use std::path::{Path, PathBuf};

use models::{Client, Learner, ModelError, Server, ServerSettings};

use super::{TrainError, Training};
use crate::history::AGAINST;
use crate::progress::Progress;
use crate::{Rated, RunError, RunFolder, RunState, rating, suite};

/// Times that a run goes back before it gives up. Each halves the learning rate.
const ROLLBACKS: u32 = 3;

impl Training {
    /// Share of the configured learning rate that is left after all rollbacks.
    pub(super) fn rate_left(&self) -> f64 {
        0.5_f64.powi(self.state.rollbacks as i32)
    }

    /// Goes back to the last good checkpoint after a loss that is no number. The recorded games stay, and are learnt
    /// from in another order.
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
            self.rate_left()
        ));
        Ok(())
    }

    /// Plays the match against the last rated checkpoint, if it is due.
    pub(super) fn rate(&mut self, last: bool) -> Result<(), TrainError> {
        let settings = &self.config.evaluation;
        let Some(&against) = self.state.rated.last() else { return Ok(()) };
        let done = self.done();
        let Some(next) = settings.next_match(against.progress) else { return Ok(()) };
        if self.state.step <= against.step || (done < next && !last) {
            return Ok(());
        }
        self.progress.show(done, "rating: a match against an earlier checkpoint");
        let opponent = Server::start(
            models::load(&self.folder.checkpoint(against.step), Some(&self.rules))?,
            ServerSettings::new(self.options.device, self.options.precision),
        )?;
        let seed = self.config.seed ^ self.state.step;
        let mut players: [Client; 2] = [self.server.client(), opponent.client()];
        let gain = rating::elo_gain(&self.panel, settings, &mut players, seed)?;
        let positions = suite::positions(&self.rules, settings.suite);
        let agreement = suite::agreement(&mut players, &positions)?;
        // Nothing is gained by going back to the untrained network, which the first steps may well be weaker than.
        let guarded = settings.largest_loss > 0.0 && against.step > 0;
        if guarded && gain.high < -settings.largest_loss {
            return self.give_up(against, gain.difference);
        }
        let elo = against.elo + gain.difference;
        let error = (gain.high - gain.low) / 2.0;
        self.state.rated.push(Rated { step: self.state.step, progress: done, elo, error });
        self.progress.line(&format!(
            "  Elo {elo:+.0} ({:+.0} over step {}, {:+.0} to {:+.0})",
            gain.difference, against.step, gain.low, gain.high
        ));
        let evaluations = self.state.evaluations as f64;
        let mut values = vec![("elo", elo), ("run/evaluations", evaluations)];
        if !positions.is_empty() {
            values.push(("policy/agreement_with_last", agreement));
        }
        let against = self.elo_against_references(seed)?;
        values.extend(against.iter().map(|(name, elo)| (name.as_str(), *elo)));
        self.curves.write(self.state.step, &values).map_err(TrainError::Log)
    }

    /// Elo over each reference player, with the name of its curve.
    fn elo_against_references(&self, seed: u64) -> Result<Vec<(String, f64)>, TrainError> {
        let settings = &self.config.evaluation;
        let mut list = Vec::new();
        for name in &settings.references {
            self.progress.show(self.done(), &format!("rating: a match against {name}"));
            let reference = rating::reference(name)?;
            let client = self.server.client();
            let elo = rating::elo_against(&self.panel, settings, client, reference, seed)?;
            self.progress.line(&format!(
                "  Elo {:+.0} over {name} ({:+.0} to {:+.0})",
                elo.difference, elo.low, elo.high
            ));
            list.push((format!("{AGAINST}{name}"), elo.difference));
        }
        Ok(list)
    }

    /// Goes back to the last rated checkpoint, because the network has become weaker since.
    pub(super) fn give_up(&mut self, better: Rated, difference: f64) -> Result<(), TrainError> {
        let now = self.state.step;
        let file = RunFolder::learner_file(&self.folder.checkpoint(better.step));
        let lost =
            format!("  step {now} is {:.0} Elo weaker than step {}", -difference, better.step);
        // Tried again only when the next match is due.
        if let Some(rated) = self.state.rated.last_mut() {
            rated.progress =
                self.config.budget.progress(self.state.positions, self.clock.seconds());
        }
        if self.state.rollbacks >= ROLLBACKS || !file.exists() {
            self.progress.line(&format!("{lost}: no way back is left, going on"));
            return Ok(());
        }
        self.learner.restore(&file)?;
        self.folder.remove_after(better.step)?;
        self.state.step = better.step;
        self.state.rollbacks += 1;
        self.server.replace(self.learner.playing_network()?)?;
        let rate = self.rate_left();
        self.progress.line(&format!("{lost}: back there with {rate} of the learning rate"));
        Ok(())
    }
}

/// Takes the learner to the newest checkpoint that is whole, and sets aside the damaged ones after it. Nothing is done
/// where the run has no checkpoint yet.
///
/// # Errors
/// That of the newest checkpoint if none is whole, or it cannot be read for another reason than its contents.
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
    damaged.into_iter().next().map_or(Ok(None), |(_, error)| Err(error))
}

fn restore(checkpoint: &Path, learner: &mut Learner) -> Result<RunState, TrainError> {
    let state = RunFolder::state(checkpoint)?;
    learner.restore(&RunFolder::learner_file(checkpoint))?;
    Ok(state)
}

/// Whether a file holds something else than what was written, so that another checkpoint may be better.
fn is_damage(error: &TrainError) -> bool {
    matches!(
        error,
        TrainError::Run(RunError::Damaged { .. })
            | TrainError::Model(ModelError::Damaged(_) | ModelError::BadWeights { .. })
    )
}

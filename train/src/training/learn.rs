//! Learning from recorded games, and diagnostics of the network.

use std::time::{Duration, Instant};

use models::{Head, Losses, ModelError, TrainingBatch};

use super::state::Training;
use crate::TrainError;
use crate::replay::Windows;
use crate::replay::shuffle_targets;

/// Minimum and maximum numbers of positions for diagnostics, and the maximum number of batches.
const EXAMINED_POSITIONS: (u64, u64) = (128, 1024);
const EXAMINED_BATCHES: usize = 4;
/// One sample for diagnostics to this many that are learnt from. A larger share would cost short
/// phases, as in fine-tuning, a noticeable part of their time.
const SAMPLES_PER_EXAMINED: u64 = 100;

/// Number of positions to examine after learning from this many samples in batches of this size.
fn examined(samples: u64, batch: usize) -> usize {
    let (least, most) = EXAMINED_POSITIONS;
    let count = (samples / SAMPLES_PER_EXAMINED).clamp(least, most) as usize;
    count.min(EXAMINED_BATCHES * batch)
}

/// Statistics of a period of learning.
pub(super) struct LearningStats {
    /// Mean over its steps.
    pub losses: Losses,
    /// Samples in all of them.
    pub samples: u64,
    /// Learning rate of the last step.
    pub rate: f64,
    /// Time per step.
    pub step: Duration,
    /// Time to draw and encode a batch with nothing else running.
    pub draw: Duration,
}

/// What determines the batch of a step, apart from the games.
#[derive(Clone, Copy)]
struct BatchSampler {
    batch: usize,
    surprise: f32,
    shuffle_targets: bool,
    seed: u64,
    rollbacks: u32,
}

impl BatchSampler {
    fn sample(self, windows: &Windows, step: u64) -> Option<TrainingBatch> {
        let order = step + (u64::from(self.rollbacks) << 40);
        let seed = self.seed ^ order.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let mut batch = windows.draw(self.batch, self.surprise, seed)?;
        if self.shuffle_targets {
            shuffle_targets(&mut batch);
        }
        Some(batch)
    }
}

impl Training {
    /// Takes the learning steps that are due, and publishes the averaged weights.
    pub(super) fn learn_and_publish(&mut self) -> Result<Option<LearningStats>, TrainError> {
        let learnt = self.learn()?;
        self.server.replace(self.learner.playing_network()?)?;
        Ok(learnt)
    }

    /// Takes the learning steps due for the recorded positions, retrying from an earlier checkpoint
    /// if they fail.
    pub(super) fn learn(&mut self) -> Result<Option<LearningStats>, TrainError> {
        loop {
            match self.take_due_steps() {
                Err(TrainError::Model(error @ ModelError::NotFinite { .. })) => {
                    self.roll_back(error)?;
                }
                other => return other,
            }
        }
    }

    fn take_due_steps(&mut self) -> Result<Option<LearningStats>, TrainError> {
        self.skip_excess_steps();
        let learning = self.config.learning.clone();
        let first = self.state.step;
        let due = self.state.steps_due(&learning).min(first.saturating_add(learning.max_steps()));
        let (progress, left) = (self.done(), self.rate_factor());
        let sampler = self.sampler();
        let start = Instant::now();
        let mut next =
            (first < due).then(|| sampler.sample(&self.games.windows, first + 1)).flatten();
        let draw = start.elapsed();
        let (mut losses, mut rate) = (Losses::default(), 0.0);
        while let Some(batch) = next.take() {
            let step = self.state.step + 1;
            let after = (step < due).then_some(step + 1);
            rate = learning.rate_of_step(step, progress) * left;
            let (taken, drawn) = self.step_and_draw(&batch, rate, sampler, after);
            losses.add(&taken?);
            next = drawn;
            self.state.step = step;
            let done = step - first;
            if done.is_multiple_of(8) {
                self.progress
                    .show(self.done(), &format!("learning: step {done} of {}", due - first));
            }
        }
        let steps = self.state.step - first;
        if steps == 0 {
            return Ok(None);
        }
        self.learner.check()?;
        losses.scale(1.0 / steps as f32);
        let time = start.elapsed() / steps as u32;
        let samples = steps * learning.batch as u64;
        Ok(Some(LearningStats { losses, samples, rate, step: time, draw }))
    }

    /// Skips steps if too many are due.
    pub(super) fn skip_excess_steps(&mut self) {
        let skipped = self.state.skip_excess_steps(&self.config.learning, self.min_reuse);
        if skipped > 0 && self.skip_notice.skipped() {
            self.progress.line(&format!(
                "too many learning steps are owed: {skipped} are skipped (told once, until a phase skips none)"
            ));
        }
    }

    /// Takes a step while the next batch is drawn, so that the device does not have to wait.
    fn step_and_draw(
        &mut self,
        batch: &TrainingBatch,
        rate: f64,
        sampler: BatchSampler,
        next: Option<u64>,
    ) -> (Result<Losses, ModelError>, Option<TrainingBatch>) {
        let (learner, windows, mut drawn) = (&mut self.learner, &self.games.windows, None);
        // Not a new thread per step: its memory would stay with the allocator, which keeps a pool
        // per thread.
        let losses = rayon::in_place_scope(|scope| {
            if let Some(step) = next {
                let drawn = &mut drawn;
                scope.spawn(move |_| *drawn = sampler.sample(windows, step));
            }
            learner.step(batch, rate)
        });
        (losses, drawn)
    }

    fn sampler(&self) -> BatchSampler {
        let learning = &self.config.learning;
        BatchSampler {
            batch: learning.batch,
            surprise: learning.surprise,
            shuffle_targets: learning.shuffle_targets,
            seed: self.config.seed,
            rollbacks: self.state.rollbacks,
        }
    }

    /// Diagnostics on games that the network learns from, and on games that it has never seen,
    /// after learning from this many samples.
    pub(super) fn diagnose(&self, samples: u64) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let count = examined(samples, self.config.learning.batch);
        let (size, seed) = (self.rules.own.size, self.config.seed ^ self.state.step);
        let Some(seen) = self.games.windows.sample(size, count, seed) else {
            return Ok(Vec::new());
        };
        let seen = self.learner.diagnose(&seen)?;
        let mut values = vec![
            ("policy/entropy", f64::from(seen.policy_entropy)),
            ("network/dead_units", f64::from(seen.dead_units)),
        ];
        // Positions are drawn with replacement: more than there are would tell nothing more.
        let count = count.min(self.games.held_out.positions_on(size));
        if let Some(unseen) = self.games.held_out.sample(size, count, seed) {
            let unseen = self.learner.diagnose(&unseen)?;
            let gap = |of: fn(&Losses) -> f32| f64::from(of(&unseen.losses) - of(&seen.losses));
            values.extend([
                ("held_out/policy", f64::from(unseen.losses.policy)),
                ("held_out/value", f64::from(unseen.losses[Head::Value])),
                ("held_out/policy_gap", gap(|losses| losses.policy)),
                ("held_out/value_gap", gap(|losses| losses[Head::Value])),
                ("policy/agreement_with_search", f64::from(unseen.policy_agreement)),
            ]);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_grow_with_what_is_learnt_up_to_a_limit() {
        let counts = [1_000, 24_576, 1_000_000].map(|samples| examined(samples, 256));
        assert_eq!(counts, [128, 245, 1024]);
        assert_eq!(examined(24_576, 16), 64, "four small batches");
    }
}

//! Learning from what has been recorded, and what it shows of the network.

use models::{Losses, ModelError};

use super::{TrainError, Training};
use crate::replay::shuffle_targets;

/// Positions that an examination looks at, at most; and at most so many batches.
const EXAMINED_POSITIONS: usize = 1024;
const EXAMINED_BATCHES: usize = 4;

impl Training {
    /// Takes the learning steps that the recorded positions call for, from an earlier checkpoint if they fail.
    pub(super) fn learn(&mut self) -> Result<Option<Losses>, TrainError> {
        loop {
            match self.try_to_learn() {
                Err(TrainError::Model(error @ ModelError::NotFinite { .. })) => {
                    self.roll_back(error)?;
                }
                other => return other,
            }
        }
    }

    fn try_to_learn(&mut self) -> Result<Option<Losses>, TrainError> {
        let learning = &self.config.learning;
        let due = self.state.steps_due(learning);
        let first = self.state.step;
        let mut mean = Losses::default();
        let rate = learning.rate_at(self.done()) * self.rate_left();
        while self.state.step < due {
            let order = self.state.step + 1 + (u64::from(self.state.rollbacks) << 40);
            let seed = self.config.seed ^ order.wrapping_mul(0x2545_f491_4f6c_dd1d);
            let Some(mut batch) = self.windows.draw(learning.batch, learning.surprise, seed) else {
                break;
            };
            if learning.shuffle_targets {
                shuffle_targets(&mut batch);
            }
            let losses = self.learner.step(&batch, rate)?;
            self.state.step += 1;
            mean.add(&losses);
            let done = self.state.step - first;
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
        mean.scale(1.0 / steps as f32);
        Ok(Some(mean))
    }

    /// How the network does on games that it learns from, and on games that it has never seen.
    pub(super) fn examine(&self) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let learning = &self.config.learning;
        let count = EXAMINED_POSITIONS.min(EXAMINED_BATCHES * learning.batch);
        let (size, seed) = (self.rules.size, self.config.seed ^ self.state.step);
        let Some(seen) = self.windows.sample(size, count, seed) else { return Ok(Vec::new()) };
        let seen = self.learner.examine(&seen)?;
        let mut values = vec![
            ("policy/entropy", f64::from(seen.policy_entropy)),
            ("network/dead_units", f64::from(seen.dead_units)),
        ];
        if let Some(unseen) = self.held_out.sample(size, count, seed) {
            let unseen = self.learner.examine(&unseen)?;
            let gap = |of: fn(&Losses) -> f32| f64::from(of(&unseen.losses) - of(&seen.losses));
            values.extend([
                ("held_out/policy", f64::from(unseen.losses.policy)),
                ("held_out/value", f64::from(unseen.losses.value)),
                ("held_out/policy_gap", gap(|losses| losses.policy)),
                ("held_out/value_gap", gap(|losses| losses.value)),
                ("policy/agreement_with_search", f64::from(unseen.policy_agreement)),
            ]);
        }
        Ok(values)
    }
}

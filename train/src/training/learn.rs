//! Learning from what has been recorded, and what it shows of the network.

use std::time::{Duration, Instant};

use models::{Head, Losses, ModelError, TrainingBatch};

use super::{TrainError, Training};
use crate::Windows;
use crate::replay::shuffle_targets;

/// Positions that diagnostics look at, at most; and at most so many batches.
const EXAMINED_POSITIONS: usize = 1024;
const EXAMINED_BATCHES: usize = 4;

/// What a stretch of learning has done.
pub(super) struct Learnt {
    /// Mean over its steps.
    pub losses: Losses,
    /// Time for each step.
    pub step: Duration,
    /// Time to draw and encode a batch with nothing else going on.
    pub draw: Duration,
}

/// What decides the batch of a step, besides the games.
#[derive(Clone, Copy)]
struct Draws {
    count: usize,
    surprise: f32,
    shuffle_targets: bool,
    seed: u64,
    rollbacks: u32,
}

impl Draws {
    fn of(training: &Training) -> Draws {
        let learning = &training.config.learning;
        Draws {
            count: learning.batch,
            surprise: learning.surprise,
            shuffle_targets: learning.shuffle_targets,
            seed: training.config.seed,
            rollbacks: training.state.rollbacks,
        }
    }

    fn draw(self, windows: &Windows, step: u64) -> Option<TrainingBatch> {
        let order = step + (u64::from(self.rollbacks) << 40);
        let seed = self.seed ^ order.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let mut batch = windows.draw(self.count, self.surprise, seed)?;
        if self.shuffle_targets {
            shuffle_targets(&mut batch);
        }
        Some(batch)
    }
}

impl Training {
    /// Takes the learning steps that the recorded positions call for, from an earlier checkpoint if they fail.
    pub(super) fn learn(&mut self) -> Result<Option<Learnt>, TrainError> {
        loop {
            match self.try_to_learn() {
                Err(TrainError::Model(error @ ModelError::NotFinite { .. })) => {
                    self.roll_back(error)?;
                }
                other => return other,
            }
        }
    }

    fn try_to_learn(&mut self) -> Result<Option<Learnt>, TrainError> {
        let learning = &self.config.learning;
        let forgiven = self.state.forgive(learning);
        if forgiven > 0 {
            self.progress
                .line(&format!("too many learning steps are owed: {forgiven} are forgiven"));
        }
        let (first, due) = (self.state.step, self.state.steps_due(learning));
        let rate = learning.rate_at(self.done()) * self.rate_left();
        let began = Instant::now();
        let mut next = (first < due).then(|| self.draw(first + 1)).flatten();
        let draw = began.elapsed();
        let mut losses = Losses::default();
        while let Some(batch) = next.take() {
            let step = self.state.step + 1;
            let (done, drawn) = self.step_and_draw(&batch, rate, (step < due).then_some(step + 1));
            losses.add(&done?);
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
        let time = began.elapsed() / steps as u32;
        Ok(Some(Learnt { losses, step: time, draw }))
    }

    /// Takes a step while the next batch is drawn, so that a device need not wait for it.
    fn step_and_draw(
        &mut self,
        batch: &TrainingBatch,
        rate: f64,
        next: Option<u64>,
    ) -> (Result<Losses, ModelError>, Option<TrainingBatch>) {
        let draws = Draws::of(self);
        let (learner, windows) = (&mut self.learner, &self.windows);
        std::thread::scope(|scope| {
            let drawing = next.map(|step| scope.spawn(move || draws.draw(windows, step)));
            let losses = learner.step(batch, rate);
            let joined = drawing.map(std::thread::ScopedJoinHandle::join).transpose();
            (losses, joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).flatten())
        })
    }

    fn draw(&self, step: u64) -> Option<TrainingBatch> {
        Draws::of(self).draw(&self.windows, step)
    }

    /// How the network does on games that it learns from, and on games that it has never seen.
    pub(super) fn diagnose(&self) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let learning = &self.config.learning;
        let count = EXAMINED_POSITIONS.min(EXAMINED_BATCHES * learning.batch);
        let (size, seed) = (self.rules.size, self.config.seed ^ self.state.step);
        let Some(seen) = self.windows.sample(size, count, seed) else { return Ok(Vec::new()) };
        let seen = self.learner.diagnose(&seen)?;
        let mut values = vec![
            ("policy/entropy", f64::from(seen.policy_entropy)),
            ("network/dead_units", f64::from(seen.dead_units)),
        ];
        if let Some(unseen) = self.held_out.sample(size, count, seed) {
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

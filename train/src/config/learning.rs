//! The part of a configuration about learning.

use models::{LearnerSettings, LossWeights, OptimizerKind};
use serde::{Deserialize, Serialize};

/// How the network learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearningSettings {
    /// Samples per step. KataGo: 256.
    pub batch: usize,
    /// How gradients are turned into steps: `adamw` or `muon`. KataGo: SGD in the paper, Muon since
    /// 2026.
    pub optimizer: OptimizerKind,
    /// Peak learning rate. KataGo: 6·10⁻⁵ per sample with SGD; pgx: 10⁻³ with Adam and batches of
    /// 4,096.
    pub learning_rate: f64,
    /// Fraction of the run over which the rate rises to its peak. KataGo: 2 million samples.
    pub warm_up: f32,
    /// Fraction of the run after which the rate decays along a cosine. The decay is worth 100 to
    /// 200 Elo in KataGo, where it is done by hand near the end.
    pub flat_until: f32,
    /// The final rate as a fraction of the peak. KataGo: 0.1.
    pub final_rate: f64,
    /// See [`LearnerSettings::weight_decay`].
    pub weight_decay: f64,
    /// Number of times each position is learnt from, on average. KataGo: at most 4.
    pub reuse: f32,
    /// Maximum number of phases whose learning may be due at once, as after a rollback to an
    /// earlier checkpoint. Anything beyond is skipped, to bound each period of learning. A run
    /// without rollbacks never owes more than two. KataGo: 5 million samples, with 250,000
    /// positions, each learnt from 4 times, between two networks.
    pub phases_owed: f32,
    /// The part of a position's sampling probability that is proportional to how much its search
    /// surprised the network. KataGo: 0.5.
    pub surprise: f32,
    /// Fraction of the games that are never learnt from: the difference between the losses on these
    /// and on the others shows overfitting. They still count as positions. KataGo: 0.05.
    pub held_out: f32,
    /// Gives every position the targets of another one: a control that can learn only averages.
    pub shuffle_targets: bool,
    /// Positions recorded between two periods of learning. KataGo: 250,000 between two networks on
    /// 19×19.
    pub positions_per_phase: u64,
    /// `c` of the window c·(1 + β·((N/c)^α − 1)/α), in positions. KataGo: 250,000 for 19×19.
    pub window: f64,
    /// α of the window. KataGo: 0.75.
    pub window_power: f64,
    /// β of the window. KataGo: 0.4.
    pub window_slope: f64,
    /// See [`LearnerSettings::average_half_life`].
    pub average_half_life: f64,
    /// The weight of each loss; the policy's is 1.
    pub losses: LossWeights,
}

impl Default for LearningSettings {
    fn default() -> LearningSettings {
        let learner = LearnerSettings::default();
        LearningSettings {
            batch: 256,
            optimizer: learner.optimizer,
            learning_rate: 2e-3,
            warm_up: 0.02,
            flat_until: 0.65,
            final_rate: 0.02,
            weight_decay: learner.weight_decay,
            reuse: 3.0,
            phases_owed: 8.0,
            surprise: 0.5,
            losses: learner.losses,
            held_out: 0.02,
            shuffle_targets: false,
            positions_per_phase: 8192,
            window: 25_000.0,
            window_power: 0.75,
            window_slope: 0.4,
            average_half_life: learner.average_half_life,
        }
    }
}

/// Whether it is finite and positive.
pub(super) fn is_positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

/// The largest batch, many times those of any known run: its samples must fit into memory together.
const MAX_BATCH: usize = 65_536;

/// Number of steps over which the rate rises after the optimizer starts: its moments know nothing
/// yet, and a weight would move by the full rate in each step.
const FIRST_STEPS: f64 = 50.0;

impl LearningSettings {
    /// The learning rate of a step, counted from 1, when `progress` (0 to 1) of the run is
    /// complete.
    pub fn rate_of_step(&self, step: u64, progress: f32) -> f64 {
        self.rate_at(progress) * (step as f64 / FIRST_STEPS).min(1.0)
    }

    /// The settings of the learner itself.
    pub fn learner(&self) -> LearnerSettings {
        LearnerSettings {
            optimizer: self.optimizer,
            weight_decay: self.weight_decay,
            average_half_life: self.average_half_life,
            losses: self.losses,
            threads: 0,
        }
    }

    /// The scheduled learning rate when `progress` (0 to 1) of the run is complete.
    fn rate_at(&self, progress: f32) -> f64 {
        let progress = f64::from(progress);
        let warm_up = f64::from(self.warm_up);
        // The rate does not decay before it has risen.
        let flat = f64::from(self.flat_until).max(warm_up);
        if progress < warm_up {
            self.learning_rate * (0.05 + 0.95 * progress / warm_up)
        } else if progress <= flat {
            self.learning_rate
        } else {
            let decayed = ((progress - flat) / (1.0 - flat)).min(1.0);
            let cosine = 0.5 * (1.0 + (std::f64::consts::PI * decayed).cos());
            self.learning_rate * (self.final_rate + (1.0 - self.final_rate) * cosine)
        }
    }

    /// The first invalid value, if any.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let positive = [f64::from(self.reuse), self.window_power, self.window];
        let not_negative = [self.window_slope, self.weight_decay, self.average_half_life];
        let shares = [self.warm_up, self.flat_until, self.surprise];
        if !(1..=MAX_BATCH).contains(&self.batch) {
            Some("learning.batch must be from 1 to 65536")
        } else if self.positions_per_phase == 0 {
            Some("learning.positions_per_phase must be at least 1")
        } else if !is_positive(self.learning_rate) {
            Some("learning.learning_rate must be a positive number")
        } else if !positive.into_iter().all(is_positive) || self.window < 1.0 {
            Some(
                "learning.reuse, window and window_power must be positive numbers, and window at least 1",
            )
        } else if !not_negative.into_iter().all(|value| value >= 0.0 && value.is_finite()) {
            Some(
                "learning.window_slope, weight_decay and average_half_life must be numbers from 0 on",
            )
        } else if !(f64::from(self.phases_owed) >= 1.0 && self.phases_owed.is_finite()) {
            Some("learning.phases_owed must be a number from 1 on")
        } else if !shares.iter().all(|share| (0.0..=1.0).contains(share))
            || !(0.0..=1.0).contains(&self.final_rate)
        {
            Some("learning.warm_up, flat_until, final_rate and surprise must be from 0 to 1")
        } else if !self.losses.are_sound() {
            Some("learning.losses must be numbers from 0 on")
        } else if !(0.0..=0.5).contains(&self.held_out) {
            Some("learning.held_out must be from 0 to 0.5")
        } else {
            None
        }
    }

    /// Size of the window, in positions, when `positions` have been recorded.
    fn window_at(&self, positions: u64) -> u64 {
        let growth = (positions as f64 / self.window).powf(self.window_power) - 1.0;
        let size = self.window * (1.0 + self.window_slope * growth / self.window_power);
        (size.max(self.window) as u64).min(positions)
    }

    /// Sizes of the windows of positions to learn from and of positions held out, when `positions`
    /// have been recorded.
    pub fn windows_at(&self, positions: u64) -> (u64, u64) {
        let window = self.window_at(positions);
        (window, (window as f64 * f64::from(self.held_out)).ceil() as u64)
    }

    /// Total number of positions in memory when `positions` have been recorded.
    pub fn capacity(&self, positions: u64) -> u64 {
        let (window, held_out) = self.windows_at(positions);
        window + held_out
    }

    /// Learning steps due when `positions` have been recorded.
    pub fn steps_at(&self, positions: u64) -> u64 {
        (positions as f64 * f64::from(self.reuse) / self.batch as f64) as u64
    }

    /// The most learning steps that may be due at once.
    pub fn max_steps(&self) -> u64 {
        let positions = self.positions_per_phase as f64 * f64::from(self.phases_owed);
        self.steps_at(positions as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_windows_follow_their_formulas() {
        let learning = LearningSettings::default();
        assert_eq!(learning.rate_at(0.3), learning.learning_rate);
        assert!(
            (learning.rate_at(1.0) - learning.learning_rate * learning.final_rate).abs() < 1e-9
        );
        assert!(learning.rate_at(0.0) < learning.rate_at(0.01));
        let falling = LearningSettings { flat_until: 0.0, ..learning.clone() };
        assert_eq!(falling.rate_at(falling.warm_up), learning.learning_rate, "no step down");
        assert_eq!(learning.rate_of_step(1, 0.3), learning.learning_rate / FIRST_STEPS);
        assert_eq!(learning.rate_of_step(10_000, 0.3), learning.learning_rate);
        assert_eq!(learning.window_at(1000), 1000);
        // KataGo's own check of the formula: at N = c the window is c.
        assert_eq!(learning.window_at(25_000), 25_000);
        assert!(learning.window_at(1_000_000) < 300_000);
    }
}

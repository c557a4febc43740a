//! The state of a run.

use models::Rated;
use selfplay::GameKey;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Kinds, LearningSettings};

/// The state of a run; part of every checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunState {
    /// Learning steps done.
    pub step: u64,
    /// Positions recorded and added to the window.
    pub positions: u64,
    /// Games recorded and added to the window.
    pub games: u64,
    /// Positions evaluated by the network for self-play.
    pub evaluations: u64,
    /// Working time in seconds, over all sessions.
    pub seconds: f64,
    /// The point at which the run was forked from another one, whose games and steps it continues.
    #[serde(default)]
    pub forked: Fork,
    /// Rollbacks to an earlier checkpoint, less one for each certain gain since. Each halves the
    /// learning rate.
    #[serde(default)]
    pub rollbacks: u32,
    /// Learning steps that were due but skipped, because too many were due at once. They stay
    /// skipped after a rollback to an earlier checkpoint: only what was learnt since then is learnt
    /// again.
    #[serde(default, rename = "forgiven")]
    pub skipped_steps: u64,
    /// Game files with smaller numbers have been counted; those from this one on have not. Earlier
    /// versions listed all counted files; since files are taken in order, the largest number is
    /// equivalent.
    #[serde(alias = "used", deserialize_with = "mark")]
    pub used_below: GameKey,
    /// The kinds of games; stored in a separate file that accompanies the model.
    #[serde(skip)]
    pub kinds: Kinds,
    /// Checkpoints rated by matches, the network that the run began with first. They are kept.
    pub rated: Vec<Rated>,
}

/// How far a run had come when another was forked from it; zero for a run that is not a fork.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// Learning steps done.
    pub step: u64,
    /// Positions recorded.
    pub positions: u64,
}

/// Reads the mark, or the list that earlier versions wrote instead.
fn mark<'de, D: Deserializer<'de>>(deserializer: D) -> Result<GameKey, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Used {
        Below(GameKey),
        Listed(Vec<GameKey>),
    }
    Ok(match Used::deserialize(deserializer)? {
        Used::Below(mark) => mark,
        Used::Listed(keys) => keys.into_iter().max().map_or(0, |last| last.saturating_add(1)),
    })
}

impl RunState {
    /// Learning steps due for the recorded positions, not counting skipped ones.
    pub fn steps_due(&self, learning: &LearningSettings) -> u64 {
        let own = learning.steps_at(self.positions.saturating_sub(self.forked.positions));
        (self.forked.step + own).saturating_sub(self.skipped_steps)
    }

    /// Learning steps due that have not been taken.
    pub fn steps_owed(&self, learning: &LearningSettings) -> u64 {
        self.steps_due(learning).saturating_sub(self.step)
    }

    /// Skips due steps beyond what one period of learning may take, and returns their number. All
    /// positions still get learnt from at least `least` times on average.
    pub(crate) fn skip_excess_steps(&mut self, learning: &LearningSettings, least: f32) -> u64 {
        let own = self.positions.saturating_sub(self.forked.positions);
        let skippable = LearningSettings { reuse: learning.reuse - least, ..learning.clone() };
        let left = skippable.steps_at(own).saturating_sub(self.skipped_steps);
        let beyond = self.steps_owed(learning).saturating_sub(learning.max_steps()).min(left);
        self.skipped_steps += beyond;
        beyond
    }

    /// Number of times that each recorded position has been learnt from so far, on average.
    pub fn reuse(&self, learning: &LearningSettings) -> f64 {
        let samples = self.step.saturating_sub(self.forked.step) as f64 * learning.batch as f64;
        samples / self.positions.saturating_sub(self.forked.positions).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_lists_its_files_reads_as_one_with_a_mark() {
        let state = RunState { step: 7, used_below: 12, ..RunState::default() };
        let text = toml::to_string(&state).unwrap();
        assert!(text.contains("used_below = 12"), "{text}");
        assert_eq!(toml::from_str::<RunState>(&text).unwrap(), state);
        for (listed, mark) in [("[0, 1, 3, 11]", 12), ("[]", 0)] {
            let old = text.replace("used_below = 12", &format!("used = {listed}"));
            let old = old.replace("forgiven = 0\n", "");
            let read: RunState = toml::from_str(&old).unwrap();
            assert_eq!(read, RunState { used_below: mark, ..state.clone() });
        }
    }

    #[test]
    fn what_is_owed_beyond_the_limit_is_skipped_once() {
        let learning = LearningSettings {
            batch: 10,
            reuse: 2.0,
            positions_per_phase: 100,
            phases_owed: 3.0,
            ..LearningSettings::default()
        };
        let mut state = RunState { positions: 300, ..RunState::default() };
        assert_eq!((state.skip_excess_steps(&learning, 0.0), state.steps_due(&learning)), (0, 60));
        state.positions = 1000;
        assert_eq!(
            (state.skip_excess_steps(&learning, 0.0), state.steps_due(&learning)),
            (140, 60)
        );
        assert_eq!(state.skip_excess_steps(&learning, 0.0), 0);
        state.step = 60;
        assert!((state.reuse(&learning) - 0.6).abs() < 1e-9);
        // Later positions are learnt from as often as before, and after a rollback no more steps
        // are due than the limit.
        state.positions = 1100;
        assert_eq!((state.skip_excess_steps(&learning, 0.0), state.steps_due(&learning)), (0, 80));
        state.step = 0;
        assert_eq!((state.skip_excess_steps(&learning, 0.0), state.steps_due(&learning)), (20, 60));
        // The minimum owed to each position is not skipped.
        let mut state = RunState { positions: 1000, ..RunState::default() };
        assert_eq!(
            (state.skip_excess_steps(&learning, 1.0), state.steps_owed(&learning)),
            (100, 100)
        );
        assert_eq!(state.skip_excess_steps(&learning, 1.0), 0);
        // A fork begins with nothing due and nothing skipped.
        let forked = Fork { step: 60, positions: 1100 };
        let fork = RunState { step: 60, forked, positions: 1200, ..RunState::default() };
        assert_eq!(fork.steps_due(&learning), 80);
    }
}

//! A run's report after a phase.

use models::Head;

use super::learn::LearningStats;
use super::play::PlayedPhase;
use super::state::Training;
use crate::progress::duration;
use crate::{Budget, RunState, TrainError};

impl Training {
    /// Reports one line for people, and all figures for the curves.
    pub(super) fn report(
        &mut self,
        played: &PlayedPhase,
        learnt: Option<&LearningStats>,
    ) -> Result<(), TrainError> {
        let seconds = played.report.time.as_secs_f64().max(1e-9);
        let rate = played.report.evaluations as f64 / seconds;
        let done = self.done();
        let mut values = played.statistics.curves();
        values.extend([
            ("speed/evaluations_per_s", rate),
            ("speed/games_per_s", played.report.games as f64 / seconds),
            ("run/positions", self.state.positions as f64),
            ("run/evaluations", self.state.evaluations as f64),
            ("run/window", self.games.windows.positions() as f64),
            ("run/simulations", f64::from(played.simulations)),
            ("run/rollbacks", f64::from(self.state.rollbacks)),
            // Named as in the logs of earlier runs.
            ("run/forgiven_steps", self.state.skipped_steps as f64),
            ("run/seconds", self.clock.seconds()),
        ]);
        values.extend(played.mean_batch.map(|mean| ("speed/mean_batch", mean)));
        if let Some(learnt) = learnt {
            values.extend(self.figures_of(learnt)?);
        }
        let decided = played.statistics.decided_by_variant();
        let mut all: Vec<(&str, f64)> = values;
        all.extend(decided.iter().map(|(name, share)| (name.as_str(), *share)));
        self.curves.write(self.state.step, &all).map_err(TrainError::Log)?;
        let left = seconds_left(&self.config.budget, &self.state, self.clock.seconds());
        let losses = learnt.map_or_else(String::new, |learnt| {
            let (policy, value) = (learnt.losses.policy, learnt.losses[Head::Value]);
            format!("policy loss {policy:.2}, value loss {value:.2}, ")
        });
        self.progress.line(&format!(
            "{:3.0} %  step {:>6}  {} positions, {} games, {losses}{rate:.0} evaluations/s, {} left",
            100.0 * done,
            self.state.step,
            self.state.positions,
            self.state.games,
            duration(left),
        ));
        self.progress.show(done, "");
        self.skip_notice.end_phase();
        Ok(())
    }

    /// The curves of learning without self-play.
    pub(super) fn report_learning(&mut self, learnt: &LearningStats) -> Result<(), TrainError> {
        let mut values = self.figures_of(learnt)?;
        values.push(("run/evaluations", self.state.evaluations as f64));
        self.curves.write(self.state.step, &values).map_err(TrainError::Log)
    }

    fn figures_of(&self, learnt: &LearningStats) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let (step, draw) = (learnt.step.as_secs_f64(), learnt.draw.as_secs_f64());
        let losses = learnt.losses.named().into_iter();
        let mut values: Vec<_> = losses.map(|(name, loss)| (name, f64::from(loss))).collect();
        values.extend([
            ("run/learning_rate", learnt.rate),
            ("run/reuse", self.state.reuse(&self.config.learning)),
            ("speed/samples_per_s", self.config.learning.batch as f64 / step),
            ("speed/encoding_share", draw / step),
        ]);
        values.extend(self.diagnose(learnt.samples)?);
        Ok(values)
    }
}

/// Seconds until the budget is spent, if the run goes on as fast as in the `seconds` so far. A fork
/// begins with the positions of the run that it was forked from, which took it no time.
fn seconds_left(budget: &Budget, state: &RunState, seconds: f64) -> f64 {
    let by_positions = budget.positions.map(|all| {
        let own = state.positions.saturating_sub(state.forked.positions).max(1);
        seconds * all.saturating_sub(state.positions) as f64 / own as f64
    });
    let by_time = budget.minutes.map(|minutes| 60.0 * minutes - seconds);
    [by_positions, by_time].into_iter().flatten().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fork;

    #[test]
    fn a_fork_has_done_only_what_it_has_done_itself() {
        let budget = Budget { positions: Some(1000), minutes: None };
        let left = |begun, positions| {
            let forked = Fork { step: 0, positions: begun };
            let state = RunState { positions, forked, ..RunState::default() };
            seconds_left(&budget, &state, 60.0).round()
        };
        assert_eq!(left(0, 250), 180.0);
        assert_eq!(left(900, 925), 180.0);
        assert_eq!(left(900, 1000), 0.0);
        let minutes = Budget { positions: None, minutes: Some(4.0) };
        assert_eq!(seconds_left(&minutes, &RunState::default(), 60.0), 180.0);
        // What ends first, although it is not what has come furthest.
        let both = Budget { positions: Some(1000), minutes: Some(2.0) };
        let forked = Fork { step: 0, positions: 900 };
        let fork = RunState { positions: 925, forked, ..RunState::default() };
        assert_eq!(seconds_left(&both, &fork, 60.0), 60.0);
    }
}

//! Matches of a run against its past and against players that need no network.

use arena::{Estimate, elo_text, elo_texts};
use models::{Client, ModelError, Rated, Server, ServerSettings};

use super::state::Training;
use crate::history::{AGAINST, ELO_BEGINS_ANEW};
use crate::rating::Difference;
use crate::{TrainError, rating, suite};

/// Whether the network has lost more than `largest_loss` Elo, with 95 % confidence, since an
/// earlier checkpoint. Nothing is gained by going back to the untrained network, which may well be
/// stronger than the network after its first steps.
fn is_weaker(gain: &Estimate, earlier: Rated, largest_loss: f64) -> bool {
    largest_loss > 0.0 && earlier.step > 0 && gain.high < -largest_loss
}

/// Whether a checkpoint is missing or damaged.
fn is_lost(error: &ModelError) -> bool {
    error.is_damage() || matches!(error, ModelError::Missing(_))
}

/// A comparison of the network with an earlier checkpoint's.
pub(super) struct Comparison {
    pub gain: Estimate,
    /// The error of a rating by this gain.
    pub error: f64,
    /// Fraction of the suite's positions in which both prefer the same move, if there is a suite.
    pub agreement: Option<f64>,
}

impl Training {
    /// Plays the matches of a rating if they are due, and returns whether they were. If the network
    /// is weaker than the last rated one, it is given up, provided that there is a way back.
    pub(super) fn rate_if_due(&mut self, last: bool) -> Result<bool, TrainError> {
        let done = self.done();
        if self.match_due(done, last).is_none() {
            return Ok(false);
        }
        self.progress.show(done, "rating: a match against an earlier checkpoint");
        match self.compare_with_earlier()? {
            Some((earlier, comparison)) => self.rate(earlier, comparison, done)?,
            None => {
                let step = self.state.step;
                self.state.rated.push(Rated { step, progress: done, elo: 0.0, error: 0.0 });
                let evaluations = self.state.evaluations as f64;
                let values =
                    [("elo", 0.0), (ELO_BEGINS_ANEW, 1.0), ("run/evaluations", evaluations)];
                self.curves.write(step, &values).map_err(TrainError::Log)?;
                self.progress
                    .line("  no earlier checkpoint is left to play against: ratings begin anew");
            }
        }
        Ok(true)
    }

    /// The newest rated checkpoint that can be read, and the result of a match against it. Damaged
    /// ones are dropped.
    fn compare_with_earlier(&mut self) -> Result<Option<(Rated, Comparison)>, TrainError> {
        while let Some(&earlier) = self.state.rated.last() {
            match self.compare_with(earlier) {
                Err(TrainError::Model(error)) if is_lost(&error) => {
                    self.progress.line(&format!("{error}: no match against step {}", earlier.step));
                    self.state.rated.pop();
                }
                other => return Ok(Some((earlier, other?))),
            }
        }
        Ok(None)
    }

    /// Records the result of a match that was due when the fraction `done` of the run was complete.
    /// A loss without a way back is recorded like any other result: whoever opens the run then gets
    /// the checkpoint from before it.
    pub(super) fn rate(
        &mut self,
        earlier: Rated,
        comparison: Comparison,
        done: f32,
    ) -> Result<(), TrainError> {
        let Comparison { gain, error, agreement } = comparison;
        if is_weaker(&gain, earlier, self.config.evaluation.largest_loss)
            && self.revert_to_rated(earlier, gain.value)?
        {
            return Ok(());
        }
        let elo = earlier.elo + gain.value;
        self.state.rated.push(Rated { step: self.state.step, progress: done, elo, error });
        let [low, value, high] = elo_texts(gain);
        self.progress.line(&format!(
            "  Elo {} ({value} over step {}, {low} to {high})",
            elo_text(elo),
            earlier.step
        ));
        if gain.low > 0.0 {
            self.forgive_rollback();
        }
        let mut values = vec![("elo", elo), ("run/evaluations", self.state.evaluations as f64)];
        values.extend(agreement.map(|share| ("policy/agreement_with_last", share)));
        let references = self.elo_over_references()?;
        values.extend(references.iter().map(|(name, elo)| (name.as_str(), *elo)));
        self.curves.write(self.state.step, &values).map_err(TrainError::Log)
    }

    /// The rated checkpoint to play against, if a match is due when the fraction `done` of the run
    /// is complete.
    fn match_due(&self, done: f32, last: bool) -> Option<Rated> {
        let earlier = *self.state.rated.last()?;
        let next = self.config.evaluation.next_match(earlier.progress)?;
        (self.state.step > earlier.step && (done >= next || last)).then_some(earlier)
    }

    fn compare_with(&self, earlier: Rated) -> Result<Comparison, TrainError> {
        let settings = &self.config.evaluation;
        let opponent = Server::start(
            models::load(&self.folder.checkpoint(earlier.step), Some(&self.rules.own))?,
            ServerSettings::new(self.options.device, self.options.precision),
        )?;
        let mut players: [Client; 2] = [self.server.client(), opponent.client()];
        let seed = self.match_seed();
        let Difference { elo: gain, error } =
            rating::elo_gain(&self.rules.panel, settings, &mut players, seed)?;
        let positions = suite::positions(&self.rules.own, settings.suite);
        let agreement = suite::agreement(&mut players, &positions)?;
        Ok(Comparison { gain, error, agreement: (!positions.is_empty()).then_some(agreement) })
    }

    /// Elo over each reference player, with the name of its curve.
    fn elo_over_references(&self) -> Result<Vec<(String, f64)>, TrainError> {
        let settings = &self.config.evaluation;
        let mut list = Vec::new();
        for (name, reference) in settings.reference_players()? {
            self.progress.show(self.done(), &format!("rating: a match against {name}"));
            let (client, panel) = (self.server.client(), &self.rules.panel);
            let seed = self.match_seed();
            let elo = rating::elo_against(panel, settings, client, reference, seed)?;
            let [low, value, high] = elo_texts(elo);
            self.progress.line(&format!("  Elo {value} over {name} ({low} to {high})"));
            list.push((format!("{AGAINST}{name}"), elo.value));
        }
        Ok(list)
    }

    fn match_seed(&self) -> u64 {
        self.config.seed ^ self.state.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_given_up_where_its_loss_is_sure_and_large() {
        let gain = |low, high| Estimate { low, value: (low + high) / 2.0, high };
        let rated = |step| Rated { step, progress: 0.5, elo: 100.0, error: 10.0 };
        assert!(is_weaker(&gain(-140.0, -70.0), rated(8), 60.0));
        assert!(!is_weaker(&gain(-140.0, -50.0), rated(8), 60.0), "not sure");
        assert!(!is_weaker(&gain(70.0, 140.0), rated(8), 60.0), "a gain");
        assert!(!is_weaker(&gain(-140.0, -70.0), rated(0), 60.0), "untrained");
        assert!(!is_weaker(&gain(-140.0, -70.0), rated(8), 0.0), "off");
    }
}

//! Matches of a run against its past and against players that need no network.

use arena::Elo;
use models::{Client, Rated, Server, ServerSettings};

use super::state::Training;
use crate::history::AGAINST;
use crate::{TrainError, rating, suite};

/// The network against that of an earlier checkpoint.
struct Comparison {
    gain: Elo,
    /// Share of the suite's positions in which both prefer the same move, if there is a suite.
    agreement: Option<f64>,
}

impl Training {
    /// Plays the matches of a rating, if they are due. A network that is weaker than the last rated one is given up.
    pub(super) fn rate_if_due(&mut self, last: bool) -> Result<(), TrainError> {
        let done = self.done();
        let Some(earlier) = self.match_due(done, last) else { return Ok(()) };
        self.progress.show(done, "rating: a match against an earlier checkpoint");
        let Comparison { gain, agreement } = self.compare_with(earlier)?;
        // Nothing is gained by going back to the untrained network, which the first steps may well be weaker than.
        let largest_loss = self.config.evaluation.largest_loss;
        if largest_loss > 0.0 && earlier.step > 0 && gain.high < -largest_loss {
            return self.give_up(earlier, gain.difference);
        }
        let elo = earlier.elo + gain.difference;
        let error = (gain.high - gain.low) / 2.0;
        self.state.rated.push(Rated { step: self.state.step, progress: done, elo, error });
        self.progress.line(&format!(
            "  Elo {elo:+.0} ({:+.0} over step {}, {:+.0} to {:+.0})",
            gain.difference, earlier.step, gain.low, gain.high
        ));
        let mut values = vec![("elo", elo), ("run/evaluations", self.state.evaluations as f64)];
        values.extend(agreement.map(|share| ("policy/agreement_with_last", share)));
        let references = self.elo_over_references()?;
        values.extend(references.iter().map(|(name, elo)| (name.as_str(), *elo)));
        self.curves.write(self.state.step, &values).map_err(TrainError::Log)
    }

    /// The rated checkpoint that a match against is due, where so much of the run is done.
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
        let gain = rating::elo_gain(&self.rules.panel, settings, &mut players, seed)?;
        let positions = suite::positions(&self.rules.own, settings.suite);
        let agreement = suite::agreement(&mut players, &positions)?;
        Ok(Comparison { gain, agreement: (!positions.is_empty()).then_some(agreement) })
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
            self.progress.line(&format!(
                "  Elo {:+.0} over {name} ({:+.0} to {:+.0})",
                elo.difference, elo.low, elo.high
            ));
            list.push((format!("{AGAINST}{name}"), elo.difference));
        }
        Ok(list)
    }

    fn match_seed(&self) -> u64 {
        self.config.seed ^ self.state.step
    }
}

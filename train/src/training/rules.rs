//! The rules of a run, by board size.

use engine::{Rules, Size};
use models::Server;
use selfplay::{Component, Mixture, Phase, SelfPlay, kind_of};

use crate::{ConfigError, Kinds, RunConfig};

/// The rules of a run.
pub(super) struct RunRules {
    /// The run's own rules, on its largest board.
    pub own: Rules,
    /// The rules of its matches.
    pub panel: Vec<Rules>,
    /// What is played on each board size, with its share of the positions.
    pub mixtures: Vec<(Mixture, f32)>,
}

impl RunRules {
    pub fn new(config: &RunConfig) -> Result<RunRules, ConfigError> {
        let mixtures = config.mixtures()?;
        Ok(RunRules { own: config.largest()?, panel: config.panel()?, mixtures })
    }

    /// The games of a session, not yet started.
    pub fn self_play(&self, config: &RunConfig, server: &Server, step: u64, seed: u64) -> SelfPlay {
        let phase = Phase { simulations: 1, model: step };
        let workers = match config.self_play.workers {
            0 => server.workers_for(config.self_play.games),
            given => given,
        };
        let boards: Vec<Mixture> =
            self.mixtures.iter().map(|(mixture, _)| mixture.clone()).collect();
        SelfPlay::new(&boards, &config.self_play, phase, workers, seed)
    }

    /// The board sizes, smallest first.
    pub fn sizes(&self) -> Vec<Size> {
        self.mixtures.iter().map(|(mixture, _)| mixture.size()).collect()
    }

    /// The rules of new games when `positions` have been recorded.
    pub fn new_games(&self, config: &RunConfig, kinds: &Kinds, positions: u64) -> Mixture {
        let mixture = self.next_mixture(kinds, config.learning.positions_per_phase);
        kinds.refine(mixture.clone(), &config.self_play, positions)
    }

    /// The compensation that the run has found for rules of this kind, or else the usual one.
    pub fn usual_compensation(&self, rules: &Rules) -> f32 {
        let own = |component: &Component| match component {
            Component::Named(named) => {
                let is_alike = named.size == rules.size && kind_of(named) == kind_of(rules);
                is_alike.then(|| named.compensation_amount())
            }
            Component::Combined => None,
        };
        let mut components = self.mixtures.iter().flat_map(|(mixture, _)| mixture.components());
        components.find_map(|(component, _)| own(component)).unwrap_or(rules.usual_compensation())
    }

    /// The mixture on the board size to play in a phase of this many positions: the one that is
    /// furthest below its share of the run's own positions. Those of the run that it was forked
    /// from had other shares: to make up for them, a fork would play one size for very long.
    fn next_mixture(&self, kinds: &Kinds, phase: u64) -> &Mixture {
        let total: f32 = self.mixtures.iter().map(|(_, share)| share).sum();
        let rows = |mixture: &Mixture| kinds.own_rows_on(mixture.size()) as f32;
        let all: f32 = self.mixtures.iter().map(|(mixture, _)| rows(mixture)).sum();
        let lacks = |(mixture, share): &(Mixture, f32)| {
            (all + phase as f32) * share / total - rows(mixture)
        };
        let most = self.mixtures.iter().max_by(|a, b| lacks(a).total_cmp(&lacks(b)));
        let (mixture, _) = most.unwrap_or(&self.mixtures[0]);
        mixture
    }
}

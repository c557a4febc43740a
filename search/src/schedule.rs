//! How many simulations a search makes, and how they are distributed over the root's moves.

use crate::halving::schedule;
use crate::stages::Stages;
use crate::{SearchState, Settings};

/// The difference between a search with a fixed number of simulations and an open-ended one.
pub trait Schedule {
    /// Whether the search may be stopped in the middle of a round.
    const STOPS_ANYWHERE: bool;

    /// Prepares for `moves` moves that may be visited. Called once the root has been evaluated.
    fn prepare(&mut self, settings: &Settings, moves: usize);

    /// Total simulations allowed so far.
    fn allowed(&self, settings: &Settings) -> u32;

    /// The number of visits that the move of the next simulation must have. `None` if no move is
    /// left to visit.
    fn level(&mut self, state: &SearchState) -> Option<u32>;

    /// Called after visits have been taken back.
    fn restart(&mut self);
}

/// A fixed number of simulations: sequential halving with exactly that budget.
#[derive(Debug, Default)]
pub struct Fixed {
    /// For each simulation, how often its move must have been visited before.
    levels: Vec<u32>,
}

impl Schedule for Fixed {
    const STOPS_ANYWHERE: bool = false;

    fn prepare(&mut self, settings: &Settings, moves: usize) {
        let considered =
            settings.max_num_considered_actions.min(settings.simulations).min(moves as u32);
        schedule(considered, settings.simulations, &mut self.levels);
    }

    fn allowed(&self, settings: &Settings) -> u32 {
        settings.simulations
    }

    fn level(&mut self, state: &SearchState) -> Option<u32> {
        self.levels.get(state.started as usize).copied()
    }

    fn restart(&mut self) {}
}

/// An open-ended search: an allowance of simulations that can be extended any number of times.
#[derive(Debug)]
pub struct Open {
    stages: Stages,
    pub(crate) allowed: u32,
}

impl Open {
    /// The largest first budget: a search that is stopped long before it has visited many moves
    /// equally often, and has found little about the best of them.
    pub const MAX_FIRST_STAGE: u32 = 256;

    /// Budgets of doubling size, the first one that of the settings, up to
    /// [`Open::MAX_FIRST_STAGE`]. `started` simulations have already been made; none may start
    /// before the allowance is extended.
    pub(crate) fn new(settings: &Settings, started: u32) -> Open {
        let first = settings.simulations.min(Open::MAX_FIRST_STAGE);
        Open { stages: Stages::new(settings.max_num_considered_actions, first), allowed: started }
    }
}

impl Schedule for Open {
    const STOPS_ANYWHERE: bool = true;

    fn prepare(&mut self, _: &Settings, _: usize) {}

    fn allowed(&self, _: &Settings) -> u32 {
        self.allowed
    }

    fn level(&mut self, state: &SearchState) -> Option<u32> {
        let visits = state.root.open_visits(&state.tree);
        if visits.is_empty() { None } else { Some(self.stages.next(&visits)) }
    }

    fn restart(&mut self) {
        self.stages.restart();
    }
}

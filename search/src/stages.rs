//! The root's schedule in an open-ended search.

use crate::halving::schedule;

/// Repeated sequential halving, each stage with twice the simulations, counting visits already
/// made.
///
/// Sequential halving must know its budget in advance. When a clock or a person decides when to
/// stop, the budget is unknown, so the search completes one budget after another: visits of earlier
/// stages count towards later ones, and whenever it is stopped, at least half of its simulations
/// belong to a completed stage. In the first stage of a fresh tree, the simulations are exactly
/// those of a search with that fixed budget.
///
/// Every second stage also doubles the number of moves considered, so that none is left out for
/// ever.
#[derive(Debug)]
pub(crate) struct Stages {
    /// Moves considered in the first stage, and its simulations.
    considered: u32,
    first: u32,
    /// Number of stages started.
    begun: u32,
    /// For each number of visits, how many moves must have more than that when the stage is
    /// complete.
    quotas: Vec<u32>,
    /// The first quota that may still be unmet; it only moves forward, because visits only grow.
    level: usize,
    /// Working memory.
    levels: Vec<u32>,
}

impl Stages {
    pub fn new(considered: u32, first: u32) -> Stages {
        Stages {
            considered: considered.max(1),
            first: first.max(1),
            begun: 0,
            quotas: Vec::new(),
            level: 0,
            levels: Vec::new(),
        }
    }

    /// Rechecks all quotas after visits have been taken back. Moves that drop out because they are
    /// proven are not replaced within a stage.
    pub fn restart(&mut self) {
        self.level = 0;
    }

    /// The number of visits that the next move must have. `visits` are those of the allowed moves
    /// and must not be empty.
    pub fn next(&mut self, visits: &[u32]) -> u32 {
        let moves = visits.len() as u32;
        loop {
            while let Some(&quota) = self.quotas.get(self.level) {
                let level = self.level as u32;
                let met = visits.iter().filter(|&&visits| visits > level).count() as u32;
                if met < quota.min(moves) {
                    return level;
                }
                self.level += 1;
            }
            self.begin(self.begun, moves);
        }
    }

    fn begin(&mut self, number: u32, moves: u32) {
        self.begun = number + 1;
        self.level = 0;
        let budget = self.first.saturating_mul(1 << number.min(30));
        let considered =
            self.considered.saturating_mul(1 << (number / 2).min(30)).min(moves).min(budget);
        schedule(considered, budget, &mut self.levels);
        self.quotas.clear();
        for &level in &self.levels {
            let level = level as usize;
            self.quotas.resize(self.quotas.len().max(level + 1), 0);
            self.quotas[level] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Always visits the first of the moves with the required number of visits.
    fn run(stages: &mut Stages, visits: &mut [u32], simulations: u32) {
        for _ in 0..simulations {
            let level = stages.next(visits);
            let next = visits.iter().position(|&visits| visits == level);
            visits[next.expect("a move that is due")] += 1;
        }
    }

    #[test]
    fn the_first_stage_is_sequential_halving() {
        for (considered, simulations) in [(16, 64), (16, 16), (4, 9), (1, 5), (16, 200)] {
            let mut levels = Vec::new();
            schedule(considered, simulations, &mut levels);
            let mut stages = Stages::new(considered, simulations);
            let mut visits = vec![0; considered as usize];
            for level in levels {
                assert_eq!(stages.next(&visits), level, "{considered} of {simulations}");
                run(&mut stages, &mut visits, 1);
            }
        }
    }

    #[test]
    fn later_stages_count_what_earlier_ones_did_and_widen() {
        let mut stages = Stages::new(4, 16);
        let mut visits = vec![0; 20];
        run(&mut stages, &mut visits, 16);
        assert_eq!(visits[..5], [6, 6, 2, 2, 0]);
        run(&mut stages, &mut visits, 16);
        assert_eq!(visits[..5], [12, 12, 4, 4, 0]);
        // The third stage considers eight moves.
        run(&mut stages, &mut visits, 32);
        assert_eq!(visits.iter().filter(|&&visits| visits > 0).count(), 8);
        // The other moves catch up, whatever visits a tree inherits.
        let mut stages = Stages::new(4, 16);
        let mut visits = vec![0, 0, 500];
        run(&mut stages, &mut visits, 1_500);
        assert!(visits.iter().all(|&visits| visits > 200), "{visits:?}");
    }
}

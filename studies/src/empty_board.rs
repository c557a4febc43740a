//! Searches of the empty board: who is ahead, and the first moves up to symmetry.

use arena::MatchError;
use engine::{Move, Position, Rules, Symmetry};
use search::{Evaluator, MoveStats, Search, SearchResult};

use crate::agent::{self, agent_settings};
use crate::observe::chance;
use crate::opening_correction::logit;

/// First moves that are equivalent by symmetry.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstMoveClass {
    /// The moves.
    pub moves: Vec<Move>,
    /// Their total weight in the improved policy of a search.
    pub share: f64,
}

/// What searches of the empty board find. They give no confidence interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmptyBoardResult {
    /// Black's winning probability.
    pub black: f64,
    /// The same by a quarter of the simulations.
    pub shorter: f64,
    /// Classes of first moves, most popular first.
    pub first_moves: Vec<FirstMoveClass>,
}

impl EmptyBoardResult {
    /// How far the longer search is from the shorter one, in logits: an estimate of how wrong
    /// `black` may still be.
    pub fn doubt(&self) -> f64 {
        (logit(self.black) - logit(self.shorter)).abs()
    }
}

/// The empty board gets this many times the simulations of a turn: nothing averages out the error
/// of this one search, which with the simulations of a turn is often ten percentage points.
const LONGER: u32 = 16;

/// The same for shorter searches.
const SHORTER: u32 = 4;

/// Black's winning probability on the empty board by a shorter search: accurate enough to choose
/// which compensations are worth playing.
pub(crate) fn black_by_short_search<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    seed: u64,
    evaluator: &mut E,
) -> Result<f64, MatchError> {
    let [found] = searched(rules, [simulations.saturating_mul(SHORTER)], seed, evaluator)?;
    Ok(chance(found.root_value))
}

/// Searches the empty board for Black's winning probability and the first moves.
pub(crate) fn search_empty_board<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    seed: u64,
    evaluator: &mut E,
) -> Result<EmptyBoardResult, MatchError> {
    let simulations = [LONGER, SHORTER].map(|times| simulations.saturating_mul(times));
    let [found, shorter] = searched(rules, simulations, seed, evaluator)?;
    let mut first_moves: Vec<FirstMoveClass> = Vec::new();
    for &MoveStats { played, policy, .. } in &found.moves {
        let share = f64::from(policy);
        let alike = |class: &&mut FirstMoveClass| {
            class.moves.first().is_some_and(|&first| same(first, played, &rules))
        };
        match first_moves.iter_mut().find(alike) {
            Some(known) => {
                known.moves.push(played);
                known.share += share;
            }
            None => first_moves.push(FirstMoveClass { moves: vec![played], share }),
        }
    }
    first_moves.sort_by(|a, b| b.share.total_cmp(&a.share));
    let [black, shorter] = [found.root_value, shorter.root_value].map(chance);
    Ok(EmptyBoardResult { black, shorter, first_moves })
}

/// One search of the empty board with each of these numbers of simulations.
fn searched<const COUNT: usize, E: Evaluator>(
    rules: Rules,
    simulations: [u32; COUNT],
    seed: u64,
    evaluator: &mut E,
) -> Result<[SearchResult; COUNT], MatchError> {
    let start = |simulations| Search::new(Position::new(rules), agent_settings(simulations), seed);
    let mut searches = simulations.map(start);
    search::run(&mut searches, evaluator).map_err(agent::failure)?;
    Ok(searches.each_ref().map(Search::result))
}

/// Conquest settles regions in the order of points, but the empty board has nothing to settle, so
/// all rules are symmetric there.
fn same(one: Move, other: Move, rules: &Rules) -> bool {
    Symmetry::of(rules.size).iter().any(|symmetry| symmetry.map_move(one, rules.size) == other)
}

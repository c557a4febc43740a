//! First moves, symmetric ones counted as one.

use arena::MatchError;
use engine::{Move, Position, Rules, Symmetry};
use search::{Evaluator, MoveStats, Search};

use crate::agent::{self, agent};
use crate::observe::chance;

/// First moves that are the same up to symmetry.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The moves.
    pub moves: Vec<Move>,
    /// Weight of all of them in the improved policy of a search.
    pub share: f64,
    /// Mean of their values for Black, where the search visited any.
    pub value: Option<f64>,
}

/// The result of one search of the empty board, without an interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Atlas {
    /// Black's winning chance.
    pub black: f64,
    /// Classes of first moves, the most popular first.
    pub openings: Vec<Opening>,
    /// e to the entropy of the shares: how many openings there are, weighted by how much they are played.
    pub effective: f64,
}

/// Searches the start.
pub(crate) fn atlas<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    seed: u64,
    evaluator: &mut E,
) -> Result<Atlas, MatchError> {
    let mut search = [Search::new(Position::new(rules), agent(4 * simulations), seed)];
    search::run(&mut search, evaluator).map_err(agent::failure)?;
    let [search] = search;
    let result = search.result();
    let mut openings: Vec<(Opening, Vec<f64>)> = Vec::new();
    for &MoveStats { played, policy, value, .. } in &result.moves {
        let class = openings.iter_mut().find(|(opening, _)| {
            opening.moves.first().is_some_and(|&first| same(first, played, &rules))
        });
        let (opening, values) = match class {
            Some(known) => known,
            None => {
                let new = Opening { moves: Vec::new(), share: 0.0, value: None };
                openings.push((new, Vec::new()));
                let last = openings.len() - 1;
                &mut openings[last]
            }
        };
        opening.moves.push(played);
        opening.share += f64::from(policy);
        values.extend(value.map(f64::from));
    }
    let mut openings: Vec<Opening> = openings
        .into_iter()
        .map(|(opening, values)| {
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            Opening { value: (!values.is_empty()).then_some(mean), ..opening }
        })
        .collect();
    openings.sort_by(|a, b| b.share.total_cmp(&a.share));
    let entropy: f64 = openings.iter().map(|o| -o.share * o.share.max(1e-300).ln()).sum();
    Ok(Atlas { black: chance(result.root_value), openings, effective: entropy.exp() })
}

/// Conquest's order of settling follows the points, but the empty board has nothing to settle: all rules are symmetric.
fn same(one: Move, other: Move, rules: &Rules) -> bool {
    Symmetry::of(rules.size).iter().any(|symmetry| symmetry.play(one, rules.size) == other)
}

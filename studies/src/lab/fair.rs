//! The compensation that makes the game even, from the games of several networks.

use arena::Estimate;

use crate::balance::{self, Candidate, CompensationLevel, FairPoint};

use super::networks::across;

/// Minimum number of games by all networks at every compensation for an estimate of the fair one.
const MIN_GAMES: usize = 8;

/// The compensation that makes the game even.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FairPoints {
    /// From all games; `None` before there are enough, or if more compensation helps Black.
    pub together: Option<FairPoint>,
    /// From the games of each network.
    pub networks: Vec<Option<FairPoint>>,
}

/// The games of all networks at each compensation.
pub(crate) fn together(networks: &[Vec<CompensationLevel>]) -> Vec<Candidate> {
    let count = networks.first().map_or(0, Vec::len);
    let at = |index: usize| networks.iter().map(|levels| &levels[index]).collect::<Vec<_>>();
    (0..count).filter_map(|index| Candidate::of(&at(index))).collect()
}

/// Black's share of the points from the empty board at each compensation.
pub(super) fn levels(networks: &[Vec<CompensationLevel>]) -> Vec<(f64, Estimate)> {
    together(networks)
        .iter()
        .enumerate()
        .filter_map(|(index, all)| {
            let own = |levels: &Vec<CompensationLevel>| Candidate::of(&[&levels[index]])?.black();
            let each = networks.iter().map(own).collect::<Option<Vec<Estimate>>>()?;
            Some((all.compensation, across(&each, all.black()?, [0.0, 1.0])))
        })
        .collect()
}

/// The compensation that makes the game even, by the games of each network at each compensation.
pub(super) fn fair_points(networks: &[Vec<CompensationLevel>]) -> FairPoints {
    let all = together(networks);
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return FairPoints::default() };
    if all.iter().any(|candidate| candidate.games.len() < MIN_GAMES) {
        return FairPoints::default();
    }
    let each: Vec<Option<FairPoint>> = networks
        .iter()
        .map(|levels| balance::fair_point(&together(std::slice::from_ref(levels))))
        .collect();
    let found: Vec<FairPoint> = each.iter().copied().flatten().collect();
    let tested = [first.compensation, last.compensation];
    let together = balance::fair_point(&all);
    let together = together.map(|together| FairPoint::across(&found, together, tested));
    FairPoints { together, networks: each }
}

//! Estimates from several networks. The networks are a sample too: their disagreement is part of
//! the uncertainty.

use arena::Estimate;

use crate::balance::{FairPoint, TestedCompensation};
use crate::statistic::Statistic;
use crate::summary::{Breadth, Observations};

/// Minimum number of networks whose spread can be estimated.
const ENOUGH: usize = 3;

/// The value over all games together. Its interval contains that of the games and, with three or
/// more networks, Student's interval of the networks' own values. Two networks say too little about
/// the spread of others; in that case it contains what either of them found.
pub(crate) fn across(networks: &[Estimate], together: Estimate, range: [f64; 2]) -> Estimate {
    let values: Vec<f64> = networks.iter().map(|network| network.value).collect();
    let spread = Estimate::mean_of_normal(&values).filter(|_| networks.len() >= ENOUGH);
    let (least, most) = match spread {
        Some(spread) => (spread.low, spread.high),
        None => (
            values.iter().copied().fold(f64::INFINITY, f64::min),
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ),
    };
    // Counts of events may exceed their usual range.
    let value = together.value;
    Estimate {
        low: together.low.min(least).max(range[0]).min(value),
        value,
        high: together.high.max(most).min(range[1]).max(value),
    }
}

impl Statistic {
    /// The same figure over the games of several networks.
    fn across(networks: &[&Statistic], together: Statistic) -> Statistic {
        // A network that never encountered it says nothing about it.
        let estimates: Vec<Estimate> =
            networks.iter().filter_map(|network| network.estimate).collect();
        let estimate = together.estimate.map(|all| match estimates.as_slice() {
            [] => all,
            some => across(some, all, together.range),
        });
        Statistic { estimate, ..together }
    }
}

impl Observations {
    /// The observations over several networks' games under the same rules, given those of all games
    /// `together`.
    pub(crate) fn across(networks: &[Observations], together: Observations) -> Observations {
        let merge = |of: fn(&Observations) -> &Vec<Statistic>, all: Vec<Statistic>| {
            all.into_iter()
                .enumerate()
                .map(|(index, all)| {
                    let same: Vec<&Statistic> =
                        networks.iter().filter_map(|one| of(one).get(index)).collect();
                    Statistic::across(&same, all)
                })
                .collect()
        };
        Observations {
            statistics: merge(|one| &one.statistics, together.statistics),
            ends: merge(|one| &one.ends, together.ends),
            bans: merge(|one| &one.bans, together.bans),
            breadth: together
                .breadth
                .into_iter()
                .map(|all| {
                    let same: Vec<Estimate> = networks
                        .iter()
                        .filter_map(|one| one.breadth.get(all.turn))
                        .map(|breadth| breadth.moves)
                        .collect();
                    Breadth { moves: across(&same, all.moves, [1.0, f64::INFINITY]), ..all }
                })
                .collect(),
            games: together.games,
            different: together.different,
        }
    }
}

impl FairPoint {
    /// The fair compensation found by several networks, given that of all their games `together`.
    /// `tested` holds the lowest and the highest compensation played.
    pub(crate) fn across(
        networks: &[FairPoint],
        together: FairPoint,
        tested: [f64; 2],
    ) -> FairPoint {
        let [least, most] = tested;
        let estimate = |fair: FairPoint| Estimate {
            low: fair.low.position(),
            value: fair.value.position().clamp(least, most),
            high: fair.high.position(),
        };
        let estimates: Vec<Estimate> = networks.iter().copied().map(estimate).collect();
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        let merged = across(&estimates, estimate(together), all);
        // How far beyond the tested range a network's own value lies is unknown, and so is the
        // spread.
        let unknown = |end: f64| networks.iter().any(|fair| fair.value.position() == end);
        let low = if unknown(f64::NEG_INFINITY) { f64::NEG_INFINITY } else { merged.low };
        let high = if unknown(f64::INFINITY) { f64::INFINITY } else { merged.high };
        let end = |value: f64| match value {
            _ if value < least => TestedCompensation::Below(least),
            _ if value > most => TestedCompensation::Above(most),
            _ => TestedCompensation::At(value),
        };
        FairPoint { low: end(low), value: together.value, high: end(high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_without_a_value_does_not_hide_how_far_the_others_are_apart() {
        let figure = |values: &[f64]| {
            Statistic::mean("first-tile", "turn", values.iter().copied(), [0.0, 150.0])
        };
        let (early, late) = ([9.0, 10.0, 11.0].repeat(8), [29.0, 30.0, 31.0].repeat(8));
        let together = figure(&[early.clone(), late.clone()].concat());
        let networks = [figure(&early), figure(&late), figure(&[])];
        let all: Vec<&Statistic> = networks.iter().collect();
        let found = Statistic::across(&all, together).estimate.expect("games");
        assert!(found.low <= 10.0 && found.high >= 30.0, "{found:?}");
        let none = Statistic::across(&all, figure(&[]));
        assert!(none.estimate.is_none());
    }
}

//! Differences between rule sets, corrected for multiple comparisons.

use arena::{Estimate, normal_critical_value};

use crate::statistic::Statistic;

use super::networks::across;

/// Total error probability of all statements that two rule sets differ, whatever is compared.
const ERROR: f64 = 0.05;

/// The figure that is of most interest for any rule set: how far the first player is ahead. Where
/// both rule sets have it, it gets half of the error probability, so that the number of other
/// figures does not hide it.
const FIRST: &str = "margin";

/// The difference of a figure between two rule sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The figure: its key.
    pub key: String,
    /// What it is.
    pub name: String,
    /// Whether it rests on the agents' evaluations.
    pub evaluated: bool,
    /// First minus second, with the 95 % interval for this figure alone.
    pub estimate: Estimate,
    /// Whether the rule sets differ, taking into account that many figures are compared: the games
    /// say so after Holm's weighted correction (*A simple sequentially rejective multiple test
    /// procedure*, 1979), and the networks agree.
    pub certain: bool,
    /// How many times as many games would be needed to show, in four of five laboratories, a
    /// difference of the size found; infinite if the networks contradict each other, which more
    /// games would not change.
    pub times_the_games: f64,
}

/// The figures of a rule set, for each network.
pub(crate) type Figures<'a> = [&'a [Statistic]];

/// The differences between the first rule set and each of the others, in all figures that both have
/// and that are means over games. The networks must be in the same order everywhere.
pub(crate) fn differences(first: &Figures<'_>, others: &[&Figures<'_>]) -> Vec<Vec<Difference>> {
    let mut found: Vec<Vec<Compared>> = others
        .iter()
        .map(|other| {
            let names = first.first().map_or(&[][..], |figures| *figures);
            names.iter().filter_map(|figure| one(figure, first, other)).collect()
        })
        .collect();
    let all = || found.iter().flatten();
    let is_first = |one: &Compared| one.difference.key == FIRST;
    let (asked_first, rest): (Vec<_>, Vec<_>) = all().partition(|one| is_first(one));
    let weight = rest.len().max(1) as f64 / asked_first.len().max(1) as f64;
    let weights: Vec<f64> = all().map(|one| if is_first(one) { weight } else { 1.0 }).collect();
    let probabilities: Vec<f64> = all().map(|one| one.probability).collect();
    let total: f64 = weights.iter().sum();
    let corrections = corrected(&probabilities, &weights).into_iter().zip(&weights);
    for (one, (adjusted, weight)) in found.iter_mut().flatten().zip(corrections) {
        let Estimate { low, value, high } = one.difference.estimate;
        one.difference.certain = adjusted < ERROR && !(low..=high).contains(&0.0);
        if !one.is_contradicted {
            let needed = normal_critical_value(ERROR * weight / total) + FOUR_OF_FIVE;
            one.difference.times_the_games = (needed * one.error / value).powi(2);
        }
    }
    let alone = |some: Vec<Compared>| some.into_iter().map(|one| one.difference).collect();
    found.into_iter().map(alone).collect()
}

/// The quantile of the normal distribution at four fifths.
const FOUR_OF_FIVE: f64 = 0.8416;

/// A difference before the correction for multiple comparisons.
struct Compared {
    difference: Difference,
    probability: f64,
    /// Standard error of the difference, of the games alone.
    error: f64,
    /// Whether the networks' own differences contradict each other.
    is_contradicted: bool,
}

/// P-values after Holm's weighted correction: rejecting those below an error probability keeps the
/// total error below it.
fn corrected(probabilities: &[f64], weights: &[f64]) -> Vec<f64> {
    let weighted = |index: usize| probabilities[index] / weights[index];
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| weighted(a).total_cmp(&weighted(b)));
    let mut left: f64 = weights.iter().sum();
    let mut largest: f64 = 0.0;
    let mut corrected = vec![1.0; probabilities.len()];
    for index in order {
        largest = largest.max(weighted(index) * left).min(1.0);
        corrected[index] = largest;
        left -= weights[index];
    }
    corrected
}

/// The difference in one figure.
fn one(figure: &Statistic, first: &Figures<'_>, second: &Figures<'_>) -> Option<Compared> {
    let of = |networks: &Figures<'_>| -> Option<Vec<Vec<f64>>> {
        let values = |statistics: &&[Statistic]| {
            let same = statistics.iter().find(|other| other.key == figure.key)?;
            (!same.values.is_empty()).then(|| same.values.clone())
        };
        networks.iter().map(values).collect()
    };
    let (first, second) = (of(first)?, of(second)?);
    let pairs = first.iter().zip(&second).map(|(first, second)| [&first[..], &second[..]]);
    let strata: Vec<[&[f64]; 2]> = pairs.collect();
    let (together, probability) = Estimate::difference(&strata, figure.range)?;
    let networks: Vec<Estimate> = strata
        .chunks(1)
        .filter_map(|network| Some(Estimate::difference(network, figure.range)?.0))
        .collect();
    // Only fractions are bounded: games may exceed the usual range of other figures.
    let bounds = match figure.range {
        [0.0, 1.0] => [-1.0, 1.0],
        _ => [f64::NEG_INFINITY, f64::INFINITY],
    };
    let estimate = across(&networks, together, bounds);
    let Statistic { key, name, evaluated, .. } = figure.clone();
    let difference = Difference {
        key,
        name,
        evaluated,
        estimate,
        certain: false,
        times_the_games: f64::INFINITY,
    };
    Some(Compared {
        difference,
        probability,
        error: (together.high - together.low) / 2.0 / normal_critical_value(ERROR),
        is_contradicted: networks.iter().any(|network| network.high < 0.0)
            && networks.iter().any(|network| network.low > 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_holms_own_correction() {
        // By hand: 0.01 · 4, 0.015 · 3, then never less than the one before.
        let found = corrected(&[0.04, 0.01, 0.03, 0.015], &[1.0; 4]);
        let known = [0.06, 0.04, 0.06, 0.045];
        assert!(found.iter().zip(known).all(|(found, known)| (found - known).abs() < 1e-9));
    }

    #[test]
    fn half_of_the_error_is_for_the_first_question() {
        let probabilities = [0.02, 0.001, 0.9, 0.9];
        let found = corrected(&probabilities, &[3.0, 1.0, 1.0, 1.0]);
        // 0.001 of a sixth first, then 0.02 of three fifths.
        let known = [0.02 / 3.0 * 5.0, 0.006, 1.0, 1.0];
        assert!(found.iter().zip(known).all(|(found, known)| (found - known).abs() < 1e-9));
        assert!(corrected(&probabilities, &[1.0; 4])[0] > 0.05);
    }
}

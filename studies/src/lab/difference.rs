//! Differences between rule sets, corrected for multiple comparisons.

use arena::{Estimate, normal_critical_value};

use crate::statistic::Statistic;

use super::networks::across;

/// Total error probability of all statements that two rule sets differ, whatever is compared.
const ERROR: f64 = 0.05;

/// The figure that is of most interest for any rule set: how far the first player is ahead. It gets
/// half of the error probability, so that the number of other figures does not hide it.
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
    /// How many times as many games would be needed to tell, about half of the time, whether there
    /// is a difference of the size found.
    pub times_the_games: f64,
}

/// The figures of a rule set, for each network.
pub(crate) type Figures<'a> = [&'a [Statistic]];

/// The differences between the first rule set and each of the others, in all figures that both have
/// and that are means over games. The networks must be in the same order everywhere.
pub(crate) fn differences(first: &Figures<'_>, others: &[&Figures<'_>]) -> Vec<Vec<Difference>> {
    let mut found: Vec<Vec<(Difference, f64)>> = others
        .iter()
        .map(|other| {
            let names = first.first().map_or(&[][..], |figures| *figures);
            names.iter().filter_map(|figure| one(figure, first, other)).collect()
        })
        .collect();
    let all = || found.iter().flatten();
    let (asked_first, rest): (Vec<_>, Vec<_>) = all().partition(|(one, _)| one.key == FIRST);
    let weight = rest.len().max(1) as f64 / asked_first.len().max(1) as f64;
    let weights: Vec<f64> =
        all().map(|(one, _)| if one.key == FIRST { weight } else { 1.0 }).collect();
    let probabilities: Vec<f64> = all().map(|&(_, probability)| probability).collect();
    let total: f64 = weights.iter().sum();
    let corrections = corrected(&probabilities, &weights).into_iter().zip(&weights);
    for ((difference, _), (adjusted, weight)) in found.iter_mut().flatten().zip(corrections) {
        let Estimate { low, value, high } = difference.estimate;
        difference.certain = adjusted < ERROR && !(low..=high).contains(&0.0);
        // The interval is for one figure alone, and the correction is stricter.
        let stricter = normal_critical_value(ERROR * weight / total) / normal_critical_value(ERROR);
        difference.times_the_games = (stricter * (high - low) / 2.0 / value).powi(2);
    }
    let alone = |pairs: Vec<(Difference, f64)>| pairs.into_iter().map(|(one, _)| one).collect();
    found.into_iter().map(alone).collect()
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

/// The difference in one figure, and its p-value.
fn one(figure: &Statistic, first: &Figures<'_>, second: &Figures<'_>) -> Option<(Difference, f64)> {
    let of = |networks: &Figures<'_>| -> Option<Vec<Vec<f64>>> {
        let values = |statistics: &&[Statistic]| {
            let same = statistics.iter().find(|other| other.key == figure.key)?;
            (!same.values.is_empty()).then(|| same.values.clone())
        };
        networks.iter().map(values).collect()
    };
    let (first, second) = (of(first)?, of(second)?);
    let (together, probability) =
        Estimate::difference(&first.concat(), &second.concat(), figure.range)?;
    let networks: Vec<Estimate> = first
        .iter()
        .zip(&second)
        .filter_map(|(first, second)| Some(Estimate::difference(first, second, figure.range)?.0))
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
    Some((difference, probability))
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

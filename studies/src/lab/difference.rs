//! Differences between two rule sets, corrected for how many of them are looked at.

use arena::Estimate;

use crate::statistic::Statistic;

use super::networks::across;

/// Error probability of all sentences together that say that two rule sets differ.
const ERROR: f64 = 0.05;

/// The figure whose difference is asked for first of any rule set: how far the first player is ahead. Half of the error
/// is for it, so that the number of other figures does not hide it.
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
    /// First minus second, with the 95 % interval of this figure alone.
    pub estimate: Estimate,
    /// Whether the rule sets differ, considering that many figures are compared: the games say so after Holm's
    /// weighted correction (*A simple sequentially rejective multiple test procedure*, 1979), and the networks agree.
    pub certain: bool,
}

impl Difference {
    /// How many times the games would tell whether there is a difference of the size found.
    pub fn times_the_games(&self) -> f64 {
        let Estimate { low, value, high } = self.estimate;
        let half = (high - low) / 2.0;
        (half / value).powi(2)
    }
}

/// The differences of all figures that both rule sets have and that are means over games. `first` and `second` are
/// the statistics of each network, in the same order.
pub(crate) fn differences(first: &[&[Statistic]], second: &[&[Statistic]]) -> Vec<Difference> {
    let Some(names) = first.first() else { return Vec::new() };
    let compared = names.iter().filter_map(|figure| one(figure, first, second));
    let (mut found, probabilities): (Vec<Difference>, Vec<f64>) = compared.unzip();
    let others = found.len().saturating_sub(1).max(1) as f64;
    let weights: Vec<f64> =
        found.iter().map(|one| if one.key == FIRST { others } else { 1.0 }).collect();
    for (difference, adjusted) in found.iter_mut().zip(corrected(&probabilities, &weights)) {
        let Estimate { low, high, .. } = difference.estimate;
        difference.certain = adjusted < ERROR && !(low..=high).contains(&0.0);
    }
    found
}

/// Probabilities after Holm's weighted correction: whatever is below an error probability together errs with no larger
/// one.
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

/// The difference of one figure, and its probability if there is none.
fn one(
    figure: &Statistic,
    first: &[&[Statistic]],
    second: &[&[Statistic]],
) -> Option<(Difference, f64)> {
    let of = |networks: &[&[Statistic]]| -> Option<Vec<Vec<f64>>> {
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
    let estimate = across(&networks, together, [f64::NEG_INFINITY, f64::INFINITY]);
    let Statistic { key, name, evaluated, .. } = figure.clone();
    Some((Difference { key, name, evaluated, estimate, certain: false }, probability))
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

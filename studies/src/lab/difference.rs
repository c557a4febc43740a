//! Differences between two rule sets, corrected for how many of them are looked at.

use arena::Estimate;

use crate::statistic::Statistic;

use super::networks::across;

/// Error probability of all sentences together that say that two rule sets differ.
const ERROR: f64 = 0.05;

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
    /// correction (*A simple sequentially rejective multiple test procedure*, 1979), and the networks agree.
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
    let (mut found, mut probabilities): (Vec<Difference>, Vec<f64>) = compared.unzip();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(probabilities[index] * (order.len() - rank) as f64);
        probabilities[index] = largest;
    }
    for (difference, adjusted) in found.iter_mut().zip(probabilities) {
        let Estimate { low, high, .. } = difference.estimate;
        difference.certain = adjusted < ERROR && !(low..=high).contains(&0.0);
    }
    found
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

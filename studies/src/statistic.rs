//! A figure measured over games.

use arena::Estimate;

/// Something measured over games.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    /// What it is called for programs; see [`crate::figure_keys`].
    pub key: String,
    /// What it is.
    pub name: String,
    /// Games that it was measured in.
    pub games: usize,
    /// Its value with its interval; `None` where it does not apply to the rules or to any of the games.
    pub estimate: Option<Estimate>,
    /// Whether it rests on the agent's evaluations and not on what happened alone.
    pub evaluated: bool,
    /// Range of the values of single games.
    pub(crate) range: [f64; 2],
    /// The values of the games; none if the estimate is not their mean.
    pub(crate) values: Vec<f64>,
}

impl Statistic {
    pub(crate) fn new(
        key: &str,
        name: &str,
        games: usize,
        estimate: Option<Estimate>,
        range: [f64; 2],
        values: Vec<f64>,
    ) -> Statistic {
        let (key, name) = (key.to_owned(), name.to_owned());
        Statistic { key, name, games, estimate, evaluated: false, range, values }
    }

    /// How often something happened in games.
    pub(crate) fn share(key: &str, name: &str, happened: impl Iterator<Item = bool>) -> Statistic {
        let values: Vec<f64> = happened.map(|yes| f64::from(u8::from(yes))).collect();
        let count = values.iter().filter(|&&value| value == 1.0).count();
        let estimate = Estimate::share(count, values.len());
        Statistic::new(key, name, values.len(), estimate, [0.0, 1.0], values)
    }

    /// The mean over games.
    pub(crate) fn mean(
        key: &str,
        name: &str,
        values: impl Iterator<Item = f64>,
        range: [f64; 2],
    ) -> Statistic {
        let values: Vec<f64> = values.collect();
        Statistic::new(key, name, values.len(), Estimate::mean(&values, range), range, values)
    }
}

//! A figure measured over games.

use arena::Estimate;

/// Something measured over games.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    /// Its name for programs, as in [`crate::Claim`]s.
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// Number of games in which it was measured.
    pub games: usize,
    /// Its value with its interval; `None` if it does not apply to the rules or to any of the
    /// games.
    pub estimate: Option<Estimate>,
    /// Whether it depends on the agent's evaluations, and not only on what happened.
    pub evaluated: bool,
    /// Range of the values of single games.
    pub(crate) range: [f64; 2],
    /// The values of the individual games; empty if the estimate is not their mean.
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

    /// The mean over games. If values exceed the usual range, it is extended to include them: an
    /// interval cut at the usual bound could otherwise end at its own value.
    pub(crate) fn mean(
        key: &str,
        name: &str,
        values: impl Iterator<Item = f64>,
        range: [f64; 2],
    ) -> Statistic {
        // The sum of nothing is −0, which people and programs would see as such.
        let values: Vec<f64> = values.map(|value| value + 0.0).collect();
        let range =
            values.iter().fold(range, |[least, most], &one| [least.min(one), most.max(one)]);
        Statistic::new(key, name, values.len(), Estimate::mean(&values, range), range, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_usual_range_do_not_cut_the_interval() {
        let captured = [30.0, 24.0, 41.0, 28.0, 33.0, 26.0, 37.0, 29.0];
        let found = Statistic::mean("captured", "stones", captured.into_iter(), [0.0, 25.0]);
        let Estimate { low, value, high } = found.estimate.expect("games");
        assert_eq!(value, 31.0);
        assert!(low < 29.0 && high > 33.0, "{low} to {high}");
        let usual = Statistic::mean("captured", "stones", [3.0, 4.0].into_iter(), [0.0, 25.0]);
        assert_eq!(usual.range, [0.0, 25.0]);
    }

    #[test]
    fn zero_has_no_sign() {
        let nothing = [std::iter::empty::<f64>().sum(), -0.0];
        let found = Statistic::mean("drama", "drama", nothing.into_iter(), [0.0, 1.0]);
        let estimate = found.estimate.expect("games");
        let mut all = estimate.parts().into_iter().chain(found.range).chain(found.values);
        assert!(all.all(f64::is_sign_positive), "{estimate:?}");
    }
}

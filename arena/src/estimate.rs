//! Estimates with 95 % intervals that remain valid for few games and for identical games.

use statrs::function::beta::{beta_reg, inv_beta_reg};

/// Error probability at each end of an interval.
const TAIL: f64 = 0.025;

/// The same for means, whose intervals are not exact. The results of games are discrete, so the
/// coverage of Student's interval varies by a percent or two around its nominal value. This keeps
/// its minimum at 95 %, by simulation for 20 to 400 games with any shares of wins and draws.
const MEAN_TAIL: f64 = 0.0175;

/// A value with its 95 % interval. The interval is never empty and contains the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Lower end.
    pub low: f64,
    /// The estimate.
    pub value: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// Lower end, value and upper end.
    pub fn parts(self) -> [f64; 3] {
        [self.low, self.value, self.high]
    }

    /// The probability of an event that occurred in `successes` of `trials`; `None` without trials.
    ///
    /// Uses the Clopper–Pearson interval (*The use of confidence or fiducial limits*, 1934): it is
    /// exact, so even an event that never happened has an upper end.
    pub fn share(successes: usize, trials: usize) -> Option<Estimate> {
        let failures = trials.checked_sub(successes).filter(|_| trials > 0)?;
        let (hits, misses) = (successes as f64, failures as f64);
        Some(Estimate {
            low: if successes == 0 { 0.0 } else { inv_beta_reg(hits, misses + 1.0, TAIL) },
            value: hits / trials as f64,
            high: if failures == 0 { 1.0 } else { inv_beta_reg(hits + 1.0, misses, 1.0 - TAIL) },
        })
    }

    /// The mean of independent values in `range`; `None` without values.
    ///
    /// Uses Student's interval after adding one value at each end of the range. Between 0 and 1
    /// this is the adjustment of Agresti and Coull (*Approximate is better than "exact"*, 1998) in
    /// the form of [`crate::Pentanomial`]. It allows for rare values not yet seen, so that equal
    /// values do not give an empty interval.
    pub fn mean(values: &[f64], range: [f64; 2]) -> Option<Estimate> {
        let [least, most] = range;
        let count = values.len() as f64;
        // Without a sign if it is zero.
        let value = values.iter().sum::<f64>() / count + 0.0;
        let Adjusted { center, square_error, freedom } = adjusted(values, range, 1.0);
        let half = half_width(freedom, MEAN_TAIL) * square_error.sqrt();
        let (low, high) = ((center - half).max(least), (center + half).min(most));
        (count > 0.0).then_some(Estimate { low: low.min(value), value, high: high.max(value) })
    }

    /// The difference between the means of two samples in `range`, on average over `strata` (pairs
    /// of independent samples), and the p-value of the hypothesis that it is zero; `None` if there
    /// are no strata or a sample is empty.
    ///
    /// Every stratum counts the same, so the difference is not mistaken for one between strata that
    /// contribute differently many values to the two samples. Uses Welch's interval (*The
    /// generalization of Student's problem*, 1947), with a value at each end of the range added to
    /// each sample as in [`Estimate::mean`], of weight one over all strata.
    pub fn difference(strata: &[[&[f64]; 2]], range: [f64; 2]) -> Option<(Estimate, f64)> {
        if strata.is_empty() || strata.iter().flatten().any(|values| values.is_empty()) {
            return None;
        }
        let count = strata.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (mut value, mut center, mut square, mut parts) = (0.0, 0.0, 0.0, 0.0);
        for (values, sign) in
            strata.iter().flat_map(|&[first, second]| [(first, 1.0), (second, -1.0)])
        {
            let sample = adjusted(values, range, 1.0 / count);
            let squared = sample.square_error / count.powi(2);
            value += sign * mean(values) / count;
            center += sign * sample.center / count;
            square += squared;
            parts += squared.powi(2) / sample.freedom;
        }
        let (error, freedom) = (square.sqrt(), square.powi(2) / parts);
        let half = student_critical_value(freedom) * error;
        let (low, high) = ((center - half).min(value), (center + half).max(value));
        let ratio = center / error;
        let probability = beta_reg(freedom / 2.0, 0.5, freedom / (freedom + ratio * ratio));
        Some((Estimate { low, value, high }, probability))
    }

    /// The mean of a few independent, nearly normally distributed values; `None` with fewer than
    /// two. Uses Student's interval, which is empty if all values are equal.
    pub fn mean_of_normal(values: &[f64]) -> Option<Estimate> {
        let count = values.len() as f64;
        let value = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|one| (one - value).powi(2)).sum::<f64>();
        if values.len() < 2 {
            return None;
        }
        let half = student_critical_value(count - 1.0) * (squares / (count - 1.0) / count).sqrt();
        Some(Estimate { low: value - half, value, high: value + half })
    }

    /// The quantile at `share` (0 to 1) of integers in `range`; `None` without values.
    ///
    /// Uses order statistics, which assume nothing about the distribution. An integer is known to
    /// within a half at best, so a half is added at each end. If a tail has too few values, that
    /// end is the end of the range.
    pub fn quantile(values: &[f64], share: f64, range: [f64; 2]) -> Option<Estimate> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let middle = (share * count.saturating_sub(1) as f64).round() as usize;
        // The number of values below the quantile is binomial; `below` is the probability of at
        // most `number`.
        let below = |number: usize| binomial_at_most(number, count, share);
        let first = (0..count).take_while(|&number| below(number) <= TAIL).last();
        let last = (0..count).find(|&number| below(number) >= 1.0 - TAIL);
        let value = *values.get(middle)?;
        Some(Estimate {
            low: first.map_or(range[0], |first| (values[first] - 0.5).max(range[0])).min(value),
            value,
            high: last.map_or(range[1], |last| (values[last] + 0.5).min(range[1])).max(value),
        })
    }
}

/// A sample with one value of some weight added at each end of its range.
struct Adjusted {
    center: f64,
    /// Square of the standard error of the center.
    square_error: f64,
    freedom: f64,
}

fn adjusted(values: &[f64], range: [f64; 2], weight: f64) -> Adjusted {
    let sum = |of: &dyn Fn(f64) -> f64| {
        let [inside, ends] = [values, &range].map(|some| some.iter().copied().map(of).sum::<f64>());
        inside + weight * ends
    };
    let all = values.len() as f64 + 2.0 * weight;
    let center = sum(&|value| value) / all;
    let squares = sum(&|value| (value - center).powi(2));
    Adjusted { center, square_error: squares / (all - 1.0) / all, freedom: all - 1.0 }
}

/// The probability of at most this many successes in this many trials.
fn binomial_at_most(successes: usize, trials: usize, chance: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    let (hits, misses) = (successes as f64, (trials - successes) as f64);
    beta_reg(misses, hits + 1.0, 1.0 - chance)
}

/// Half the width of the two-sided 95 % interval of Student's distribution with this many degrees
/// of freedom, in standard errors.
pub fn student_critical_value(freedom: f64) -> f64 {
    half_width(freedom, TAIL)
}

/// Beyond this many degrees of freedom, Student's distribution is the normal one to within a few
/// ten-thousandths, and its computation becomes inaccurate and slow.
const NEARLY_NORMAL: f64 = 1e4;

/// Half the width of the interval of Student's distribution with this error probability at each
/// end, in standard errors.
fn half_width(freedom: f64, tail: f64) -> f64 {
    let freedom = freedom.min(NEARLY_NORMAL);
    let part = inv_beta_reg(freedom / 2.0, 0.5, 2.0 * tail);
    (freedom * (1.0 - part) / part).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At each end of the interval, the observation has a tail probability of 2.5 %, by summing the
    /// distribution itself.
    #[test]
    fn shares_have_the_exact_interval() {
        for (successes, trials) in [(0, 30), (1, 30), (7, 30), (30, 30), (3, 400), (200, 400)] {
            let Estimate { low, value, high } = Estimate::share(successes, trials).expect("trials");
            assert!(low <= value && value <= high && low < high);
            let at_most = |number: usize, chance: f64| -> f64 {
                let mut term = (1.0 - chance).powi(trials as i32);
                (0..=number)
                    .map(|k| {
                        let here = term;
                        term *= (trials - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
                        here
                    })
                    .sum()
            };
            if successes < trials {
                let tail = at_most(successes, high);
                assert!((tail - 0.025).abs() < 1e-6, "{successes}/{trials}: {tail}");
                let known = binomial_at_most(successes, trials, high);
                assert!((tail - known).abs() < 1e-6, "{successes}/{trials}: {known}");
            }
            if successes > 0 {
                let tail = 1.0 - at_most(successes - 1, low);
                assert!((tail - 0.025).abs() < 1e-6, "{successes}/{trials}: {tail}");
            }
        }
        // No successes in thirty games.
        let never = Estimate::share(0, 30).expect("trials");
        assert!((never.high - 0.1157).abs() < 1e-4 && never.low == 0.0, "{never:?}");
        assert_eq!(Estimate::share(0, 0), None);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (30.0, 2.042), (1e6, 1.960)];
        for (freedom, known) in table {
            let found = student_critical_value(freedom);
            assert!((found - known).abs() < 0.001, "{freedom}: {found}");
        }
    }

    #[test]
    fn differences_are_as_probable_as_tables_say() {
        // Student's two-sided 5 % for equal samples of 9 + 9 values, two of them at the ends of the
        // range.
        let values: Vec<f64> = (0..7).map(|value| f64::from(value) - 3.0).collect();
        let apart = |shift: f64| {
            let moved: Vec<f64> = values.iter().map(|value| value + shift).collect();
            Estimate::difference(&[[&values, &moved]], [-4.0, 4.0]).expect("values")
        };
        let (none, probability) = apart(0.0);
        assert!((none.value, probability) == (0.0, 1.0) && none.low == -none.high, "{none:?}");
        let error = (60.0_f64 / 8.0 / 9.0 * 2.0).sqrt();
        assert!((none.high - 2.1199 * error).abs() < 1e-3, "{none:?}");
        let (some, probability) = apart(5.0);
        // By hand: t = 2.618 with 15.09 degrees of freedom.
        assert!(some.high < 0.0 && (probability - 0.0193).abs() < 1e-4, "{some:?}, {probability}");
        assert_eq!(Estimate::difference(&[[&[], &[1.0]]], [0.0, 1.0]), None);
        assert_eq!(Estimate::difference(&[], [0.0, 1.0]), None);
    }

    /// Where one stratum has high values and the other low ones, and the second sample has few of
    /// the high ones, the means of all values differ, but not those of either stratum.
    #[test]
    fn strata_of_different_size_are_no_difference() {
        let (low, high) = ([1.0, 2.0, 3.0].repeat(20), [8.0, 9.0, 10.0].repeat(20));
        let strata: [[&[f64]; 2]; 2] = [[&low, &low], [&high, &high[..6]]];
        let (found, probability) = Estimate::difference(&strata, [0.0, 11.0]).expect("values");
        assert!(found.value.abs() < 1e-9 && probability > 0.3, "{found:?}, {probability}");
        let (all, few) = ([low.clone(), high.clone()].concat(), [&low[..], &high[..6]].concat());
        let (mixed, probability) =
            Estimate::difference(&[[&all, &few]], [0.0, 11.0]).expect("values");
        assert!(mixed.low > 1.0 && probability < 1e-4, "{mixed:?}, {probability}");
    }

    #[test]
    fn many_values_have_the_normal_interval() {
        for freedom in [1e4, 1e8, 1e300] {
            assert!((student_critical_value(freedom) - 1.959_964).abs() < 3e-4, "{freedom}");
        }
    }

    #[test]
    fn equal_values_leave_an_interval() {
        for value in [0.0, 12.0, 100.0] {
            let mean = Estimate::mean(&[value; 50], [0.0, 100.0]).expect("values");
            assert!(mean.low <= value && value <= mean.high && mean.high - mean.low > 1.0);
            let median = Estimate::quantile(&[value; 50], 0.5, [0.0, 100.0]).expect("values");
            assert!(median.low <= value && value <= median.high && median.low < median.high);
        }
        assert_eq!(Estimate::mean(&[], [0.0, 1.0]), None);
        assert_eq!(Estimate::quantile(&[], 0.5, [0.0, 1.0]), None);
    }

    #[test]
    fn quantiles_come_from_the_order_of_the_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let median = Estimate::quantile(&values, 0.5, [0.0, 400.0]).expect("values");
        // The table's values for 100: the 40th and the 61st.
        assert_eq!((median.low, median.high), (39.5, 61.5));
        // Fifty values cannot tell where their lowest twentieth ends.
        let low = Estimate::quantile(&values[..50], 0.05, [0.0, 400.0]).expect("values");
        assert_eq!(low.low, 0.0);
    }
}

//! The sequential test that stops a match as soon as its result is significant.

use std::str::FromStr;

use serde_json::{Value, json};
use thiserror::Error;

use crate::statistics::{Pentanomial, SCORES, regularized};

/// A sequential probability ratio test (SPRT) between two normalised Elo differences, on pairs of
/// games.
///
/// This is the generalised test of Van den Bergh (*Comments on Normalized Elo*, 2021), which
/// fishtest and fastchess use: the log likelihood ratio between the most likely pair distributions
/// under either difference.
///
/// ```
/// use arena::{Pentanomial, Sprt, Verdict};
///
/// let test = Sprt::new(0.0, 20.0);
/// assert_eq!(test.verdict(&Pentanomial([0, 1, 2, 1, 0])), Verdict::Undecided);
/// assert_eq!(test.verdict(&Pentanomial([10, 100, 200, 300, 100])), Verdict::Accepted);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// Normalised Elo of the null hypothesis.
    pub elo0: f64,
    /// Normalised Elo of the alternative hypothesis.
    pub elo1: f64,
    /// Probability of accepting `elo1` when `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` when `elo1` is true.
    pub beta: f64,
}

/// A text that does not specify the two hypotheses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected two numbers, the lower one first, as in 0,20")]
pub struct SprtParseError;

/// Parses the two differences, as in `0,20`.
impl FromStr for Sprt {
    type Err = SprtParseError;

    fn from_str(text: &str) -> Result<Sprt, SprtParseError> {
        let numbers: Result<Vec<f64>, _> =
            text.split(',').map(|part| part.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[low, high]) if low < high && low.is_finite() && high.is_finite() => {
                Ok(Sprt::new(low, high))
            }
            Ok(_) | Err(_) => Err(SprtParseError),
        }
    }
}

/// The state of an [`Sprt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Undecided.
    Undecided,
    /// The difference is `elo0` or less.
    Rejected,
    /// The difference is `elo1` or more.
    Accepted,
}

impl Sprt {
    /// The test with the usual 5 % for both errors.
    pub fn new(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// The log likelihood ratios at which the test rejects and accepts.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log likelihood ratio between the two hypotheses.
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = regularized(pairs);
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| {
            // The standard deviation of a pair is √2 times a game's, relative to the points at
            // stake.
            let deviations = elo * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2;
            most_likely(&observed, deviations)
        });
        counts.iter().zip(under0.iter().zip(under1)).map(|(n, (p0, p1))| n * (p1 / p0).ln()).sum()
    }

    /// The ratio, its bounds, and the verdict, in words.
    pub fn describe(&self, pairs: &Pentanomial) -> String {
        let (low, high) = self.bounds();
        let said = match self.verdict(pairs) {
            Verdict::Undecided => "not decided by these games".to_owned(),
            Verdict::Rejected => format!("the difference is {} normalised Elo or less", self.elo0),
            Verdict::Accepted => format!("the difference is {} normalised Elo or more", self.elo1),
        };
        let ratio = self.log_likelihood_ratio(pairs);
        format!("log likelihood ratio {ratio:.3}, bounds {low:.3} and {high:.3}: {said}")
    }

    /// The same as JSON.
    pub fn json(&self, pairs: &Pentanomial) -> Value {
        let (low, high) = self.bounds();
        let verdict = match self.verdict(pairs) {
            Verdict::Undecided => "undecided",
            Verdict::Rejected => "rejected",
            Verdict::Accepted => "accepted",
        };
        json!({
            "elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta,
            "ratio": self.log_likelihood_ratio(pairs), "low": low, "high": high, "verdict": verdict,
        })
    }

    /// The verdict on the pairs so far.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let ratio = self.log_likelihood_ratio(pairs);
        let (reject, accept) = self.bounds();
        if ratio >= accept {
            Verdict::Accepted
        } else if ratio <= reject {
            Verdict::Rejected
        } else {
            Verdict::Undecided
        }
    }
}

/// The distribution closest to the observed one among those whose mean exceeds ½ by `deviations` of
/// their own standard deviations. The condition is linearised around the latest distribution until
/// it converges.
fn most_likely(observed: &[f64; 5], deviations: f64) -> [f64; 5] {
    let mut guess = [0.2; 5];
    for _ in 0..20 {
        let (mean, variance) = crate::statistics::moments(&guess);
        let deviation = variance.sqrt();
        let terms = SCORES.map(|score| {
            let distance = (mean - score) / deviation;
            score - 0.5 - deviations * deviation * (1.0 + distance * distance) / 2.0
        });
        let next = with_zero_mean(observed, &terms);
        let change = next.iter().zip(&guess).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        guess = next;
        if change < 1e-10 {
            break;
        }
    }
    guess
}

/// The distribution closest to the observed one for which the terms have mean 0: pᵢ / (1 + x ·
/// termᵢ), with the one x for which this holds (Owen, *Empirical Likelihood*, 2001). `observed`
/// must not contain zeros.
fn with_zero_mean(observed: &[f64; 5], terms: &[f64; 5]) -> [f64; 5] {
    let (lowest, highest) = terms
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &t| (low.min(t), high.max(t)));
    if lowest >= 0.0 || highest <= 0.0 {
        // No distribution has this mean: the difference is larger than pairs of games can show.
        return *observed;
    }
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    for _ in 0..64 {
        let x = (low + high) / 2.0;
        let mean: f64 = observed.iter().zip(terms).map(|(p, t)| p * t / (1.0 + x * t)).sum();
        if mean > 0.0 { low = x } else { high = x }
    }
    let x = (low + high) / 2.0;
    std::array::from_fn(|i| observed[i] / (1.0 + x * terms[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From fastchess, pull request 426.
    #[test]
    fn ratio_is_that_of_fastchess_for_a_long_match() {
        let ratio =
            Sprt::new(0.0, 2.0).log_likelihood_ratio(&Pentanomial([365, 16618, 36229, 16974, 390]));
        assert!((ratio - 2.25).abs() < 0.005, "{ratio}");
    }

    /// From fastchess, pull request 783.
    #[test]
    fn ratio_is_that_of_fastchess_at_the_bound() {
        let test = Sprt::new(0.0, 2.0);
        let pairs = Pentanomial([379, 10170, 21828, 10640, 343]);
        let ratio = test.log_likelihood_ratio(&pairs);
        assert!((ratio - 2.946).abs() < 0.001, "{ratio}");
        assert_eq!(test.verdict(&pairs), Verdict::Accepted);
        assert_eq!(Sprt::new(6.0, 8.0).verdict(&pairs), Verdict::Rejected);
    }

    #[test]
    fn extreme_matches_have_a_ratio() {
        let test = Sprt::new(0.0, 20.0);
        for counts in
            [[0; 5], [50, 0, 0, 0, 0], [0, 0, 0, 0, 50], [0, 0, 50, 0, 0], [0, 0, 0, 0, 1]]
        {
            assert!(test.log_likelihood_ratio(&Pentanomial(counts)).is_finite(), "{counts:?}");
        }
        assert!(test.log_likelihood_ratio(&Pentanomial([50, 0, 0, 0, 0])) < 0.0);
        assert!(test.log_likelihood_ratio(&Pentanomial([0, 0, 0, 0, 50])) > 0.0);
    }

    /// When either hypothesis is true, the fraction of tests that end with the wrong answer is the
    /// nominal one, to within a fifth. The distribution of pairs is realistic; its mean is set by
    /// the hypothesis.
    #[test]
    fn errors_are_as_frequent_as_promised() {
        use rayon::prelude::*;
        let test = Sprt { elo0: 0.0, elo1: 40.0, alpha: 0.1, beta: 0.1 };
        let shape = [0.1, 0.15, 0.5, 0.15, 0.1];
        for (truth, wrong) in [(test.elo0, Verdict::Accepted), (test.elo1, Verdict::Rejected)] {
            let deviations = truth * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2;
            let chances = most_likely(&shape, deviations);
            let errors = (0..3_000_u64)
                .into_par_iter()
                .filter(|&number| outcome(&test, &chances, number) == wrong)
                .count();
            let rate = errors as f64 / 3_000.0;
            assert!((0.08..=0.12).contains(&rate), "{wrong:?}: {rate}");
        }
    }

    fn outcome(test: &Sprt, chances: &[f64; 5], number: u64) -> Verdict {
        let mut random = search::Random::derive(21, number);
        let mut pairs = Pentanomial::default();
        loop {
            let mut left = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
            let class = chances.iter().position(|&chance| {
                left -= chance;
                left < 0.0
            });
            pairs.add(class.unwrap_or(4));
            match test.verdict(&pairs) {
                Verdict::Undecided => {}
                decided => return decided,
            }
        }
    }
}

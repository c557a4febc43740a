//! The sequential test that stops a match as soon as its result is significant.

use std::str::FromStr;

use serde_json::{Value, json};
use thiserror::Error;

use crate::statistics::{Pentanomial, SCORES, moments, regularized};

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
        let observed = normalized(counts);
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
        let verdict = match self.verdict(pairs) {
            Verdict::Undecided => "not decided by these games".to_owned(),
            Verdict::Rejected => format!("the difference is {} normalised Elo or less", self.elo0),
            Verdict::Accepted => format!("the difference is {} normalised Elo or more", self.elo1),
        };
        let ratio = self.log_likelihood_ratio(pairs);
        format!("log likelihood ratio {ratio:.3}, bounds {low:.3} and {high:.3}: {verdict}")
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

/// Hypotheses further from ½ than this many standard deviations of a pair are treated as this far:
/// rounding would swallow what they leave to the other results.
const MAX_DEVIATIONS: f64 = 1e3;

const MAX_ROUNDS: usize = 200;

/// The distribution closest to the observed one among those whose mean exceeds ½ by `deviations` of
/// their own standard deviations.
///
/// If the observed mean exceeds it by more, the candidates bound a convex set, and only one of them
/// is closer than all those around it. If by less, there may be several: one with all scores
/// shifted, one with more pairs at 1½ points, one with more at 2. So the search starts near each of
/// these.
fn most_likely(observed: &[f64; 5], deviations: f64) -> [f64; 5] {
    if deviations < 0.0 {
        return reversed(most_likely(&reversed(*observed), -deviations));
    }
    let deviations = deviations.min(MAX_DEVIATIONS);
    // A mean of exactly ½ is a linear condition, whatever the guess.
    if deviations == 0.0 || deviations_above_half(observed) >= deviations {
        return closest(observed, deviations, *observed);
    }
    let mut best = closest(observed, deviations, shifted(observed, deviations));
    for class in [3, 4] {
        let other = closest(observed, deviations, with_more(observed, class, deviations));
        if likelihood(observed, &other) > likelihood(observed, &best) {
            best = other;
        }
    }
    best
}

fn reversed([a, b, c, d, e]: [f64; 5]) -> [f64; 5] {
    [e, d, c, b, a]
}

/// How far the mean is above ½, in standard deviations.
fn deviations_above_half(chances: &[f64; 5]) -> f64 {
    let (mean, variance) = moments(chances);
    (mean - 0.5) / variance.sqrt()
}

/// The observed distribution with all scores made so much more likely than the next lower one that
/// the mean is at least `deviations` above ½. In the end only the highest score is left, and with
/// no deviation the mean is above any number of them.
fn shifted(observed: &[f64; 5], deviations: f64) -> [f64; 5] {
    let mut shifted = *observed;
    while deviations_above_half(&shifted) < deviations {
        let mut factor = 1.0;
        for chance in &mut shifted {
            *chance *= factor;
            factor *= 1.1;
        }
    }
    normalized(shifted)
}

/// The observed distribution with so much added to one class above ½ that the mean is at least
/// `deviations` above ½.
fn with_more(observed: &[f64; 5], class: usize, deviations: f64) -> [f64; 5] {
    let mut more = *observed;
    let mut added = 1e-3;
    while deviations_above_half(&more) < deviations {
        more[class] += added;
        added *= 2.0;
    }
    normalized(more)
}

fn normalized(weights: [f64; 5]) -> [f64; 5] {
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// Log likelihood of a distribution for each observed pair.
fn likelihood(observed: &[f64; 5], chances: &[f64; 5]) -> f64 {
    observed.iter().zip(chances).map(|(share, chance)| share * chance.ln()).sum()
}

/// From a guess that is at least `deviations` above ½ (and these are not negative), finds the
/// closest distribution that is exactly so far above it.
///
/// The condition is linearised around the latest guess until that converges. The standard deviation
/// is concave, so its tangent is never below it, and whatever meets the linearised condition is
/// again at least `deviations` above ½. From such a guess, and only from such a guess, the next
/// linearised condition is sure to have a solution.
fn closest(observed: &[f64; 5], deviations: f64, mut guess: [f64; 5]) -> [f64; 5] {
    for _ in 0..MAX_ROUNDS {
        let (mean, variance) = moments(&guess);
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
/// must not contain zeros, and the terms must have both signs.
fn with_zero_mean(observed: &[f64; 5], terms: &[f64; 5]) -> [f64; 5] {
    let (lowest, highest) = terms
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &t| (low.min(t), high.max(t)));
    debug_assert!(lowest < 0.0 && highest > 0.0, "{terms:?} cannot have mean 0");
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

    /// Whatever the pairs were and however far the hypotheses are from them. The ratios are those of
    /// another method, which finds the likeliest distribution of every mean and takes the best mean.
    #[test]
    fn distant_hypotheses_have_their_ratio() {
        let ratios = [
            ([5, 15, 40, 25, 15], [0.0, 100.0], 3.183_327),
            ([5, 15, 40, 25, 15], [0.0, 200.0], -8.337_310),
            ([5, 15, 40, 25, 15], [0.0, 400.0], -56.564_807),
            ([5, 15, 40, 25, 15], [400.0, 800.0], -92.176_914),
            ([10, 30, 100, 40, 20], [0.0, 300.0], -95.951_154),
            ([5, 15, 60, 15, 5], [0.0, 300.0], -68.623_703),
            // Classes that never occurred, and several distributions closer than all around them.
            ([0, 0, 50, 0, 0], [0.0, 400.0], -64.742_554),
            ([50, 0, 0, 0, 0], [0.0, 400.0], -95.569_051),
            ([0, 0, 0, 0, 50], [0.0, 400.0], 30.815_285),
            ([5, 5, 50, 1, 0], [0.0, 130.0], -19.326_585),
            ([0, 5, 0, 500, 50], [600.0, 880.0], 1.122_080),
            ([2, 0, 5, 1, 0], [0.0, 135.0], -2.774_567),
            ([50, 500, 500, 500, 500], [-1800.0, 0.0], 6_711.691_166),
        ];
        for (counts, [elo0, elo1], expected) in ratios {
            let ratio = Sprt::new(elo0, elo1).log_likelihood_ratio(&Pentanomial(counts));
            assert!((ratio - expected).abs() < 1e-4, "{counts:?} {elo0} {elo1}: {ratio}");
            let mut other = counts;
            other.reverse();
            let turned = Sprt::new(-elo1, -elo0).log_likelihood_ratio(&Pentanomial(other));
            assert!((turned + expected).abs() < 1e-4, "{counts:?} {elo0} {elo1}: {turned}");
        }
    }

    /// Distributions with the same deviations, near and far, are all less likely than the one
    /// found.
    #[test]
    fn nothing_as_different_is_likelier() {
        let mut random = search::Random::new(3);
        let mut unit = || (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        for counts in [[5, 15, 40, 25, 15], [50, 0, 0, 0, 0], [2, 0, 3, 1, 0], [0, 0, 400, 2, 0]] {
            let observed = normalized(regularized(&Pentanomial(counts)));
            for deviations in [-3.0, -0.4, 0.0, 0.2, 1.5, 5.0] {
                let found = most_likely(&observed, deviations);
                let has = deviations_above_half(&found);
                assert!((has - deviations).abs() < 1e-6, "{counts:?} {deviations}: {has}");
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{counts:?} {found:?}");
                for number in 0..2_000 {
                    let spread = [0.01, 0.1, 1.0, 10.0][number % 4];
                    let near = found.map(|chance| chance * (spread * (unit() - 0.5)).exp());
                    let rival = tilted(&near, deviations);
                    let [best, other] = [&found, &rival].map(|one| likelihood(&observed, one));
                    assert!(other <= best + 1e-6, "{counts:?} {deviations}: {rival:?}");
                }
            }
        }
    }

    /// A distribution so far above ½, by shifting weight from low scores to high ones or back.
    fn tilted(weights: &[f64; 5], deviations: f64) -> [f64; 5] {
        let with_slope = |slope: f64| {
            normalized(std::array::from_fn(|i| weights[i] * (slope * (SCORES[i] - 0.5)).exp()))
        };
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            let less = deviations_above_half(&with_slope(middle)) < deviations;
            if less { low = middle } else { high = middle }
        }
        with_slope(high)
    }

    #[test]
    fn absurd_hypotheses_have_a_verdict() {
        let pairs = Pentanomial([5, 15, 40, 25, 15]);
        assert_eq!(Sprt::new(0.0, 1e300).verdict(&pairs), Verdict::Rejected);
        assert_eq!(Sprt::new(-1e300, 0.0).verdict(&pairs), Verdict::Accepted);
        for counts in [[1_000_000, 0, 0, 0, 0], [0, 0, 1_000_000, 0, 0]] {
            let pairs = Pentanomial(counts);
            assert_eq!(Sprt::new(0.0, 1e6).verdict(&pairs), Verdict::Rejected, "{counts:?}");
        }
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

//! Estimates of strength from the results of a match, with confidence intervals.
//!
//! The unit is the *pair*: two games from one opening with colours swapped. Their results depend on
//! each other, so the variance is computed from the five possible pair results (the *pentanomial*
//! of chess engine testing) and not from single games. Nothing here is ever NaN; a match without a
//! loss has an infinite Elo.

use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

use serde_json::Value;
use statrs::function::erf::{erfc, erfc_inv};

use crate::{Estimate, student_critical_value};

/// Quantile for a two-sided 95 % interval of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// How many pairs ended with 0, ½, 1, 1½ and 2 points for the first player.
///
/// ```
/// use arena::Pentanomial;
///
/// let pairs = Pentanomial([5, 15, 40, 25, 15]);
/// assert_eq!((pairs.pairs(), pairs.score()), (100, 0.575));
/// let elo = pairs.elo();
/// assert!(0.0 < elo.low && elo.low < elo.value && elo.value < elo.high);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u32; 5]);

impl Pentanomial {
    /// Adds a pair in which the first player made `half_points` half points, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The first player's share of all points, 0 to 1; ½ if there are none.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 { 0.5 } else { moments(&self.0.map(f64::from)).0 }
    }

    /// 95 % interval of the expected score.
    ///
    /// This is Student's interval of the mean pair score after adding one lost and one won pair:
    /// the adjustment with which, as Agresti and Coull (*Approximate is better than "exact"*, 1998)
    /// found, intervals of a proportion have their nominal coverage even for few trials and extreme
    /// results.
    pub fn score_interval(&self) -> RangeInclusive<f64> {
        let (mean, error) = self.adjusted();
        let half = student_critical_value(f64::from(self.pairs()) + 1.0) * error;
        (mean - half).max(0.0)..=(mean + half).min(1.0)
    }

    /// The score with its 95 % interval.
    pub fn score_estimate(&self) -> Estimate {
        let interval = self.score_interval();
        Estimate { low: *interval.start(), value: self.score(), high: *interval.end() }
    }

    /// The Elo difference at which the score is the expected one.
    pub fn elo(&self) -> Estimate {
        let [low, value, high] = self.score_estimate().parts().map(elo_of_score);
        Estimate { low, value, high }
    }

    /// Likelihood of superiority: the probability that the first player is stronger.
    pub fn likelihood_of_superiority(&self) -> f64 {
        let (mean, error) = self.adjusted();
        normal_below((mean - 0.5) / error)
    }

    /// Normalised Elo (Van den Bergh, *Normalized Elo*, 2021) and half the width of its 95 %
    /// interval. It measures the score's distance from ½ in standard deviations of one game, and so
    /// how many games it takes to detect it.
    pub fn normalized_elo(&self) -> (f64, f64) {
        if self.pairs() == 0 {
            return (0.0, f64::INFINITY);
        }
        let (mean, variance) = moments(&regularized(self));
        let games = 2.0 * f64::from(self.pairs());
        let unit = 800.0 / std::f64::consts::LN_10;
        ((mean - 0.5) / (2.0 * variance).sqrt() * unit, Z * unit / games.sqrt())
    }

    /// Mean of the pair scores and its standard error, after adding one lost and one won pair. The
    /// variance is the unbiased estimate.
    pub(crate) fn adjusted(&self) -> (f64, f64) {
        let mut counts = self.0.map(f64::from);
        counts[0] += 1.0;
        counts[4] += 1.0;
        let (mean, variance) = moments(&counts);
        (mean, (variance / (counts.iter().sum::<f64>() - 1.0)).sqrt())
    }
}

/// The Elo difference at which a player's expected score is `score`; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// An Elo difference as text: `+35`, `∞`.
pub fn elo_text(elo: f64) -> String {
    match elo {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        // Adding zero turns −0 into 0.
        elo => format!("{:+.0}", elo.round() + 0.0),
    }
}

/// An Elo difference as JSON. Its numbers are finite, so the infinite ones are words that the usual
/// languages read as numbers: `Infinity`, `-Infinity`.
pub fn elo_json(elo: f64) -> Value {
    match elo {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        elo => elo.into(),
    }
}

/// Lower end, value and upper end of an Elo difference as texts.
pub fn elo_texts(elo: Estimate) -> [String; 3] {
    elo.parts().map(elo_text)
}

/// The five pair scores, as fractions of the two points.
pub(crate) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The pairs, with counts of zero replaced by a thousandth as in fishtest, so that the likelihoods
/// below exist.
pub(crate) fn regularized(pairs: &Pentanomial) -> [f64; 5] {
    pairs.0.map(|count| f64::from(count).max(1e-3))
}

/// Mean and variance of the pair score with these weights.
pub(crate) fn moments(weights: &[f64; 5]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let average = |value: &dyn Fn(f64) -> f64| {
        SCORES.iter().zip(weights).map(|(&score, weight)| weight * value(score)).sum::<f64>()
            / total
    };
    let mean = average(&|score| score);
    (mean, average(&|score| (score - mean).powi(2)))
}

/// Φ, the cumulative distribution function of the standard normal distribution.
fn normal_below(x: f64) -> f64 {
    erfc(-x / SQRT_2) / 2.0
}

/// The probability with this logit: also the share of the points expected at a difference in
/// strength, in the Bradley–Terry model.
pub fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The number of standard errors that a normal value exceeds, in either direction, with this
/// probability.
pub fn normal_critical_value(probability: f64) -> f64 {
    SQRT_2 * erfc_inv(probability)
}

#[cfg(test)]
mod tests {
    use search::Random;

    use super::*;

    /// The expected score of a player who is stronger by `elo` Elo.
    fn score_of_elo(elo: f64) -> f64 {
        1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
    }

    #[test]
    fn known_scores_have_their_known_elo() {
        assert_eq!(elo_of_score(0.5), 0.0);
        assert!((elo_of_score(0.75) - 190.85).abs() < 0.01);
        assert!((score_of_elo(elo_of_score(0.3)) - 0.3).abs() < 1e-12);
        assert!((normal_below(1.0) - 0.841_345).abs() < 1e-6);
        assert!((normal_below(-2.0) - 0.022_750).abs() < 1e-6);
    }

    /// From fastchess, pull request 783: normalised Elo 3.05 ± 2.31.
    #[test]
    fn normalized_elo_is_that_of_fastchess() {
        let (elo, error) = Pentanomial([379, 10170, 21828, 10640, 343]).normalized_elo();
        assert!((elo - 3.05).abs() < 0.005, "{elo}");
        assert!((error - 2.31).abs() < 0.005, "{error}");
    }

    #[test]
    fn extreme_matches_have_numbers_all_the_same() {
        for counts in [[0; 5], [9, 0, 0, 0, 0], [0, 0, 0, 0, 9], [0, 0, 9, 0, 0], [0, 0, 0, 0, 1]] {
            let pairs = Pentanomial(counts);
            let elo = pairs.elo();
            assert!(elo.low <= elo.value && elo.value <= elo.high, "{counts:?} {elo:?}");
            assert!((0.0..=1.0).contains(&pairs.likelihood_of_superiority()), "{counts:?}");
            let (normalized, error) = pairs.normalized_elo();
            assert!(!normalized.is_nan() && !error.is_nan(), "{counts:?}");
        }
        assert!((Pentanomial::default().likelihood_of_superiority() - 0.5).abs() < 1e-6);
        assert_eq!(Pentanomial([0, 0, 0, 0, 9]).elo().value, f64::INFINITY);
        assert!(Pentanomial([0, 0, 0, 0, 100]).elo().low > 400.0);
        let [lost, won] =
            [[9, 0, 0, 0, 0], [0, 0, 0, 0, 9]].map(|counts| Pentanomial(counts).elo());
        assert_eq!(lost.parts().map(elo_json)[..2], ["-Infinity", "-Infinity"]);
        assert_eq!(won.parts().map(elo_json)[1..], ["Infinity", "Infinity"]);
        assert_eq!(elo_json(-12.5), -12.5);
    }

    #[test]
    fn who_wins_is_stronger() {
        assert!(Pentanomial([0, 0, 0, 0, 20]).likelihood_of_superiority() > 0.99);
        assert!(Pentanomial([20, 0, 0, 0, 0]).likelihood_of_superiority() < 0.01);
        // By hand, with a pair added at each end: mean 0.5735, standard error 0.0269.
        let superiority = Pentanomial([5, 15, 40, 25, 15]).likelihood_of_superiority();
        assert!((superiority - 0.9969).abs() < 1e-4, "{superiority}");
    }

    #[test]
    fn what_one_player_gains_the_other_loses() {
        for counts in [[5, 15, 40, 25, 15], [0, 1, 2, 3, 4], [20, 0, 0, 5, 40]] {
            let mut other = counts;
            other.reverse();
            let (first, second) = (Pentanomial(counts), Pentanomial(other));
            let (elo, lost) = (first.elo(), second.elo());
            assert!(elo.value > 0.0 && first.normalized_elo().0 > 0.0, "{counts:?}");
            let sums = [
                elo.value + lost.value,
                elo.low + lost.high,
                elo.high + lost.low,
                first.normalized_elo().0 + second.normalized_elo().0,
                first.likelihood_of_superiority() + second.likelihood_of_superiority() - 1.0,
            ];
            assert!(sums.iter().all(|sum| sum.abs() < 1e-6), "{counts:?}: {sums:?}");
        }
    }

    /// Number of matches in a simulation of the coverage, and how often the interval may miss in
    /// them: 5 %, plus two standard errors of that.
    const MATCHES: usize = 2_000;

    fn covers(truth: &[f64; 5], pairs: u64, stream: u64) {
        let mut random = Random::derive(11, stream);
        let expected = elo_of_score(moments(truth).0);
        let covered = (0..MATCHES)
            .filter(|_| {
                let elo = simulate(truth, pairs, &mut random).elo();
                elo.low <= expected && expected <= elo.high
            })
            .count();
        let matches = MATCHES as f64;
        let least = 0.95 - 2.0 * (0.95 * 0.05 / matches).sqrt();
        let share = covered as f64 / matches;
        assert!(share >= least, "{share} for {truth:?}, {pairs} pairs");
    }

    /// Simulates matches between players of known strength: differences in Elo, draw rates, and
    /// openings that favour one colour.
    #[test]
    fn the_interval_covers_the_known_strength() {
        let mut stream = 0;
        for elo in [0.0, 50.0, 150.0, 400.0] {
            for draws in [0.0, 0.3, 0.7] {
                for opening in [0.0, 80.0] {
                    let truth = pairs_of(elo, draws, opening);
                    for pairs in [10, 50, 100, 400] {
                        stream += 1;
                        covers(&truth, pairs, stream);
                    }
                }
            }
        }
    }

    /// Simulates pairs outside any simple model: lopsided, nearly always drawn, decided by the
    /// opening.
    #[test]
    fn the_interval_covers_odd_truths() {
        let truths = [
            [0.01, 0.0, 0.18, 0.0, 0.81],
            [0.0, 0.05, 0.85, 0.05, 0.05],
            [0.1, 0.1, 0.1, 0.3, 0.4],
            [0.0, 0.0, 0.05, 0.0, 0.95],
            [0.0, 0.02, 0.96, 0.02, 0.0],
            [0.5, 0.0, 0.0, 0.0, 0.5],
        ];
        for (number, truth) in truths.iter().enumerate() {
            for pairs in [20, 400] {
                covers(truth, pairs, 10_000 + 1_000 * number as u64 + pairs);
            }
        }
    }

    /// The distribution of pairs between players `elo` Elo apart, where equal players draw this
    /// share of their games and the opening is worth this many Elo to the colour that it favours.
    fn pairs_of(elo: f64, draws: f64, opening: f64) -> [f64; 5] {
        let game = |elo: f64| {
            let score = score_of_elo(elo);
            let drawn = draws * 4.0 * score * (1.0 - score);
            // The first player's half points: none, one, two.
            [1.0 - score - drawn / 2.0, drawn, score - drawn / 2.0].map(|share| share.max(0.0))
        };
        let mut truth = [0.0; 5];
        for (first, one) in game(elo + opening).into_iter().enumerate() {
            for (second, other) in game(elo - opening).into_iter().enumerate() {
                truth[first + second] += one * other;
            }
        }
        let total: f64 = truth.iter().sum();
        truth.map(|share| share / total)
    }

    fn simulate(truth: &[f64; 5], pairs: u64, random: &mut Random) -> Pentanomial {
        let mut result = Pentanomial::default();
        for _ in 0..pairs {
            let mut left = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
            let class = truth.iter().position(|&share| {
                left -= share;
                left < 0.0
            });
            result.add(class.unwrap_or(4));
        }
        result
    }
}

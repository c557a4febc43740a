//! Simulated studies with a known truth: every interval must cover it as often as claimed.
//!
//! Studies consist of games that share their openings. An opening is worth a number of points to
//! one colour, or changes the length and course of a game; everything else is chance.

mod comparisons;
mod komi;
mod rows;
mod shares;

use arena::Estimate;
use search::Random;

/// Number of simulated studies of one kind.
const STUDIES: usize = 500;

/// Number of studies that may miss the truth: 7 %.
const MISSES: usize = 35;

/// Standard deviation of the result of games from one opening, in points, by weak play.
const POINTS: f64 = 11.0;

/// How much openings differ, in points.
const SPREADS: [f64; 4] = [0.0, 2.0, 4.0, 8.0];

struct Chance(Random);

impl Chance {
    fn uniform(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Uses the Box–Muller method.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Whether intervals covered the truth, by name.
#[derive(Default)]
struct CoverageCounts(Vec<(String, usize, usize)>);

impl CoverageCounts {
    fn enter(&mut self, name: &str, held: bool) {
        let missed = usize::from(!held);
        match self.0.iter_mut().find(|(known, ..)| known == name) {
            Some((_, studies, misses)) => (*studies, *misses) = (*studies + 1, *misses + missed),
            None => self.0.push((name.to_owned(), 1, missed)),
        }
    }

    fn estimate(&mut self, name: &str, estimate: Estimate, truth: f64) {
        assert!(estimate.low < estimate.high, "{name} has an empty interval: {estimate:?}");
        assert!((estimate.low..=estimate.high).contains(&estimate.value), "{name}: {estimate:?}");
        // Sums of decimal fractions have rounding errors.
        self.enter(name, (estimate.low - 1e-9..=estimate.high + 1e-9).contains(&truth));
    }

    fn close(self, kind: &str) {
        assert!(!self.0.is_empty());
        for (name, studies, misses) in self.0 {
            assert!(misses * STUDIES <= MISSES * studies, "{kind}, {name}: {misses} of {studies}");
        }
    }
}

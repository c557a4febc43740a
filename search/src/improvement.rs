//! The improved policy: completed Q, and the softmax that turns it into probabilities.
//!
//! With q(a) in \[0, 1\] from the mover's point of view (Danihelka et al. 2022, §4 and appendix D):
//!
//! * completed Q: q(a) of a visited move, and of any other the mixed value
//!   v_mix = \[ v̂ + N · (Σ π(a) q(a) / Σ π(a)) \] / (1 + N),
//!   where N = Σ N(a), all sums run over the visited moves and v̂ is the network's own value;
//! * σ(q) = (c_visit + max N) · c_scale · q;
//! * improved policy: π'(a) ∝ π(a) · exp(σ(completed Q(a))).

use engine::Color;

use crate::arithmetic::exp;

/// Converts a mover's q to Black's value: the inverse of [`winrate`](crate::winrate).
pub(crate) fn value_of(quality: f32, mover: Color) -> f32 {
    match mover {
        Color::Black => 2.0 * quality - 1.0,
        Color::White => 1.0 - 2.0 * quality,
    }
}

/// The sums over a node's visited moves that the mixed value needs.
#[derive(Default)]
pub(crate) struct Visited {
    visits: u32,
    prior: f32,
    weighted_quality: f32,
}

impl Visited {
    pub(crate) fn add(&mut self, visits: u32, prior: f32, quality: f32) {
        self.visits += visits;
        self.prior += prior;
        self.weighted_quality += prior * quality;
    }

    /// v_mix, the value assigned to unvisited moves.
    pub(crate) fn mixed_value(&self, raw_quality: f32) -> f32 {
        if self.visits == 0 {
            return raw_quality;
        }
        let visits = self.visits as f32;
        (raw_quality + visits * self.weighted_quality / self.prior) / (1.0 + visits)
    }
}

/// Converts logits to probabilities in place, identically on every machine. −∞ becomes exactly 0.
pub fn softmax(scores: &mut [f32]) {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = if *score == f32::NEG_INFINITY { 0.0 } else { exp(*score - best) };
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::arithmetic::ln;
    use crate::split_mix::SplitMix;
    use crate::winrate;

    #[test]
    fn mixed_value_by_hand() {
        let mut visited = Visited::default();
        assert_eq!(visited.mixed_value(0.3), 0.3);
        visited.add(3, 0.2, 0.8);
        visited.add(1, 0.3, 0.4);
        // N = 4, Σπ = 0.5, Σπq = 0.16 + 0.12 = 0.28: (0.5 + 4 · 0.56) / 5.
        assert!((visited.mixed_value(0.5) - 0.548).abs() < 1e-6);
    }

    #[test]
    fn improved_policy_by_hand() {
        // One move visited three times among three: σ's factor is (50 + 3) · 0.1 = 5.3.
        let scale = Settings { value_scale: 0.1, ..Settings::default() }.scale(3);
        assert!((scale - 5.3).abs() < 1e-6);
        let mut visited = Visited::default();
        visited.add(3, 0.5, 0.7);
        let mixed = visited.mixed_value(0.3); // (0.3 + 3 · 0.7) / 4 = 0.6
        assert!((mixed - 0.6).abs() < 1e-6);
        let mut policy =
            [ln(0.5) + scale * 0.7, ln(0.25) + scale * mixed, ln(0.25) + scale * mixed];
        softmax(&mut policy);
        // 0.5 e^0.53 against 0.5: e^0.53 / (e^0.53 + 1) = 1.698932 / 2.698932.
        assert!((policy[0] - 0.629_483).abs() < 1e-5, "{policy:?}");
        assert!((policy[1] - 0.185_258).abs() < 1e-5, "{policy:?}");
    }

    #[test]
    fn values_change_sides_and_back() {
        assert_eq!(winrate(0.5, Color::Black), 0.75);
        assert_eq!(winrate(0.5, Color::White), 0.25);
        for mover in [Color::Black, Color::White] {
            assert_eq!(value_of(winrate(-0.25, mover), mover), -0.25);
        }
    }

    /// The theorem behind the method: with exact q, and v_π for unvisited moves, the value of the
    /// improved policy is at least that of the original policy.
    #[test]
    fn the_improved_policy_is_an_improvement() {
        let mut random = SplitMix::new(7);
        for _ in 0..2_000 {
            let moves = 2 + (random.bits() % 9) as usize;
            let weights: Vec<f32> = (0..moves).map(|_| random.open_uniform()).collect();
            let sum: f32 = weights.iter().sum();
            let prior: Vec<f32> = weights.iter().map(|weight| weight / sum).collect();
            let exact: Vec<f32> = (0..moves).map(|_| random.open_uniform()).collect();
            let value =
                |policy: &[f32]| -> f32 { policy.iter().zip(&exact).map(|(p, q)| p * q).sum() };
            let before = value(&prior);
            let scale = 100.0 * random.open_uniform();
            let mut policy: Vec<f32> = (0..moves)
                .map(|a| {
                    let completed = if random.open_uniform() < 0.5 { exact[a] } else { before };
                    ln(prior[a]) + scale * completed
                })
                .collect();
            softmax(&mut policy);
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(value(&policy) >= before - 1e-5, "{} < {before}", value(&policy));
        }
    }
}

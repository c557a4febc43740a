//! The generator of random numbers, and Gumbel noise from it.

use engine::hash::mix;

use crate::arithmetic::ln;

/// The SplitMix64 generator (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014): one word of state, and neighbouring seeds give unrelated sequences,
/// so callers may simply number their searches.
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    /// A sequence determined by `seed` alone.
    pub fn new(seed: u64) -> Self {
        SplitMix(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number strictly between 0 and 1, never rounded to either: 23 random bits plus one half.
    pub fn open_uniform(&mut self) -> f32 {
        ((self.bits() >> 41) as f32 + 0.5) / (1u32 << 23) as f32
    }

    /// A sample of Gumbel(0): −ln(−ln u). The moves with the *m* largest sums of such noise and
    /// logit are *m* moves sampled from the policy without replacement.
    pub(crate) fn gumbel(&mut self) -> f32 {
        -ln(-ln(self.open_uniform()))
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    #[test]
    fn the_noise_is_finite_and_has_the_mean_and_variance_of_gumbel() {
        let mut random = SplitMix::new(1);
        let samples: Vec<f64> = (0..200_000).map(|_| f64::from(random.gumbel())).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let square = samples.iter().map(|g| (g - mean).powi(2)).sum::<f64>();
        let variance = square / samples.len() as f64;
        assert!(samples.iter().all(|sample| sample.is_finite()));
        assert!((mean - 0.577_216).abs() < 0.01, "mean {mean}: Euler's constant is expected");
        assert!((variance - 1.644_934).abs() < 0.03, "variance {variance}: π²/6 is expected");
    }
}

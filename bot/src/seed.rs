//! Random numbers from seeds.

use search::SplitMix;

/// A random number strictly between 0 and 1, independent of those of neighbouring seeds.
pub(crate) fn uniform_from_seed(seed: u64) -> f32 {
    SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).open_uniform()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_neighbouring_seeds_are_spread_evenly() {
        let mut counts = [0_i32; 10];
        (0..100_000).for_each(|seed| counts[(10.0 * uniform_from_seed(seed)) as usize] += 1);
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 500), "{counts:?}");
    }
}

//! Random numbers for players, openings and playouts; a search itself draws none.

use engine::hash::mix;

use crate::SplitMix;

/// Numbers by [`SplitMix`].
///
/// Our own rather than a library's, so that matches are reproducible in every build, and because a
/// playout draws a number every few hundred nanoseconds.
#[derive(Debug, Clone)]
pub struct Random(SplitMix);

impl Random {
    /// A generator whose numbers depend on `seed` alone.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix::new(mix(seed ^ 0x5851_f42d_4c95_7f2d)))
    }

    /// An independent generator for the purpose with this number.
    pub fn derive(seed: u64, number: u64) -> Random {
        Random::new(mix(seed).wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A uniform number below `bound`, which must not be 0. The bias, at most bound / 2⁶⁴, is too
    /// small to measure.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    pub fn uniform(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// A uniformly random item; `None` if there are no items.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.below(items.len())]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_about_equally_frequent() {
        let mut random = Random::new(1);
        let mut counts = [0_i32; 7];
        (0..70_000).for_each(|_| counts[random.below(7)] += 1);
        assert!(counts.iter().all(|&count| (count - 10_000).abs() < 500), "{counts:?}");
    }

    #[test]
    fn derived_generators_differ() {
        let mut first: Vec<u64> = (0..1_000).map(|n| Random::derive(3, n).bits()).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 1_000);
    }
}

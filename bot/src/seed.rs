//! Seeds as text, so that a person can name one and say it again.

use search::SplitMix;

/// The seed that a text stands for: FNV-1a, the same on every machine and in every version.
pub fn seed_from_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number from 0 to 1, both excluded, that looks random beside those of the neighbouring seeds.
pub(crate) fn chance(seed: u64) -> f32 {
    SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).open_unit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_neighbouring_seeds_are_spread_evenly() {
        let mut counts = [0_i32; 10];
        (0..100_000).for_each(|seed| counts[(10.0 * chance(seed)) as usize] += 1);
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 500), "{counts:?}");
    }

    #[test]
    fn published_values_of_the_hash() {
        assert_eq!(seed_from_text(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(seed_from_text("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(seed_from_text("foobar"), 0x8594_4171_f739_67e8);
    }
}

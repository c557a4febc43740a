//! Seeds as text, so that a person can name one and say it again.

/// The seed that a text stands for: FNV-1a, the same on every machine and in every version.
pub fn seed_from_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_of_the_hash() {
        assert_eq!(seed_from_text(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(seed_from_text("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(seed_from_text("foobar"), 0x8594_4171_f739_67e8);
    }
}

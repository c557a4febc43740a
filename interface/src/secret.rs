//! Unguessable names of games and of seats.

use std::fmt;
use std::str::FromStr;

/// 128 random bits, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Secret(u128);

impl Secret {
    /// The secret with these bits, which must come from an unpredictable generator.
    pub const fn new(bits: u128) -> Secret {
        Secret(bits)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A text that is not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 32 hexadecimal digits")]
pub struct InvalidSecret;

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Secret, InvalidSecret> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(digit) {
            return Err(InvalidSecret);
        }
        u128::from_str_radix(text, 16).map(Secret).map_err(|_| InvalidSecret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_is_read() {
        for bits in [0, 1, u128::MAX] {
            let secret = Secret::new(bits);
            assert_eq!(secret.to_string().parse(), Ok(secret));
        }
        for text in ["", "0", "+0000000000000000000000000000000", &"F".repeat(32), &"0".repeat(33)]
        {
            assert_eq!(text.parse::<Secret>(), Err(InvalidSecret), "{text}");
        }
    }
}

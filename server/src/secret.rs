//! Unguessable names of games and of seats.

use std::fmt;
use std::str::FromStr;

/// 128 random bits, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Secret(u128);

impl Secret {
    /// A new one, from a generator seeded by the operating system.
    pub fn new() -> Secret {
        Secret(rand::random())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A text that is not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoSecret;

impl FromStr for Secret {
    type Err = NoSecret;

    fn from_str(text: &str) -> Result<Secret, NoSecret> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(digit) {
            return Err(NoSecret);
        }
        u128::from_str_radix(text, 16).map(Secret).map_err(|_| NoSecret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_is_read() {
        let secret = Secret::new();
        assert_eq!(secret.to_string().parse(), Ok(secret));
        assert_ne!(secret, Secret::new());
        for text in ["", "0", "+0000000000000000000000000000000", &"F".repeat(32), &"0".repeat(33)]
        {
            assert_eq!(text.parse::<Secret>(), Err(NoSecret), "{text}");
        }
    }
}

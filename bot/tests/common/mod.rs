//! What several tests need.

/// A generator of test input: xorshift, so that the input is the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to `limit` − 1.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

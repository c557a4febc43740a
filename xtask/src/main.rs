//! Set-up, demo and tests of the repository: cargo xtask setup | demo | test.
fn main() {}

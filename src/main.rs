//! The `hotstone` program: dispatches to the libraries.

fn main() {}

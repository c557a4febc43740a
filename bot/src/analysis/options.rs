//! Settings of the engine that apply to all queries.

/// Settings of the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Default number of visits per query.
    pub visits: u32,
    /// Number of positions searched at the same time.
    pub parallel: usize,
    /// Whether to stop when the input ends rather than when everything has been answered.
    pub quit_without_waiting: bool,
    /// Maximum number of nodes in one position's tree.
    pub max_nodes: usize,
}

impl Default for Options {
    /// Takes about a second on a laptop.
    fn default() -> Options {
        Options { visits: 500, parallel: 8, quit_without_waiting: false, max_nodes: 200_000 }
    }
}

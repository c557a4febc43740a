//! How the engine works, whatever it is asked.

/// Settings of the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Default visits of a query.
    pub visits: u32,
    /// Positions searched at the same time.
    pub parallel: usize,
    /// Whether to stop when the input ends, rather than when everything is answered.
    pub quit_without_waiting: bool,
    /// Maximum nodes of one position's tree.
    pub most_nodes: usize,
}

impl Default for Options {
    /// About a second on a laptop.
    fn default() -> Options {
        Options { visits: 500, parallel: 8, quit_without_waiting: false, most_nodes: 200_000 }
    }
}

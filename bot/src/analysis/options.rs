//! How the engine works, whatever it is asked.

/// What can be chosen about the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Visits of a query that names none.
    pub visits: u32,
    /// Positions searched at the same time.
    pub parallel: usize,
    /// Whether to leave when the input ends, rather than when everything is answered.
    pub quit_without_waiting: bool,
    /// Nodes that the tree of one position may have.
    pub most_nodes: usize,
}

impl Default for Options {
    /// What a laptop does in a second or so.
    fn default() -> Options {
        Options { visits: 500, parallel: 8, quit_without_waiting: false, most_nodes: 200_000 }
    }
}

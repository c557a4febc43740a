//! How many games a laboratory plays.

/// Number of openings that each network can play under a rule set: fewer than it keeps of all that
/// it draws, because what two networks have kept is divided between them.
pub(crate) const MAX_OPENINGS: usize = 400;

/// Number of openings played before moving on to the next rule set or compensation.
pub(crate) const OPENINGS_AT_ONCE: usize = 25;

/// The number of openings that each network plays, at each compensation of each rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(usize);

impl Budget {
    /// A first impression, in a few minutes.
    pub const QUICK: Budget = Budget(OPENINGS_AT_ONCE);

    /// Enough for intervals of a few percent.
    pub const DEEP: Budget = Budget(8 * OPENINGS_AT_ONCE);

    /// This number of openings; `None` for zero or for more than there are.
    pub fn new(openings: usize) -> Option<Budget> {
        (1..=MAX_OPENINGS).contains(&openings).then_some(Budget(openings))
    }

    /// Number of openings.
    pub fn openings(self) -> usize {
        self.0
    }
}

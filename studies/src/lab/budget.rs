//! How many games a laboratory plays.

/// Openings that each network can play under a rule set. More games would need other openings, and so other games.
pub(crate) const MOST_OPENINGS: usize = 400;

/// Openings that each network draws: some, because it does not play those that another one plays.
pub(crate) const DRAWN_OPENINGS: usize = MOST_OPENINGS + MOST_OPENINGS / 4;

/// Openings that are played before the next rule set or compensation is.
pub(crate) const OPENINGS_AT_ONCE: usize = 25;

/// Openings that each network plays, at each compensation of each rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(usize);

impl Budget {
    /// A first look, in a few minutes.
    pub const QUICK: Budget = Budget(OPENINGS_AT_ONCE);

    /// Enough for intervals of a few percent.
    pub const DEEP: Budget = Budget(8 * OPENINGS_AT_ONCE);

    /// A number of openings; `None` for none or for more than there are.
    pub fn new(openings: usize) -> Option<Budget> {
        (1..=MOST_OPENINGS).contains(&openings).then_some(Budget(openings))
    }

    /// Openings.
    pub fn openings(self) -> usize {
        self.0
    }
}

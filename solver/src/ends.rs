//! How a game can be made to end, and whether any player needs a repetition.

use engine::{Color, Reason, Rules};

use crate::goal::{Goal, WantedBy};
use crate::solve::{Effort, SolveError, Solver};
use crate::value::Value;

/// Who can make a game end in one way, from the empty board.
///
/// ```
/// use engine::{Reason, Rules};
/// use solver::{Effort, Ends};
///
/// let rules = Rules::parse("incursion", 2)?;
/// let ends = Ends::find(&rules, Reason::Repetition, Effort::default())?;
/// assert_eq!((ends.forced_by, ends.together), ([false, false], true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// Whether Black, and White, can force this ending against an opponent who does everything to
    /// avoid it.
    pub forced_by: [bool; 2],
    /// Whether any game ends this way.
    pub together: bool,
}

/// Whether a draw by repetition matters for the result.
///
/// The game is solved twice: with repetitions counted as losses for Black, and for White. If the
/// values are equal, either player can avoid every repetition at no cost, whatever it counts for,
/// so it takes both players to get one. Otherwise, best play leads to a repetition whenever it
/// counts for something between the two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionStakes {
    /// The value if a repetition is the worst that Black, and that White, can get.
    pub lost_by: [Value; 2],
}

impl Ends {
    /// Decides who can make a game under `rules` end for this reason.
    ///
    /// # Errors
    /// The board is too large, or the work limit is reached.
    pub fn find(rules: &Rules, reason: Reason, effort: Effort) -> Result<Ends, SolveError> {
        let value = |wanted_by| {
            let goal = Goal::End(reason, wanted_by);
            Solver::with_effort(*rules, effort).with_goal(goal).value_of_start()
        };
        let together = value(WantedBy::Both)?.half_points > 0;
        // What both players cannot reach together, neither can force.
        let mut forced_by = [false; 2];
        for color in Color::BOTH.into_iter().filter(|_| together) {
            forced_by[color.index()] = value(WantedBy::One(color))?.half_points_of(color) > 0;
        }
        Ok(Ends { forced_by, together })
    }
}

impl RepetitionStakes {
    /// Decides whether repetitions matter under `rules`.
    ///
    /// # Errors
    /// The board is too large, or the work limit is reached.
    pub fn find(rules: &Rules, effort: Effort) -> Result<RepetitionStakes, SolveError> {
        let value = |loser| {
            Solver::with_effort(*rules, effort)
                .with_goal(Goal::RepetitionLostBy(loser))
                .value_of_start()
        };
        Ok(RepetitionStakes { lost_by: [value(Color::Black)?, value(Color::White)?] })
    }

    /// Whether some player needs repetitions.
    pub fn matter(&self) -> bool {
        self.lost_by[0] != self.lost_by[1]
    }
}

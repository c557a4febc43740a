//! What can happen under a rule set: which bans a player may run into, and what may end a game.

use crate::rules::axes::{Ending, Family};
use crate::rules::ruleset::Rules;
use crate::{Point, Reason};

impl Rules {
    /// The bans beyond capture and suicide that a player can run into, named as in
    /// [`crate::IllegalMove::ban`].
    pub fn possible_bans(&self) -> Vec<&'static str> {
        let reasons = self.restrictions().map(|ban| ban.reason(Point::new(0, 0)));
        reasons.filter_map(|reason| reason.ban()).collect()
    }

    /// What can end a game.
    pub fn possible_ends(&self) -> Vec<Reason> {
        let mut ends = match (self.family, self.end) {
            (Family::Go, Ending::Area) => vec![Reason::Passes],
            (Family::Go, Ending::PrisonerReturn | Ending::NoPass) => vec![Reason::NoMove],
            (Family::AlterIgo, _) => vec![Reason::Suicide, Reason::Repetition],
            (Family::Conquest, _) => vec![Reason::NoFreePoint],
        };
        if self.draws_by_repetition() {
            ends.push(Reason::Repetition);
        }
        if self.has_capture_goal() {
            ends.push(Reason::CaptureGoal);
        }
        ends.push(Reason::MoveLimit);
        ends
    }
}

//! What can happen under a rule set: which bans a player may meet, and what may end a game.

use crate::rules::axes::{Ban, Captures, Ending, Family, Repetition};
use crate::rules::ruleset::Rules;
use crate::{IllegalMove, Point, Reason};

impl Rules {
    /// The bans beyond capture and suicide that a player can meet, by the names of [`IllegalMove::ban`].
    pub fn possible_bans(&self) -> Vec<&'static str> {
        match self.family {
            Family::Go => {}
            Family::AlterIgo | Family::Conquest => return Vec::new(),
        }
        let mut bans = Vec::new();
        match self.captures {
            Captures::Allowed => {}
            Captures::Forbidden => bans.push(IllegalMove::CaptureForbidden),
        }
        if self.has_tiles() {
            bans.push(IllegalMove::TileLimit(Point::new(0, 0)));
        }
        bans.extend(match self.ban {
            Ban::None => None,
            Ban::Incursion => Some(IllegalMove::Incursion),
            Ban::MinimalIncursion => Some(IllegalMove::MinimalIncursion),
            Ban::Stoical => Some(IllegalMove::StoicalCapture),
        });
        bans.extend_from_slice(match self.repetition {
            Repetition::None | Repetition::Draw => &[],
            Repetition::Simple => &[IllegalMove::Ko],
            Repetition::PositionalSuperko => &[IllegalMove::PositionalSuperko],
            Repetition::SituationalSuperko => &[IllegalMove::SituationalSuperko],
            Repetition::HotStone => &[IllegalMove::HotStone, IllegalMove::OddCycle],
        });
        bans.iter().filter_map(IllegalMove::ban).collect()
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

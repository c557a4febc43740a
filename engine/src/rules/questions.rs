//! What follows from the parts of a rule set: the questions that all other code asks.

use crate::rules::axes::{Ban, Captures, Ending, Family, Repetition, Scoring, TileRule};
use crate::rules::ruleset::Rules;

/// What the rules depend on in a game's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HistoryDependence {
    /// Nothing.
    Nothing,
    /// Which stones have stood.
    Stones,
    /// Which stones have stood with which player to move.
    StonesAndMover,
    /// How often the same stones have stood.
    Counts,
    /// The plays.
    Plays,
}

impl Rules {
    /// Whether positions carry a score.
    pub const fn has_score(&self) -> bool {
        match self.family {
            Family::Go => self.is_scored_by_area(),
            Family::AlterIgo => false,
            Family::Conquest => true,
        }
    }

    /// The same rules with the other scoring method; `None` where there is only one.
    pub const fn with_other_scoring(&self) -> Option<Rules> {
        match self.family {
            Family::Go | Family::AlterIgo => None,
            Family::Conquest => {
                let scoring = match self.scoring {
                    Scoring::Territory => Scoring::Pure,
                    Scoring::Pure => Scoring::Territory,
                };
                Some(Rules { scoring, ..*self })
            }
        }
    }

    /// Whether passes end the game and it is then scored by area: stones and surrounded points.
    pub const fn is_scored_by_area(&self) -> bool {
        match (self.family, self.end) {
            (Family::Go, Ending::Area) => true,
            (Family::Go, Ending::PrisonerReturn | Ending::NoPass)
            | (Family::AlterIgo | Family::Conquest, _) => false,
        }
    }

    /// Whether a player may ever pass freely; returning a prisoner is not a pass.
    pub const fn has_pass(&self) -> bool {
        match self.family {
            Family::Go => self.is_scored_by_area(),
            Family::AlterIgo => self.white_passes > 0,
            Family::Conquest => false,
        }
    }

    /// Whether a turn may be the return of a prisoner.
    pub const fn returns_prisoners(&self) -> bool {
        match (self.family, self.end) {
            (Family::Go, Ending::PrisonerReturn) => true,
            (Family::Go, Ending::Area | Ending::NoPass)
            | (Family::AlterIgo | Family::Conquest, _) => false,
        }
    }

    /// Whether opposing strings without a liberty are captured, as in Go.
    pub const fn captures_as_go(&self) -> bool {
        match self.family {
            Family::Go => true,
            Family::AlterIgo | Family::Conquest => false,
        }
    }

    /// Whether two players can take a single stone back and forth, with one stone per turn.
    pub const fn has_kos(&self) -> bool {
        let can_go_on = self.stones_per_turn == 1 && self.capture_goal != 1;
        match self.captures {
            Captures::Allowed => self.captures_as_go() && can_go_on,
            Captures::Forbidden => false,
        }
    }

    /// Whether strings without liberties are removed.
    pub const fn removes_strings(&self) -> bool {
        match self.family {
            Family::Go | Family::AlterIgo => true,
            Family::Conquest => false,
        }
    }

    /// Whether a placement may take strings off the board. Where captures are forbidden none may,
    /// although no string can stand without a liberty there either.
    pub const fn takes_strings(&self) -> bool {
        match self.captures {
            Captures::Allowed => self.removes_strings(),
            Captures::Forbidden => false,
        }
    }

    /// Whether a placement that leaves its own string without a liberty may be legal.
    pub const fn has_suicide(&self) -> bool {
        match self.family {
            Family::Go => self.suicide,
            Family::AlterIgo => true,
            Family::Conquest => false,
        }
    }

    /// Whether a placement may remove only itself, which loses the game.
    pub const fn loses_by_suicide(&self) -> bool {
        match self.family {
            Family::AlterIgo => true,
            Family::Go | Family::Conquest => false,
        }
    }

    /// Whether there are tiles.
    pub const fn has_tiles(&self) -> bool {
        match self.tiles {
            TileRule::None => false,
            TileRule::Tile | TileRule::Cushion => true,
        }
    }

    /// Whether players can own points.
    pub const fn has_owners(&self) -> bool {
        match self.family {
            Family::Go | Family::AlterIgo => false,
            Family::Conquest => true,
        }
    }

    /// Whether stones can be hot.
    pub const fn has_hot_stones(&self) -> bool {
        match self.repetition {
            Repetition::HotStone => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::Draw => false,
        }
    }

    /// Whether any rule depends on incursions.
    pub const fn has_incursions(&self) -> bool {
        self.has_tiles() || self.bans_incursions()
    }

    /// Whether an incursion by the opponent restricts the next turn.
    pub(crate) const fn bans_incursions(&self) -> bool {
        match self.ban {
            Ban::Incursion | Ban::MinimalIncursion => true,
            Ban::None | Ban::Stoical => false,
        }
    }

    /// Whether a capture by the opponent restricts the next turn.
    pub(crate) const fn bans_captures(&self) -> bool {
        match self.ban {
            Ban::Stoical => true,
            Ban::None | Ban::Incursion | Ban::MinimalIncursion => false,
        }
    }

    /// Whether superko allows the same stones to recur with the other player to move.
    pub(crate) const fn compares_the_player_to_move(&self) -> bool {
        match self.repetition {
            Repetition::SituationalSuperko => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::Draw
            | Repetition::HotStone => false,
        }
    }

    /// Whether only incursions that capture at most one string count.
    pub const fn asks_for_minimal_incursions(&self) -> bool {
        match self.ban {
            Ban::MinimalIncursion => !self.has_tiles(),
            Ban::None | Ban::Incursion | Ban::Stoical => false,
        }
    }

    /// Whether some placements offer a choice of the order in which regions are settled.
    pub const fn has_starred_moves(&self) -> bool {
        self.has_owners()
    }

    /// Whether repeating a position draws a `go` game.
    pub const fn draws_by_repetition(&self) -> bool {
        match self.repetition {
            Repetition::Draw => true,
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::HotStone => false,
        }
    }

    /// Whether capturing a certain number of stones wins the game.
    pub const fn has_capture_goal(&self) -> bool {
        self.capture_goal > 0
    }

    /// Whether a player may place several stones in one turn.
    pub const fn has_several_stones_a_turn(&self) -> bool {
        self.stones_per_turn > 1
    }

    /// What in a game's history affects which moves are legal or how it ends.
    pub const fn history_dependence(&self) -> HistoryDependence {
        match self.family {
            Family::AlterIgo => HistoryDependence::Counts,
            Family::Conquest => HistoryDependence::Nothing,
            Family::Go => match self.repetition {
                Repetition::None | Repetition::Simple => HistoryDependence::Nothing,
                Repetition::PositionalSuperko => HistoryDependence::Stones,
                Repetition::SituationalSuperko | Repetition::Draw => {
                    HistoryDependence::StonesAndMover
                }
                Repetition::HotStone => HistoryDependence::Plays,
            },
        }
    }

    /// Whether any rule compares the stones with those of earlier turns.
    pub(crate) const fn depends_on_positions(&self) -> bool {
        match self.history_dependence() {
            HistoryDependence::Stones
            | HistoryDependence::StonesAndMover
            | HistoryDependence::Counts => true,
            HistoryDependence::Nothing | HistoryDependence::Plays => false,
        }
    }

    /// The same rules without a repetition rule.
    pub fn without_repetition_rule(&self) -> Rules {
        Rules { repetition: Repetition::None, ..*self }
    }

    /// Why these rules allow only one stone per turn; `None` if they allow several.
    pub(super) fn single_stones_only(&self) -> Option<&'static str> {
        let repetition = match self.repetition {
            Repetition::None | Repetition::PositionalSuperko => true,
            Repetition::Simple
            | Repetition::SituationalSuperko
            | Repetition::Draw
            | Repetition::HotStone => false,
        };
        let several = repetition
            && !self.bans_incursions()
            && !self.bans_captures()
            && !self.has_tiles()
            && !self.returns_prisoners();
        (!several).then_some(
            "several stones a turn need repetition=none or positional-superko, no ban, no tiles, and end=area or \
             no-pass",
        )
    }
}

//! What sets a rule set apart from Go, and the same rules without it.

use crate::rules::axes::{Ban, Captures, Ending, Family, Repetition, TileRule};
use crate::rules::ruleset::Rules;

/// A part of a rule set that Go does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistinctivePart {
    /// Its name, as it follows the word "without".
    pub name: &'static str,
    /// The same rules without it.
    pub without: Rules,
}

impl Rules {
    /// The parts that set these rules apart from Go, each with the same rules without it.
    /// Everything else stays the same, so that a position with its history can be examined under
    /// both. For Go itself the part is its captures. How the game ends is named only where nothing
    /// else is, and Conquest has no parts: without conquests nothing is left of it.
    ///
    /// ```
    /// use engine::Rules;
    ///
    /// let stoical = Rules::parse("stoical", 7)?;
    /// let [part] = stoical.distinctive_parts()[..] else { panic!("stoical Go has a ban") };
    /// assert_eq!(part.name, "the ban on captures after captures");
    /// assert_eq!(part.without, Rules::parse("stoical,ban=none", 7)?);
    /// # Ok::<(), engine::RulesError>(())
    /// ```
    pub fn distinctive_parts(&self) -> Vec<DistinctivePart> {
        let Rules {
            size: _,
            family,
            captures,
            ban,
            repetition,
            suicide: _,
            capture_goal,
            stones_per_turn,
            tiles,
            tile_limit: _,
            end: _,
            passes_to_end: _,
            komi: _,
            max_cycle: _,
            white_passes: _,
            scoring: _,
            max_moves: _,
        } = *self;
        match family {
            Family::Go => {}
            Family::AlterIgo => return with_unused_fields_dropped(vec![self.removal_part()]),
            Family::Conquest => return Vec::new(),
        }
        let superko = Repetition::PositionalSuperko;
        let parts = [
            (captures_name(captures), Rules { captures: Captures::Allowed, ..*self }),
            (ban_name(ban), Rules { ban: Ban::None, ..*self }),
            (tiles_name(tiles), Rules { tiles: TileRule::None, ..*self }),
            (repetition_name(repetition), Rules { repetition: superko, ..*self }),
            (
                (capture_goal > 0).then_some("the captures that win the game"),
                Rules { capture_goal: 0, ..*self },
            ),
            (
                (stones_per_turn > 1).then_some("several stones a turn"),
                Rules { stones_per_turn: 1, ..*self },
            ),
        ];
        let named = |(name, without): (Option<&'static str>, Rules)| Some((name?, without));
        let mut parts: Vec<(&str, Rules)> = parts.into_iter().filter_map(named).collect();
        if parts.is_empty() {
            parts.push(self.fallback_part());
        }
        with_unused_fields_dropped(parts)
    }

    /// Alter Igo's part.
    fn removal_part(&self) -> (&'static str, Rules) {
        let go = Rules { family: Family::Go, end: Ending::NoPass, ..*self };
        ("the removal of own strings", Rules { repetition: Repetition::Draw, ..go })
    }

    /// The part of rules that have no other.
    fn fallback_part(&self) -> (&'static str, Rules) {
        match self.end {
            Ending::Area => ("captures", Rules { captures: Captures::Forbidden, ..*self }),
            Ending::PrisonerReturn => {
                ("the return of prisoners", Rules { end: Ending::Area, ..*self })
            }
            Ending::NoPass => ("the ban on passing", Rules { end: Ending::Area, ..*self }),
        }
    }
}

/// The name of the part that these captures are; `None` if Go has them.
fn captures_name(captures: Captures) -> Option<&'static str> {
    match captures {
        Captures::Allowed => None,
        Captures::Forbidden => Some("the ban on captures"),
    }
}

/// The name of the part that this ban is.
fn ban_name(ban: Ban) -> Option<&'static str> {
    match ban {
        Ban::None => None,
        Ban::Incursion => Some("the ban on incursions after incursions"),
        Ban::MinimalIncursion => Some("the ban on minimal incursions after such incursions"),
        Ban::Stoical => Some("the ban on captures after captures"),
    }
}

/// The name of the part that these tiles are.
fn tiles_name(tiles: TileRule) -> Option<&'static str> {
    match tiles {
        TileRule::None => None,
        TileRule::Tile | TileRule::Cushion => Some("tiles"),
    }
}

/// The name of the part that this repetition rule is; `None` if it is one of Go's.
fn repetition_name(repetition: Repetition) -> Option<&'static str> {
    match repetition {
        Repetition::HotStone => Some("hot stones"),
        Repetition::None
        | Repetition::Simple
        | Repetition::PositionalSuperko
        | Repetition::SituationalSuperko
        | Repetition::Draw => None,
    }
}

/// The parts, with unused fields of the rules without them set to defaults.
fn with_unused_fields_dropped(parts: Vec<(&'static str, Rules)>) -> Vec<DistinctivePart> {
    let part = |(name, mut without): (_, Rules)| {
        without.drop_unused();
        DistinctivePart { name, without }
    };
    parts.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Move, Position, Variant};

    /// Every position of a game can be examined without a part: the stones and the player to move
    /// are the same.
    #[test]
    fn positions_are_looked_at_without_the_parts() {
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            for part in rules.distinctive_parts() {
                assert_ne!(part.without, rules, "{variant}");
                assert_eq!(rules.size, part.without.size);
            }
            let mut position = Position::new(rules);
            for turn in 0..40_usize {
                if position.outcome().is_some() {
                    break;
                }
                for part in rules.distinctive_parts() {
                    let other = position.under(part.without).expect("the same stones");
                    assert_eq!(*other.rules(), part.without);
                    assert_eq!(
                        (other.turn(), other.turns(), other.empty()),
                        (position.turn(), position.turns(), position.empty()),
                        "{variant}"
                    );
                }
                assert_eq!(position.under(rules).expect("itself").hash(), position.hash());
                let legal: Vec<Move> = position.legal_moves().to_vec();
                position.play(legal[turn * 7 % legal.len()]).expect("a legal move");
            }
        }
    }
}

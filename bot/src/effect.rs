//! What a move does beyond placing a stone. It is found by comparing the positions before and after
//! the move, so that nothing here can disagree with the rules.

use engine::{Bitboard, Color, Move, Position, counted};

use crate::words::list;

/// What a move does beyond placing a stone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The points that become the mover's.
    pub conquered: Bitboard,
    /// The opponent's stones that it removes.
    pub captured: Bitboard,
    /// The mover's stones that it removes, possibly including the one placed.
    pub lost: Bitboard,
    /// Whether it is an incursion of the kind that the rules care about.
    pub incursion: bool,
    /// The number of tiles on its point, if it adds one.
    pub tiles: Option<u8>,
    /// Whether the placed stone becomes hot.
    pub hot: bool,
    /// The stones that were hot before, if none is hot afterwards.
    pub cooled: Bitboard,
    /// Whether removed stones of the mover become territory.
    has_owners: bool,
    /// Whether only minimal incursions matter.
    minimal: bool,
}

impl Effect {
    /// What `played` did between these positions.
    pub fn of(before: &Position, played: Move, after: &Position) -> Effect {
        let (mover, opponent) = (before.turn(), before.turn().opponent());
        let placed = played.point().map(Bitboard::of).unwrap_or_default();
        let lost = |color: Color, stones: Bitboard| stones.without(after.stones(color));
        let tiles = |point| (after.tiles(point) > before.tiles(point)).then(|| after.tiles(point));
        Effect {
            conquered: after.owned(mover).without(before.owned(mover)),
            captured: lost(opponent, *before.stones(opponent)),
            lost: lost(mover, *before.stones(mover) | placed),
            incursion: played.point().is_some() && after.last_incursion() == Some(true),
            tiles: played.point().and_then(tiles),
            hot: played.point().is_some_and(|point| after.hot_stones().contains(point)),
            cooled: if after.hot_stones().is_empty() {
                before.hot_stones()
            } else {
                Bitboard::EMPTY
            },
            has_owners: before.rules().has_owners(),
            minimal: before.rules().asks_for_minimal_incursions(),
        }
    }

    /// Its effects for the mover, continuing "it"; empty if there are none.
    pub fn in_words(&self) -> String {
        list(&self.consequences())
    }

    /// Its effects for the mover, as one phrase each.
    pub fn consequences(&self) -> Vec<String> {
        let mut effects = Vec::new();
        if !self.conquered.is_empty() {
            effects.push(format!("makes {} yours", counted(self.conquered.count(), "point")));
        }
        if !self.captured.is_empty() {
            effects.push(format!("captures {}", counted(self.captured.count(), "stone")));
        }
        if !self.lost.is_empty() {
            let stones = counted(self.lost.count(), "stone");
            effects.push(if self.has_owners {
                format!("turns {stones} of your own into territory")
            } else {
                format!("removes {stones} of your own")
            });
        }
        if self.incursion {
            effects.push(format!("is {}", self.incursion_in_words()));
        }
        match self.tiles {
            None => {}
            Some(1) => effects.push("puts down a tile under its stone".to_owned()),
            Some(tiles) => effects.push(format!("puts down tile number {tiles} under its stone")),
        }
        if self.hot {
            effects.push("is a ko play, after which its stone is hot".to_owned());
        }
        effects
    }

    /// What it did, in the past tense, as one phrase each that continues the player's name:
    /// "conquered 3 points", "captured 1 stone". Empty if neither stones nor points changed hands.
    pub fn outcomes(&self) -> Vec<String> {
        let mut outcomes = Vec::new();
        if !self.conquered.is_empty() {
            outcomes.push(format!("conquered {}", counted(self.conquered.count(), "point")));
        }
        if !self.captured.is_empty() {
            outcomes.push(format!("captured {}", counted(self.captured.count(), "stone")));
        }
        if !self.lost.is_empty() {
            let stones = counted(self.lost.count(), "own stone");
            outcomes.push(if self.has_owners {
                format!("turned {stones} into territory")
            } else {
                format!("removed {stones}")
            });
        }
        outcomes
    }

    /// The kind of incursion that matters under the rules: in rules with tiles any kind, otherwise
    /// the banned kind.
    fn incursion_in_words(&self) -> &'static str {
        if self.minimal { "a minimal incursion" } else { "an incursion" }
    }
}

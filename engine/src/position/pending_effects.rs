//! Restrictions that the last turn imposes on the next one, beyond the stones that it left.

use super::state::{FamilyState, Position};
use crate::{Ban, TileRule};

/// Something that the last turn imposes on the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PendingEffect {
    /// After an incursion: the next stone gets a tile.
    Tile,
    /// After an incursion: the next stone gets a tile if it is an incursion too.
    TileForIncursion,
    /// After an incursion: no incursion.
    NoIncursion,
    /// After a minimal incursion: no minimal incursion.
    NoMinimalIncursion,
    /// After a capture: no capture.
    NoCapture,
}

impl Position {
    /// What the last turn imposes on the player to move; nothing once the game is over.
    ///
    /// ```
    /// use engine::{PendingEffect, Position, Rules};
    ///
    /// let mut position = Position::new(Rules::parse("tile", 5)?);
    /// position.play("C3".parse()?)?;
    /// assert_eq!(position.pending_effects().count(), 0);
    /// position.play("D4".parse()?)?;
    /// assert!(position.pending_effects().eq([PendingEffect::Tile]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pending_effects(&self) -> impl Iterator<Item = PendingEffect> {
        let (tile, ban) = match &self.family {
            FamilyState::Go(state) if self.outcome().is_none() => {
                let tile = match self.rules().tiles {
                    TileRule::None => None,
                    TileRule::Tile => Some(PendingEffect::Tile),
                    TileRule::Cushion => Some(PendingEffect::TileForIncursion),
                };
                let ban = match self.rules().ban {
                    Ban::None => None,
                    Ban::Incursion => Some(PendingEffect::NoIncursion),
                    Ban::MinimalIncursion => Some(PendingEffect::NoMinimalIncursion),
                    Ban::Stoical => Some(PendingEffect::NoCapture),
                };
                (
                    tile.filter(|_| state.last_placement_incursion),
                    ban.filter(|_| self.is_ban_in_force()),
                )
            }
            FamilyState::Go(_) | FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => {
                (None, None)
            }
        };
        tile.into_iter().chain(ban)
    }
}

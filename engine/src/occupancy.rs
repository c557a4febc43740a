//! What stands where: the dense target that every variant has.

use crate::{Bitboard, Color, Family, Position};

impl Position {
    /// The points that are each colour's, Black's first: stones and the empty areas that touch them alone, in Conquest
    /// stones and owned points. At the end of a game this is the final occupancy that a network learns to foresee.
    pub fn occupancy(&self) -> [Bitboard; 2] {
        Color::BOTH.map(|color| {
            let stones = *self.stones(color);
            match self.rules().family {
                Family::Go => stones | self.territory_of(color),
                Family::AlterIgo => stones,
                Family::Conquest => stones | *self.owned(color),
            }
        })
    }
}

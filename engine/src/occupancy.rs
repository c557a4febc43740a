//! What stands where: the dense target that every variant has.

use crate::{Bitboard, Color, Family, Position};

impl Position {
    /// The points that are each colour's, Black's first: stones and the empty areas that touch them alone, in Conquest
    /// stones and owned points. At the end of a game this is the final occupancy that a network learns to foresee.
    pub fn occupancy(&self) -> [Bitboard; 2] {
        match self.rules().family {
            Family::Go => self.area(),
            Family::AlterIgo => Color::BOTH.map(|color| *self.stones(color)),
            Family::Conquest => Color::BOTH.map(|color| *self.stones(color) | *self.owned(color)),
        }
    }
}

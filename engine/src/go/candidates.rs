//! The placements that the rules are asked about: all points of a set, or a single one.

use super::capture::{self, Effect};
use super::territory::{enemy_territory, is_incursion};
use crate::position::Common;
use crate::{Bitboard, Point};

/// Placements by the player to move that capture and suicide allow.
///
/// A question about a single placement is answered from its effect, one about many by looking at
/// the whole board.
#[derive(Clone, Copy)]
pub(crate) enum Candidates<'a> {
    All(Bitboard),
    One(Point, &'a Effect),
}

impl Candidates<'_> {
    pub(crate) fn points(self) -> Bitboard {
        match self {
            Candidates::All(points) => points,
            Candidates::One(point, _) => Bitboard::of(point),
        }
    }

    /// The candidates that capture at least `strings` strings (1 or 2).
    pub(super) fn capturing(self, common: &Common, strings: usize) -> Bitboard {
        match self {
            Candidates::All(points) => {
                let capturing = capture::capturing(common.own_and_opposing()[1], &common.empty());
                points & capturing[strings - 1]
            }
            Candidates::One(point, effect) => only(point, effect.captured_strings >= strings),
        }
    }

    /// The candidates that remove stones of either colour.
    pub(super) fn removing(self, common: &Common) -> Bitboard {
        match self {
            Candidates::All(points) => {
                let capturing = self.capturing(common, 1);
                // A suicide has no empty neighbour.
                let suspects = || points.without(&(capturing | common.empty().neighbours()));
                capturing | self.filter(common, suspects, |_, effect| effect.removes())
            }
            Candidates::One(point, effect) => only(point, effect.removes()),
        }
    }

    /// The candidates in enemy territory.
    pub(super) fn incursions(self, common: &Common) -> Bitboard {
        match self {
            Candidates::All(points) => points & enemy_territory(common),
            Candidates::One(point, _) => only(point, is_incursion(common, point)),
        }
    }

    /// The candidates that satisfy `is_so`. Of many candidates, only the `suspects` are examined.
    pub(super) fn filter(
        self,
        common: &Common,
        suspects: impl FnOnce() -> Bitboard,
        is_so: impl Fn(Point, &Effect) -> bool,
    ) -> Bitboard {
        match self {
            Candidates::All(points) => {
                let suspects = points & suspects();
                suspects.iter().filter(|&p| is_so(p, &capture::effect(common, p))).collect()
            }
            Candidates::One(point, effect) => only(point, is_so(point, effect)),
        }
    }
}

fn only(point: Point, is_so: bool) -> Bitboard {
    if is_so { Bitboard::of(point) } else { Bitboard::EMPTY }
}

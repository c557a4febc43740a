//! The Conquest state of a position beyond stones, and what a placement does to it.

use super::quadrants::Quadrants;
use super::settle::{Order, Side};
use crate::position::Common;
use crate::zobrist::Mixer;
use crate::{Bitboard, Color, IllegalMove, Point, Size, zobrist};

/// The Conquest state of a position beyond stones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConquestState {
    /// The points each player owns.
    pub(crate) owner: [Bitboard; 2],
    pub(super) quadrants: Quadrants,
}

impl ConquestState {
    /// Gives a position set up by hand the territory that its stones enclose, as if both players
    /// had just moved: settles for Black, then for White, removing inside stones each time. T-bones
    /// fixed by either settling stay fixed.
    pub(crate) fn set_up(&mut self, common: &mut Common) {
        Color::BOTH.into_iter().for_each(|color| self.conquer(common, color, Order::LowestFirst));
    }

    /// The fixed T-bone stones, each with its neighbour on the side it is fixed to.
    pub(crate) fn fixed(&self, size: Size) -> impl Iterator<Item = (Point, Point)> {
        self.quadrants.fixed(size)
    }

    /// Fixes the T-bone stone on `stone` to the side of its neighbour `side`; `false` if `stone` is
    /// not a T-bone or `side` not its neighbour along the edge.
    pub(crate) fn fix(&mut self, size: Size, stone: Point, side: Point) -> bool {
        self.quadrants.fix_beside(size, stone, side)
    }

    /// The points with neither a stone nor an owner.
    pub(crate) fn free(&self, common: &Common) -> Bitboard {
        common.empty().without(&(self.owner[0] | self.owner[1]))
    }

    pub(crate) fn forbids(&self, point: Point) -> Option<IllegalMove> {
        (self.owner[0] | self.owner[1]).contains(point).then_some(IllegalMove::Owned(point))
    }

    pub(crate) fn place(&mut self, common: &mut Common, point: Point, starred: bool) {
        let mover = common.turn;
        common.turn = mover.opponent();
        common.stones[mover.index()].insert(point);
        let order = if starred { Order::HighestFirst } else { Order::LowestFirst };
        self.conquer(common, mover, order);
    }

    /// Settles for `mover`, whose stones have changed: conquers regions, then turns inside stones
    /// into territory.
    fn conquer(&mut self, common: &mut Common, mover: Color, order: Order) {
        let (own, other) = (mover.index(), mover.opponent().index());
        let mut side = self.side(common, mover);
        let settled = side.settle(order, self.quadrants);
        side.owned |= settled.conquered;
        self.quadrants = settled.quadrants;
        side.absorb_inside(self.quadrants);
        common.stones[own] = side.stones;
        self.owner[own] = side.owned;
        common.stones[other] = common.stones[other].without(&settled.conquered);
        self.owner[other] = self.owner[other].without(&settled.conquered);
        self.quadrants.forget_removed(common.rules.size, &(common.stones[0] | common.stones[1]));
        common.stones_key = zobrist::key(&common.stones);
    }

    pub(super) fn side(&self, common: &Common, color: Color) -> Side {
        Side {
            size: common.rules.size,
            stones: common.stones[color.index()],
            owned: self.owner[color.index()],
        }
    }

    pub(crate) fn mix_into(&self, key: &mut Mixer) {
        self.owner.iter().for_each(|owned| key.add_board(owned));
        self.quadrants.mix_into(key);
    }
}

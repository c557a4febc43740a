//! What a position of Conquest has besides stones, and what a placement does to it.

use super::quadrants::Quadrants;
use super::settle::{Order, Side};
use crate::position::Common;
use crate::zobrist::Mixer;
use crate::{Bitboard, Color, IllegalMove, Point, Size, zobrist};

/// What a position of Conquest has besides stones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConquestState {
    /// The points each player owns.
    pub(crate) owner: [Bitboard; 2],
    pub(super) quadrants: Quadrants,
}

impl ConquestState {
    /// Gives a position set up by hand the territory that the stones enclose: a settling for Black, then one for
    /// White, each with the removal of inside stones, as if both had just moved. The fixing of both lasts.
    pub(crate) fn set_up(&mut self, common: &mut Common) {
        Color::BOTH.into_iter().for_each(|color| self.conquer(common, color, Order::LowestFirst));
    }

    /// The stones in the middle of edges whose side is fixed, each with the neighbour on that side.
    pub(crate) fn fixed(&self, size: Size) -> impl Iterator<Item = (Point, Point)> {
        self.quadrants.fixed(size)
    }

    /// Fixes the stone in the middle of an edge on the side of a neighbour; `false` if they are not that.
    pub(crate) fn fix(&mut self, size: Size, stone: Point, side: Point) -> bool {
        self.quadrants.fix_beside(size, stone, side)
    }

    /// The points without a stone and without an owner.
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

    /// Settles for `mover`, whose stones have changed: conquers, then turns inside stones into territory.
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

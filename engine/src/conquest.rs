//! Conquest: regions walled off by stones.

mod choice;
mod pure;
mod quadrants;
mod settle;

use crate::position::Position;
use crate::{Bitboard, Color, IllegalMove, Point, Scoring, zobrist};
pub(crate) use quadrants::Quadrants;
use settle::{Order, Side};

impl Position {
    /// Gives a position set up by hand the territory that the stones enclose: a settling for Black, then one for
    /// White, each with the removal of inside stones, as if both had just moved. The fixing of both lasts.
    pub(crate) fn conquest_setup(&mut self) {
        match self.rules.family {
            crate::Family::Go | crate::Family::AlterIgo => {}
            crate::Family::Conquest => {
                Color::BOTH.into_iter().for_each(|color| self.conquer(color, Order::LowestFirst));
            }
        }
    }

    /// The points that nobody owns or stands on.
    pub(crate) fn conquest_free(&self) -> Bitboard {
        self.empty().without(&(self.owner[0] | self.owner[1]))
    }

    pub(crate) fn conquest_forbids(&self, point: Point) -> Option<IllegalMove> {
        (self.owner[0] | self.owner[1]).contains(point).then_some(IllegalMove::Owned(point))
    }

    pub(crate) fn conquest_place(&mut self, mover: Color, point: Point, starred: bool) {
        self.stones[mover.index()].insert(point);
        self.conquer(mover, if starred { Order::HighestFirst } else { Order::LowestFirst });
    }

    /// Settles for `mover`, whose stones have changed: conquers, then turns inside stones into territory.
    fn conquer(&mut self, mover: Color, order: Order) {
        let (own, other) = (mover.index(), mover.opponent().index());
        let mut side = self.side(mover);
        let settled = side.settle(order, self.quadrants);
        side.owned |= settled.conquered;
        self.quadrants = settled.quadrants;
        side.absorb_inside(self.quadrants);
        self.stones[own] = side.stones;
        self.owner[own] = side.owned;
        self.stones[other] = self.stones[other].without(&settled.conquered);
        self.owner[other] = self.owner[other].without(&settled.conquered);
        self.quadrants.forget_removed(self.size(), &(self.stones[0] | self.stones[1]));
        self.stones_key = zobrist::key(&self.stones);
    }

    fn side(&self, color: Color) -> Side {
        Side {
            size: self.size(),
            stones: self.stones[color.index()],
            owned: self.owner[color.index()],
        }
    }

    /// Black − White as it stands, without komi.
    pub(crate) fn conquest_score(&self) -> i32 {
        match self.rules.scoring {
            Scoring::Territory => self.owned_score(),
            Scoring::Pure => self.pure_score(),
        }
    }

    /// Black's owned points − White's: what `territory` scoring counts, and under `pure` scoring a cheap estimate.
    pub(crate) fn owned_score(&self) -> i32 {
        self.owner[0].count() as i32 - self.owner[1].count() as i32
    }
}

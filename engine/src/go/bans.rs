//! The bans: which placements allowed by capture and suicide another rule forbids, and which rule
//! that is.
//!
//! Each ban is implemented once, for a set of points; a single placement is a set of one whose
//! effect is already known.

use super::candidates::Candidates;
use super::capture::{self, Effect};
use super::hot_stone::HotStones;
use super::repetition::repeating;
use super::state::GoState;
use crate::position::{Common, Placements};
use crate::rules::restrictions::Restriction;
use crate::{Bitboard, IllegalMove, Point, TileRule};

impl GoState {
    /// The placements by point; in a finished game, as if it continued.
    pub(crate) fn placements(&self, common: &Common) -> Placements {
        let [own, opposing] = common.own_and_opposing();
        let playable = capture::playable(own, opposing, &common.empty(), common.rules.suicide);
        let legal = common.rules.restrictions().fold(playable, |legal, ban| {
            legal.without(&self.forbidden(common, ban, Candidates::All(legal)))
        });
        Placements { playable, legal }
    }

    /// The rule, if any, that forbids a placement with this effect on the empty `point`.
    pub(crate) fn forbids(
        &self,
        common: &Common,
        point: Point,
        effect: &Effect,
    ) -> Option<IllegalMove> {
        let placement = Candidates::One(point, effect);
        let forbids = |ban: &Restriction| !self.forbidden(common, *ban, placement).is_empty();
        effect
            .suicide_error(common.rules.suicide)
            .or_else(|| Some(common.rules.restrictions().find(forbids)?.reason(point)))
    }

    /// The candidates that a ban forbids.
    fn forbidden(&self, common: &Common, ban: Restriction, candidates: Candidates<'_>) -> Bitboard {
        match ban {
            Restriction::Captures => candidates.removing(common),
            Restriction::TileLimit if self.last_placement_incursion => {
                self.holding(common.rules.tile_limit, &self.needing_tile(common, candidates))
            }
            Restriction::Incursion if self.last.incursion => candidates.incursions(common),
            Restriction::MinimalIncursion if self.last.minimal => {
                candidates.incursions(common).without(&candidates.capturing(common, 2))
            }
            Restriction::StoicalCapture if self.last.capture => candidates.capturing(common, 1),
            Restriction::TileLimit
            | Restriction::Incursion
            | Restriction::MinimalIncursion
            | Restriction::StoicalCapture => Bitboard::EMPTY,
            Restriction::SimpleKo => self.retaking(common, candidates),
            Restriction::PositionalSuperko | Restriction::SituationalSuperko => {
                repeating(common, candidates)
            }
            Restriction::HotStone => {
                let captures = |hot: &HotStones| hot.captures(common, candidates);
                self.hot.as_deref().map_or(Bitboard::EMPTY, captures)
            }
            Restriction::OddCycle => {
                let cycles = |hot: &HotStones| hot.completed_cycles(common, candidates);
                self.hot.as_deref().map_or(Bitboard::EMPTY, cycles)
            }
        }
    }

    /// The candidates whose placement now needs a tile.
    pub(crate) fn needing_tile(&self, common: &Common, candidates: Candidates<'_>) -> Bitboard {
        if !self.last_placement_incursion {
            return Bitboard::EMPTY;
        }
        match common.rules.tiles {
            TileRule::None => Bitboard::EMPTY,
            TileRule::Tile => candidates.points(),
            TileRule::Cushion => candidates.incursions(common),
        }
    }

    /// The candidate that simple ko forbids: recapturing the single stone that just captured a
    /// single stone.
    fn retaking(&self, common: &Common, candidates: Candidates<'_>) -> Bitboard {
        let (Some(ko), Some(taker)) = (self.last.ko, common.recent[0]) else {
            return Bitboard::EMPTY;
        };
        let retakes =
            |point, effect: &Effect| point == ko && effect.captured == Bitboard::of(taker);
        candidates.filter(common, || Bitboard::of(ko), retakes)
    }
}

#[cfg(test)]
mod tests {
    use crate::go::territory::{enemy_territory, is_incursion};
    use crate::position::FamilyState;
    use crate::{Move, Position, Variant};

    /// The fast single-point checks agree with the slow whole-board ones.
    #[test]
    fn one_point_is_judged_as_the_whole_board_is() {
        for variant in Variant::ALL {
            let mut position =
                Position::new(variant.rules(6).expect("a size that every variant has"));
            let FamilyState::Go(_) = position.family else { continue };
            let mut state = 1_u64;
            while position.outcome().is_none() {
                let territory = enemy_territory(&position.common);
                let legal = position.legal_points();
                for point in position.empty().iter() {
                    assert_eq!(is_incursion(&position.common, point), territory.contains(point));
                    assert_eq!(
                        position.check_move(Move::Place(point)).is_ok(),
                        legal.contains(point)
                    );
                }
                let moves = position.legal_moves();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mut unchecked = position.clone();
                let chosen = moves[(state >> 33) as usize % moves.len()];
                unchecked.play_unchecked(chosen);
                assert_eq!(position.play(chosen), Ok(()));
                assert_eq!(position.hash(), unchecked.hash());
            }
        }
    }
}

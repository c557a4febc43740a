//! The `go` family's state of a position beyond stones and history.

use std::sync::Arc;

use super::hot_stone::HotStones;
use super::tiles::Tiles;
use crate::{Bitboard, Point, Rules, zobrist};

/// The last turn, as far as a ban on the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct LastTurn {
    /// A placement in enemy territory.
    pub(crate) incursion: bool,
    /// An incursion that captured at most one string.
    pub(crate) minimal: bool,
    /// A placement that removed opposing strings.
    pub(crate) capture: bool,
    /// The point of the one stone that it captured, if it captured exactly one.
    pub(crate) ko: Option<Point>,
}

/// The `go` family's state of a position beyond stones and history.
#[derive(Debug, Clone)]
pub(crate) struct GoState {
    pub(crate) prisoners: [u16; 2],
    /// Stones ever taken from the opponent, the opponent's suicides included.
    pub(crate) taken: [u16; 2],
    pub(crate) last: LastTurn,
    /// Whether the last placement, of either player, was an incursion.
    pub(crate) last_placement_incursion: bool,
    /// Placements that the player to move may still make in this turn.
    pub(crate) placements_left: u8,
    /// Whether the player to move has placed a stone in this turn already.
    pub(crate) mid_turn: bool,
    tiles: Option<Arc<Tiles>>,
    pub(crate) hot: Option<Box<HotStones>>,
}

impl GoState {
    pub(crate) fn new(rules: &Rules) -> GoState {
        GoState {
            prisoners: rules.first_prisoners(),
            taken: [0, 0],
            last: LastTurn::default(),
            last_placement_incursion: false,
            placements_left: 1,
            mid_turn: false,
            tiles: None,
            hot: rules.has_hot_stones().then(Box::default),
        }
    }

    /// Tiles on `point`.
    pub(crate) fn tiles(&self, point: Point) -> u8 {
        self.tiles.as_ref().map_or(0, |tiles| tiles.on(point))
    }

    /// The points of `board` that hold exactly `count` tiles.
    pub(crate) fn holding(&self, count: u8, board: &Bitboard) -> Bitboard {
        match &self.tiles {
            Some(tiles) => tiles.exactly(count, board),
            None if count == 0 => *board,
            None => Bitboard::EMPTY,
        }
    }

    pub(crate) fn add_tile(&mut self, point: Point) {
        Arc::make_mut(self.tiles.get_or_insert_default()).add(point);
    }

    pub(crate) fn hot_stones(&self, rules: &Rules) -> Bitboard {
        self.hot.as_ref().map_or(Bitboard::EMPTY, |hot| hot.stones(rules))
    }

    pub(crate) fn mix_into(&self, rules: &Rules, key: &mut zobrist::Mixer) {
        let pair = |[black, white]: [u16; 2]| u64::from(black) | u64::from(white) << 16;
        key.add(pair(self.prisoners) | pair(self.taken) << 32);
        key.add(
            u64::from(self.last.incursion)
                | u64::from(self.last.minimal) << 1
                | u64::from(self.last.capture) << 2
                | u64::from(self.last_placement_incursion) << 3
                | self.last.ko.map_or(0, |point| point.bit() as u64 + 1) << 4
                | u64::from(self.placements_left) << 16
                | u64::from(self.mid_turn) << 24,
        );
        if let Some(tiles) = &self.tiles {
            tiles.mix_into(key);
        }
        if let Some(hot) = &self.hot {
            hot.mix_into(rules, key);
        }
    }
}

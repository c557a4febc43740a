//! The state that positions of every family share: stones, turn and history.

use crate::history::{Change, History};
use crate::{Bitboard, Color, GameResult, Outcome, Point, Reason, Rules, zobrist};

/// Number of recent turns whose points are kept for the encoding.
pub(crate) const RECENT_TURNS: usize = 5;

/// Where the player to move may place a stone.
#[derive(Debug, Clone)]
pub(crate) struct Placements {
    /// Allowed by capture and suicide alone.
    pub(crate) playable: Bitboard,
    pub(crate) legal: Bitboard,
}

/// The part of a position that every family has.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    pub(crate) rules: Rules,
    pub(crate) turn: Color,
    pub(crate) turns: u16,
    /// In a position set up by hand: how many turns before the recorded ones are unknown.
    pub(crate) unrecorded_turns: u16,
    pub(crate) passes: u8,
    pub(crate) stones: [Bitboard; 2],
    /// Points on which each colour has had a stone: only there can a placement recreate an earlier
    /// position.
    pub(crate) ever_occupied: [Bitboard; 2],
    pub(crate) stones_key: u128,
    /// The points of the last turns, newest first; `None` for a pass or no turn.
    pub(crate) recent: [Option<Point>; RECENT_TURNS],
    pub(crate) history: History,
    history_sum: u64,
    pub(crate) outcome: Option<Outcome>,
}

impl Common {
    /// A board with these stones, at the start of a game.
    pub(crate) fn new(rules: Rules, stones: [Bitboard; 2], turn: Color) -> Common {
        let mut common = Common {
            rules,
            turn,
            turns: 0,
            unrecorded_turns: 0,
            passes: 0,
            ever_occupied: stones,
            stones_key: zobrist::key(&stones),
            stones,
            recent: [None; RECENT_TURNS],
            history: History::default(),
            history_sum: 0,
            outcome: None,
        };
        common.record_turn(&Change::NONE);
        common
    }

    pub(crate) fn board(&self) -> Bitboard {
        self.rules.size.board()
    }

    /// The points without a stone.
    pub(crate) fn empty(&self) -> Bitboard {
        self.board().without(&(self.stones[0] | self.stones[1]))
    }

    /// The stones of the player to move, then of the opponent.
    pub(crate) fn own_and_opposing(&self) -> [&Bitboard; 2] {
        [self.turn, self.turn.opponent()].map(|color| &self.stones[color.index()])
    }

    /// Appends the stones and what the turn did to them to the history, if the rules depend on it.
    pub(crate) fn record_turn(&mut self, change: &Change) {
        self.record_key(self.stones_key, change);
    }

    /// Appends a pass after which the position does not count for repetition.
    pub(crate) fn record_pass(&mut self) {
        self.record_key(zobrist::NO_POSITION, &Change::NONE);
    }

    fn record_key(&mut self, key: u128, change: &Change) {
        if self.rules.depends_on_positions() {
            let parity = (self.history.len() & 1) as u64;
            self.history_sum = self.history_sum.wrapping_add(zobrist::mix(key as u64 ^ parity));
            self.history.push(key, change);
        }
    }

    pub(crate) fn finish(&mut self, result: GameResult, reason: Reason) {
        self.outcome = Some(Outcome { result, reason });
    }

    /// Starts a key of the position with what all families share.
    pub(crate) fn mixer(&self) -> zobrist::Mixer {
        let mut key = zobrist::Mixer::new(self.stones_key);
        key.add(self.history_sum);
        key.add(
            u64::from(self.turns)
                | (self.turn.index() as u64) << 16
                | u64::from(self.passes) << 17
                | u64::from(self.outcome.is_some()) << 25,
        );
        key.add(self.recent.iter().fold(0, |all, point| {
            all.wrapping_mul(401).wrapping_add(point.map_or(0, |point| point.bit() as u64 + 1))
        }));
        key
    }
}

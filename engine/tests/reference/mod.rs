//! A second, slow implementation of every variant: the oracle for the real engine.
//!
//! It is written from the inventors' rules alone, by flood fill over plain vectors, remembers every
//! board of the game, and compares them point by point. It shares nothing with the engine, so an
//! error goes unnoticed only if it is made twice, in two different ways.
//!
//! Ambiguities of those rules are resolved as follows:
//!
//! - *Announced choice*: two positions differ if the stones, the owned points or the lasting
//!   quadrants of T-bone stones differ, because each of them can matter later.
//!   (This one shows soon: with stones and owned points alone `conquest` has 14400 rather than 14640
//!   sequences of 5 turns on 3×3.)
//! - A T-bone stone's side is where its neighbours along the edge belong to the region, not where
//!   the region lies farther along that edge.
//! - A settling that is only a test takes equally large regions lowest first, even in a starred turn.
//! - A Bridge needs a neighbouring point of territory: it fails the last test only.
//! - The set of an odd cycle holds equal plays once.
//! - After a suicide the placed stone's string is empty, as a part of what makes two plays the same.
//! - `white_passes` is for the whole game, not in a row.
//! - `passes` counts passes in a row; a prisoner return neither counts nor is a pass, and leaves the
//!   count alone, which is then always 0.
//! - A returned prisoner is gone; it does not become the opponent's.
//! - `last_incursion` before any placement is false. Where tiles and a ban on incursions are
//!   combined, it is about the tiles.
//! - Pure scoring of an unfinished game is its final procedure applied to what stands.
//! - A suicide that the suicide rule allows is refused as a forbidden capture, any other as a suicide.
//! - A capture goal is checked after every placement, so it can end a turn of several stones
//!   early. It counts from the start of the game, be that a position set up by hand.
//! - The first turn of a game set up by hand has one placement too. A pass as the first move of the
//!   game is its first turn.
//! - A pass that only ends a turn of several stones counts in the number of moves, as every move
//!   does, but not among the passes in a row.
//! - Cycles of hot stones follow Go capture and the suicide rule alone: without bans,
//!   goals or a rule against captures.

// Each test binary uses another part of this module.
#![allow(dead_code, unused_imports)]

pub mod alter_igo;
pub mod board;
pub mod conquest;
mod game;
pub mod hot_stone;
pub mod repetition;
pub mod rules;
pub mod scoring;

pub use board::Board;
pub use game::{Outcome, Reference, ReferenceMove, Refusal};
pub use rules::{Color, ReferenceRules, Size, VARIANTS};

use rules::{Ban, Tiles};

/// What can be seen of a game.
impl Reference {
    pub fn board(&self) -> &[Option<Color>] {
        &self.land.board.points
    }

    /// How many tiles lie on each point.
    pub fn tiles(&self) -> &[usize] {
        &self.tiles
    }

    /// Who owns each point, for Conquest.
    pub fn owner(&self) -> &[Option<Color>] {
        &self.land.owner
    }

    /// The points of all hot stones, ascending.
    pub fn hot(&self) -> Vec<usize> {
        hot_stone::hot_points(&self.hot)
    }

    /// Prisoners held by Black and by White.
    pub fn prisoners(&self) -> [usize; 2] {
        self.prisoners
    }

    /// About the last placement under tile rules; about the last turn under the two bans on
    /// incursions, where only minimal ones count under `minimal-incursion`.
    pub fn last_incursion(&self) -> Option<bool> {
        if self.rules.tiles != Tiles::None {
            return Some(self.last_placement_was_incursion);
        }
        match self.rules.ban {
            Ban::Incursion => Some(self.last_turn.incursion),
            Ban::MinimalIncursion => Some(self.last_turn.minimal_incursion),
            Ban::None | Ban::Stoical => None,
        }
    }

    /// Stones ever taken from the opponent by Black and by White: what a capture goal counts.
    pub fn taken(&self) -> [usize; 2] {
        self.taken
    }

    pub fn to_move(&self) -> Color {
        self.to_move
    }

    pub fn passes(&self) -> usize {
        self.passes
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    pub fn rules(&self) -> &ReferenceRules {
        &self.rules
    }
}

/// How many sequences of exactly `depth` moves there are.
pub fn perft(game: &Reference, depth: usize) -> u64 {
    let moves = game.legal_moves();
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |chosen: ReferenceMove| {
        let mut next = game.clone();
        next.play(chosen);
        perft(&next, depth - 1)
    };
    moves.into_iter().map(after).sum()
}

//! Tiles.

use engine::Point;

use super::turn::Turn;

/// A tile put down in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Turns before it.
    pub turn: usize,
    /// The point.
    pub point: Point,
    /// Number of tiles on its point, including it.
    pub height: u8,
}

/// What happened with tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TileEvents {
    /// Maximum number of tiles that a point can hold.
    pub limit: u8,
    /// The tiles in the order in which they were put down.
    pub tiles: Vec<Tile>,
    /// Turns in which tiles forbid a placement that capture and suicide allow.
    pub forbidding: Vec<usize>,
}

impl TileEvents {
    /// The height of the highest stack; 0 without tiles.
    pub fn highest(&self) -> u8 {
        self.tiles.iter().map(|tile| tile.height).max().unwrap_or_default()
    }
}

pub(super) fn tiles<'a>(turns: impl Iterator<Item = Turn<'a>>) -> Vec<Tile> {
    let tile = |turn: Turn<'_>| {
        let point = turn.played.point()?;
        let height = turn.after.tiles(point);
        let is_new = height > turn.before.tiles(point);
        is_new.then_some(Tile { turn: turn.number, point, height })
    };
    turns.filter_map(tile).collect()
}

//! What happened in a game because of its rules: ko fights, tiles, prisoners, hot stones,
//! conquests, passes, and bans.

mod ban;
mod conquest;
mod hot_stone;
mod ko_fight;
#[cfg(test)]
mod tests;
mod tile;
mod turn;

use arena::MatchGame;
use engine::{IllegalMove, Move, Outcome, Position, Reason};

pub use ban::BannedPlacement;
pub use conquest::{Conquest, ConquestEvents, LastPoint};
pub use hot_stone::{HotStone, HotStoneEvents};
pub use ko_fight::KoFight;
pub use tile::{Tile, TileEvents};
use turn::turns;

/// What happened in one game because of its rules. Fields for parts that the rules do not have are
/// `None`. Turns are counted from 0, so that a turn's number is the number of turns before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Events {
    /// What was forbidden beyond capture and suicide, in order of turns; `None` where no rule
    /// forbids anything.
    pub bans: Option<Vec<BannedPlacement>>,
    /// Ko fights in order.
    pub ko_fights: Option<Vec<KoFight>>,
    /// What happened with tiles.
    pub tiles: Option<TileEvents>,
    /// Number of prisoners returned.
    pub returned: Option<usize>,
    /// What happened with hot stones.
    pub hot_stones: Option<HotStoneEvents>,
    /// What happened with regions.
    pub conquests: Option<ConquestEvents>,
    /// Number of passes, not counting the final ones that ended the game; a pass that ends a turn
    /// of several stones does not count either.
    pub passes: Option<usize>,
}

impl Events {
    /// What happened in a finished game.
    ///
    /// ```
    /// use arena::MatchGame;
    /// use engine::Rules;
    /// use game::Game;
    /// use studies::Events;
    ///
    /// let mut game = Game::new(Rules::parse("incursion", 3)?);
    /// for played in ["B2", "pass", "A1", "pass", "pass"] {
    ///     game.play(played.parse()?)?;
    /// }
    /// let end = game.end().expect("two passes end it");
    /// let events = Events::of(&MatchGame::new(&game, end, 0, Default::default()));
    /// assert_eq!(events.passes, Some(1), "before the end");
    /// assert_eq!(events.hot_stones, None, "no stone can be hot");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(game: &MatchGame) -> Events {
        Events::between(&game.positions(), &game.moves)
    }

    /// What happened during these moves; `positions` are those before the first move and after
    /// each, and must not be empty.
    pub(crate) fn between(positions: &[Position], moves: &[Move]) -> Events {
        let last = &positions[positions.len() - 1];
        let rules = last.rules();
        let turns = turns(positions, moves);
        let bans = ban::bans(positions);
        let banned: Vec<usize> = bans.iter().map(|ban| ban.turn).collect();
        let is_banned = |turn| banned.binary_search(&turn).is_ok();
        let passes = || moves.iter().filter(|&&played| played == Move::Pass).count();
        let mut forbidding: Vec<usize> = bans
            .iter()
            .filter(|ban| matches!(ban.reason, IllegalMove::TileLimit(_)))
            .map(|ban| ban.turn)
            .collect();
        forbidding.dedup();
        Events {
            ko_fights: rules
                .has_kos()
                .then(|| ko_fight::ko_fights(turns.clone(), moves, is_banned)),
            tiles: rules.has_tiles().then(|| TileEvents {
                limit: rules.tile_limit,
                tiles: tile::tiles(turns.clone()),
                forbidding,
            }),
            returned: rules.returns_prisoners().then(passes),
            hot_stones: rules
                .has_hot_stones()
                .then(|| hot_stone::hot_stones(turns.clone(), positions, &bans)),
            conquests: rules.has_owners().then(|| conquest::conquests(turns.clone(), last)),
            passes: rules.has_pass().then(|| {
                let free =
                    turns.filter(|turn| turn.played == Move::Pass && !turn.before.is_mid_turn());
                let is_by_passes = |end: Outcome| end.reason == Reason::Passes;
                let ended = last.outcome().is_some_and(is_by_passes);
                let last = if ended { usize::from(last.passes()) } else { 0 };
                free.count().saturating_sub(last)
            }),
            bans: (!rules.possible_bans().is_empty()).then_some(bans),
        }
    }

    /// Number of turns in which a ban forbids a point; `None` where no rule forbids anything.
    pub fn banned_turns(&self) -> Option<usize> {
        let mut turns: Vec<usize> = self.bans.as_ref()?.iter().map(|ban| ban.turn).collect();
        turns.dedup();
        Some(turns.len())
    }
}

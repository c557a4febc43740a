//! A game in progress: the one type that plays every rule set.

mod ending;
mod setup;

use std::sync::OnceLock;

use crate::conquest::Quadrants;
use crate::go::Effect;
use crate::history::History;
use crate::hot_stone::HotStones;
use crate::tiles::Tiles;
use crate::zobrist;
use crate::{
    Bitboard, Color, Ending, Family, IllegalMove, Move, MoveList, Point, Repetition, Rules,
};
pub use ending::{Outcome, Reason};
pub use setup::SetupError;

/// Turns whose points a position remembers for the encoding.
pub(crate) const REMEMBERED_TURNS: usize = 5;

/// What the last turn was, as far as a ban on the next one depends on it.
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

/// Where the player to move may put a stone.
#[derive(Debug, Clone)]
pub(crate) struct Placements {
    /// By capture and suicide alone.
    pub(crate) playable: Bitboard,
    pub(crate) legal: Bitboard,
}

/// A position together with everything of its history that the rules ask for. Clone it to look ahead: there is no undo.
#[derive(Debug, Clone)]
pub struct Position {
    pub(crate) rules: Rules,
    pub(crate) turn: Color,
    pub(crate) turns: u16,
    pub(crate) passes: u8,
    pub(crate) white_passes: u16,
    pub(crate) prisoners: [u16; 2],
    pub(crate) stones: [Bitboard; 2],
    /// Points on which each colour has had a stone: only there can a placement recreate an earlier position.
    pub(crate) had: [Bitboard; 2],
    pub(crate) stones_key: u128,
    pub(crate) last: LastTurn,
    /// Whether the last placement, whoever made it, was an incursion.
    pub(crate) last_placement_incursion: bool,
    pub(crate) tiles: Tiles,
    /// Conquest: the points each player owns.
    pub(crate) owner: [Bitboard; 2],
    pub(crate) quadrants: Quadrants,
    pub(crate) hot: HotStones,
    /// The points of the last turns, newest first; `None` for a pass or no turn.
    pub(crate) recent: [Option<Point>; REMEMBERED_TURNS],
    pub(crate) history: History,
    history_sum: u64,
    pub(crate) outcome: Option<Outcome>,
    /// Found when first asked for: a search asks twice, to encode a leaf and to list its moves.
    placements: OnceLock<Placements>,
}

impl Position {
    /// The empty board, Black to move.
    pub fn new(rules: Rules) -> Position {
        let mut position = Position {
            rules,
            turn: Color::Black,
            turns: 0,
            passes: 0,
            white_passes: 0,
            prisoners: rules.starting_prisoners(),
            stones: [Bitboard::EMPTY; 2],
            had: [Bitboard::EMPTY; 2],
            stones_key: 0,
            last: LastTurn::default(),
            last_placement_incursion: false,
            tiles: Tiles::default(),
            owner: [Bitboard::EMPTY; 2],
            quadrants: Quadrants::default(),
            hot: HotStones::default(),
            recent: [None; REMEMBERED_TURNS],
            history: History::default(),
            history_sum: 0,
            outcome: None,
            placements: OnceLock::new(),
        };
        position.remember(true);
        position
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Side of the board.
    pub fn size(&self) -> usize {
        self.rules.size.into()
    }

    /// Whose turn it is (was, in a finished game).
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Turns taken since the start, of every kind.
    pub fn turns(&self) -> u16 {
        self.turns
    }

    /// Passes in a row just made.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// Prisoners that `color` holds.
    pub fn prisoners(&self, color: Color) -> u16 {
        self.prisoners[color.index()]
    }

    /// The stones of `color`.
    pub fn stones(&self, color: Color) -> &Bitboard {
        &self.stones[color.index()]
    }

    /// Tiles on `point`.
    pub fn tiles(&self, point: Point) -> u8 {
        self.tiles.on(point)
    }

    /// The points that `color` owns in Conquest.
    pub fn owned(&self, color: Color) -> &Bitboard {
        &self.owner[color.index()]
    }

    /// The hot stones.
    pub fn hot(&self) -> Bitboard {
        self.hot.stones()
    }

    /// Points of the last five turns, newest first; `None` for a pass or before the start.
    pub fn recent_points(&self) -> &[Option<Point>] {
        &self.recent
    }

    /// About the last placement under tile rules, about the last turn under the incursion rules (minimal ones under
    /// the minimal rule); `None` where no rule asks.
    pub fn last_incursion(&self) -> Option<bool> {
        if self.rules.tiles != crate::TileRule::None {
            return Some(self.last_placement_incursion);
        }
        match self.rules.repetition {
            Repetition::Incursion => Some(self.last.incursion),
            Repetition::MinimalIncursion => Some(self.last.minimal),
            Repetition::None
            | Repetition::Simple
            | Repetition::PositionalSuperko
            | Repetition::SituationalSuperko
            | Repetition::Stoical
            | Repetition::HotStone => None,
        }
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Black − White − komi as it stands; `None` where the rules have no score.
    pub fn score(&self) -> Option<f32> {
        if !self.rules.has_score() {
            return None;
        }
        let points = match self.rules.family {
            Family::Go | Family::AlterIgo => self.area_score(),
            Family::Conquest => self.conquest_score(),
        };
        Some(points as f32 - self.rules.komi.value())
    }

    /// A key of everything that decides how the game can go on, the history that the rules need included: equal rules
    /// and moves give equal keys. Not stable across versions.
    pub fn hash(&self) -> u64 {
        let mut key = zobrist::Mixer::new(self.stones_key);
        key.add(self.history_sum);
        key.add(
            u64::from(self.turns) | (self.turn.index() as u64) << 16 | u64::from(self.passes) << 17,
        );
        key.add(
            u64::from(self.prisoners[0])
                | u64::from(self.prisoners[1]) << 16
                | u64::from(self.white_passes) << 32,
        );
        key.add(
            u64::from(self.last.incursion)
                | u64::from(self.last.minimal) << 1
                | u64::from(self.last.capture) << 2
                | u64::from(self.last_placement_incursion) << 3
                | self.last.ko.map_or(0, |point| point.bit() as u64 + 1) << 4
                | u64::from(self.outcome.is_some()) << 14,
        );
        key.add(self.recent.iter().fold(0, |all, point| {
            all.wrapping_mul(401).wrapping_add(point.map_or(0, |point| point.bit() as u64 + 1))
        }));
        self.tiles.mix_into(&mut key);
        self.owner.iter().for_each(|owned| key.add_board(owned));
        self.quadrants.mix_into(&mut key);
        self.hot.mix_into(&mut key);
        key.finish()
    }

    /// All legal moves: placements in point order (a starred one right after the plain one), then pass. Empty when the
    /// game is over.
    pub fn legal_moves(&self) -> MoveList {
        crate::moves::in_order(&self.legal_points(), &self.starred_points(), self.can_pass())
    }

    /// The points of all legal placements.
    pub fn legal_points(&self) -> Bitboard {
        if self.outcome.is_some() {
            return Bitboard::EMPTY;
        }
        self.placements().legal
    }

    /// The points that capture and suicide would allow and another rule does not; none in other families than Go.
    pub(crate) fn banned_points(&self) -> Bitboard {
        let Placements { playable, legal } = self.placements();
        playable.without(legal)
    }

    fn placements(&self) -> &Placements {
        let all = |points| Placements { playable: points, legal: points };
        self.placements.get_or_init(|| match self.rules.family {
            Family::Go => self.go_placements(),
            Family::AlterIgo => all(self.empty()),
            Family::Conquest => all(self.conquest_free()),
        })
    }

    /// The points whose placement can also be settled in the opposite order (Conquest's announced choice).
    pub fn starred_points(&self) -> Bitboard {
        if self.outcome.is_some() {
            return Bitboard::EMPTY;
        }
        match self.rules.family {
            Family::Go | Family::AlterIgo => Bitboard::EMPTY,
            Family::Conquest => self.conquest_starred(),
        }
    }

    /// Whether the player to move may pass or return a prisoner.
    pub fn can_pass(&self) -> bool {
        self.outcome.is_none() && self.pass_error().is_none()
    }

    /// Whether `play` would accept the move, and if not, which rule forbids it.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn is_legal(&self, candidate: Move) -> Result<(), IllegalMove> {
        self.check(candidate).map(|_| ())
    }

    /// As [`Position::is_legal`]; hands on what the move would do where that had to be found out anyway.
    fn check(&self, candidate: Move) -> Result<Option<Effect>, IllegalMove> {
        if self.outcome.is_some() {
            return Err(IllegalMove::GameOver);
        }
        let Some(point) = candidate.point() else {
            return self.pass_error().map_or(Ok(None), Err);
        };
        if !self.board().contains(point) {
            return Err(IllegalMove::OffBoard(point));
        }
        if !self.empty().contains(point) {
            return Err(IllegalMove::Occupied(point));
        }
        let mut effect = None;
        let forbidden = match self.rules.family {
            Family::Go => self.go_forbids(point, effect.insert(self.effect(point))),
            Family::AlterIgo => None,
            Family::Conquest => self.conquest_forbids(point),
        };
        if let Some(rule) = forbidden {
            return Err(rule);
        }
        match candidate {
            Move::PlaceStarred(point) if !self.starred_points().contains(point) => {
                Err(IllegalMove::NoChoice(candidate))
            }
            Move::PlaceStarred(_) | Move::Place(_) | Move::Pass => Ok(effect),
        }
    }

    /// Takes a turn.
    ///
    /// # Errors
    /// The rule that forbids the move; the position is then unchanged.
    pub fn play(&mut self, chosen: Move) -> Result<(), IllegalMove> {
        let effect = self.check(chosen)?;
        self.take_turn(chosen, effect);
        Ok(())
    }

    /// Takes a turn that is known to be legal. An illegal one leaves a position that no rule set can reach.
    pub fn play_unchecked(&mut self, chosen: Move) {
        self.take_turn(chosen, None);
    }

    fn take_turn(&mut self, chosen: Move, effect: Option<Effect>) {
        let mover = self.turn;
        self.placements = OnceLock::new();
        self.turns += 1;
        self.turn = mover.opponent();
        self.recent.rotate_right(1);
        self.recent[0] = chosen.point();
        match chosen {
            Move::Pass => self.pass(mover),
            Move::Place(point) => self.place(mover, point, false, effect),
            Move::PlaceStarred(point) => self.place(mover, point, true, effect),
        }
    }

    fn pass(&mut self, mover: Color) {
        self.last = LastTurn::default();
        self.hot.cool();
        match self.rules.family {
            Family::Go => match self.rules.end {
                Ending::Area => self.passes += 1,
                Ending::PrisonerReturn => self.prisoners[mover.index()] -= 1,
            },
            Family::AlterIgo => {
                self.passes += 1;
                self.white_passes += 1;
            }
            Family::Conquest => {}
        }
        self.remember(false);
        if self.rules.has_score() && self.passes >= self.rules.passes_to_end {
            self.finish_by_score(Reason::Passes);
        }
        self.judge_want_of_moves();
        self.judge_move_limit();
    }

    fn place(&mut self, mover: Color, point: Point, starred: bool, effect: Option<Effect>) {
        self.passes = 0;
        match self.rules.family {
            Family::Go => self.go_place(mover, point, effect),
            Family::AlterIgo => self.alter_igo_place(mover, point),
            Family::Conquest => self.conquest_place(mover, point, starred),
        }
        self.judge_want_of_moves();
        self.judge_move_limit();
    }

    /// Why the player to move may not pass (or return a prisoner) now.
    fn pass_error(&self) -> Option<IllegalMove> {
        match self.rules.family {
            Family::Go => match self.rules.end {
                Ending::Area => None,
                Ending::PrisonerReturn => {
                    (self.prisoners(self.turn) == 0).then_some(IllegalMove::NoPrisoner)
                }
            },
            Family::AlterIgo => match self.rules.pass_allowance(self.turn) {
                0 => Some(IllegalMove::NoPass),
                allowed => {
                    (self.white_passes >= allowed).then_some(IllegalMove::NoPassLeft(self.turn))
                }
            },
            Family::Conquest => Some(IllegalMove::NoPass),
        }
    }

    /// Appends the stones to the history, if the rules look at it. `placed` is false for a pass.
    pub(crate) fn remember(&mut self, placed: bool) {
        if !self.rules.remembers_positions() {
            return;
        }
        let key = match self.rules.family {
            // Alter Igo counts positions after placements only.
            Family::AlterIgo if !placed => zobrist::NO_POSITION,
            Family::Go | Family::AlterIgo | Family::Conquest => self.stones_key,
        };
        let parity = (self.history.len() & 1) as u64;
        self.history_sum = self.history_sum.wrapping_add(zobrist::mix(key as u64 ^ parity));
        self.history.push(key);
    }

    pub(crate) fn board(&self) -> Bitboard {
        crate::bitboard::BOARDS[self.size()]
    }

    /// The points without a stone.
    pub fn empty(&self) -> Bitboard {
        self.board().without(&(self.stones[0] | self.stones[1]))
    }
}

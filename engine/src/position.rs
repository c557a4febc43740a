//! A game in progress: the one type that plays every rule set.

mod common;
mod setup;
mod text;

use std::sync::OnceLock;

use crate::alter_igo::AlterIgoState;
use crate::conquest::ConquestState;
use crate::go::{self, Effect, GoState};
use crate::{
    Ban, Bitboard, Color, GameResult, IllegalMove, Move, MoveList, Outcome, Point, Reason, Rules,
    Size,
};
pub(crate) use common::Common;
pub use setup::SetupError;
pub use text::PositionError;

/// Where the player to move may put a stone.
#[derive(Debug, Clone)]
pub(crate) struct Placements {
    /// By capture and suicide alone.
    pub(crate) playable: Bitboard,
    pub(crate) legal: Bitboard,
}

/// What the rules of one family add to stones and history.
#[derive(Debug, Clone)]
pub(crate) enum FamilyState {
    Go(GoState),
    AlterIgo(AlterIgoState),
    Conquest(ConquestState),
}

/// A position together with everything of its history that the rules ask for. Clone it to look ahead: there is no undo.
///
/// ```
/// use engine::{Color, Position, Rules};
///
/// let mut position = Position::new(Rules::parse("incursion", 5)?);
/// for vertex in ["C3", "D4"] {
///     position.play(vertex.parse()?)?;
/// }
/// assert_eq!(position.turn(), Color::Black);
/// assert_eq!(position.last_incursion(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Position {
    pub(crate) common: Common,
    pub(crate) family: FamilyState,
    /// Found when first asked for: a search asks twice, to encode a leaf and to list its moves.
    placements: OnceLock<Placements>,
}

impl Position {
    /// The empty board, Black to move.
    pub fn new(rules: Rules) -> Position {
        Position::with_board(rules, [Bitboard::EMPTY; 2], Color::Black)
    }

    /// The start of a game on these stones.
    fn with_board(rules: Rules, stones: [Bitboard; 2], turn: Color) -> Position {
        let family = match rules.family {
            crate::Family::Go => FamilyState::Go(GoState::new(&rules)),
            crate::Family::AlterIgo => FamilyState::AlterIgo(AlterIgoState::default()),
            crate::Family::Conquest => FamilyState::Conquest(ConquestState::default()),
        };
        Position { common: Common::new(rules, stones, turn), family, placements: OnceLock::new() }
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.common.rules
    }

    /// Width and height of the board.
    pub fn size(&self) -> Size {
        self.common.rules.size
    }

    /// Whose turn it is (was, in a finished game).
    pub fn turn(&self) -> Color {
        self.common.turn
    }

    /// Turns taken since the start, of every kind; each stone counts where a turn has several.
    pub fn turns(&self) -> u16 {
        self.common.turns
    }

    /// Placements that the player to move may still make before the opponent's turn: 1 unless the rules allow more.
    pub fn placements_left(&self) -> u8 {
        match &self.family {
            FamilyState::Go(state) => state.placements_left,
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => 1,
        }
    }

    /// Whether the player to move has already placed a stone in this turn.
    pub fn is_mid_turn(&self) -> bool {
        match &self.family {
            FamilyState::Go(state) => state.mid_turn,
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => false,
        }
    }

    /// Passes in a row just made.
    pub fn passes(&self) -> u8 {
        self.common.passes
    }

    /// Whether a pass would be the last one that the end by passes needs.
    pub fn pass_would_end(&self) -> bool {
        self.rules().is_scored_by_area()
            && !self.is_mid_turn()
            && self.passes() + 1 >= self.rules().passes_to_end
    }

    /// Passes that White has made, where the rules count them.
    pub fn white_passes(&self) -> u16 {
        match &self.family {
            FamilyState::AlterIgo(state) => state.white_passes,
            FamilyState::Go(_) | FamilyState::Conquest(_) => 0,
        }
    }

    /// Prisoners that `color` holds.
    pub fn prisoners(&self, color: Color) -> u16 {
        match &self.family {
            FamilyState::Go(state) => state.prisoners[color.index()],
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => 0,
        }
    }

    /// Stones that `color` has ever taken, in the `go` family: what a capture goal counts.
    pub fn taken(&self, color: Color) -> u16 {
        match &self.family {
            FamilyState::Go(state) => state.taken[color.index()],
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => 0,
        }
    }

    /// The stones of `color`.
    pub fn stones(&self, color: Color) -> &Bitboard {
        &self.common.stones[color.index()]
    }

    /// Tiles on `point`.
    pub fn tiles(&self, point: Point) -> u8 {
        match &self.family {
            FamilyState::Go(state) => state.tiles(point),
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => 0,
        }
    }

    /// The points that `color` owns in Conquest.
    pub fn owned(&self, color: Color) -> &Bitboard {
        match &self.family {
            FamilyState::Conquest(state) => &state.owner[color.index()],
            FamilyState::Go(_) | FamilyState::AlterIgo(_) => &Bitboard::EMPTY,
        }
    }

    /// The hot stones.
    pub fn hot(&self) -> Bitboard {
        match &self.family {
            FamilyState::Go(state) => state.hot_stones(),
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => Bitboard::EMPTY,
        }
    }

    /// Points of the last five turns, newest first; `None` for a pass or before the start.
    pub fn recent_points(&self) -> &[Option<Point>] {
        &self.common.recent
    }

    /// About the last placement under tile rules, about the last turn under the incursion rules (minimal ones under
    /// the minimal rule); `None` where no rule asks.
    pub fn last_incursion(&self) -> Option<bool> {
        let FamilyState::Go(state) = &self.family else { return None };
        if self.rules().has_tiles() {
            return Some(state.last_placement_incursion);
        }
        match self.rules().ban {
            Ban::Incursion => Some(state.last.incursion),
            Ban::MinimalIncursion => Some(state.last.minimal),
            Ban::None | Ban::Stoical => None,
        }
    }

    /// Whether the opponent's last turn puts the rule set's ban in force for this one.
    pub fn ban_in_force(&self) -> bool {
        let FamilyState::Go(state) = &self.family else { return false };
        match self.rules().ban {
            Ban::None => false,
            Ban::Incursion => state.last.incursion,
            Ban::MinimalIncursion => state.last.minimal,
            Ban::Stoical => state.last.capture,
        }
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.common.outcome
    }

    /// Black − White − komi as it stands; `None` where the rules have no score.
    pub fn score(&self) -> Option<f32> {
        if !self.rules().has_score() {
            return None;
        }
        let points = match &self.family {
            FamilyState::Go(_) | FamilyState::AlterIgo(_) => {
                let [black, white] = go::area(&self.common).map(|points| points.count() as i32);
                black - white
            }
            FamilyState::Conquest(state) => state.score(&self.common),
        };
        Some(points as f32 - self.rules().komi.value())
    }

    /// The points that are each colour's, Black's first: stones and the empty areas that touch them alone, in Conquest
    /// stones and owned points. At the end of a game this is the final ownership that a network learns to foresee.
    pub fn occupancy(&self) -> [Bitboard; 2] {
        match &self.family {
            FamilyState::Go(_) => go::area(&self.common),
            FamilyState::AlterIgo(_) => self.common.stones,
            FamilyState::Conquest(state) => {
                [0, 1].map(|color| self.common.stones[color] | state.owner[color])
            }
        }
    }

    /// A key of everything that decides how the game can go on, the history that the rules need included: equal rules
    /// and moves give equal keys. Not stable across versions.
    pub fn hash(&self) -> u64 {
        let mut key = self.common.mixer();
        match &self.family {
            FamilyState::Go(state) => state.mix_into(&mut key),
            FamilyState::AlterIgo(state) => key.add(state.white_passes.into()),
            FamilyState::Conquest(state) => state.mix_into(&mut key),
        }
        key.finish()
    }

    /// All legal moves: placements in point order (a starred one right after the plain one), then pass. Empty when the
    /// game is over.
    pub fn legal_moves(&self) -> MoveList {
        crate::moves::in_order(&self.legal_points(), &self.starred_points(), self.can_pass())
    }

    /// The points of all legal placements.
    pub fn legal_points(&self) -> Bitboard {
        if self.outcome().is_some() {
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
        self.placements.get_or_init(|| match &self.family {
            FamilyState::Go(state) => state.placements(&self.common),
            FamilyState::AlterIgo(_) => all(self.empty()),
            FamilyState::Conquest(state) => all(state.free(&self.common)),
        })
    }

    /// The points whose placement can also be settled in the opposite order (Conquest's announced choice).
    pub fn starred_points(&self) -> Bitboard {
        if self.outcome().is_some() {
            return Bitboard::EMPTY;
        }
        match &self.family {
            FamilyState::Go(_) | FamilyState::AlterIgo(_) => Bitboard::EMPTY,
            FamilyState::Conquest(state) => state.starred(&self.common),
        }
    }

    /// Whether the player to move may pass or return a prisoner.
    pub fn can_pass(&self) -> bool {
        self.outcome().is_none() && self.pass_error().is_none()
    }

    /// Whether `play` would accept the move, and if not, which rule forbids it.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn check_move(&self, candidate: Move) -> Result<(), IllegalMove> {
        self.check(candidate).map(|_| ())
    }

    /// As [`Position::check_move`]; hands on what the move would do where that had to be found out anyway.
    fn check(&self, candidate: Move) -> Result<Option<Effect>, IllegalMove> {
        if self.outcome().is_some() {
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
        let forbidden = match &self.family {
            FamilyState::Go(state) => {
                let effect = effect.insert(go::effect(&self.common, point));
                state.forbids(&self.common, point, effect)
            }
            FamilyState::AlterIgo(_) => None,
            FamilyState::Conquest(state) => state.forbids(point),
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
        self.placements = OnceLock::new();
        let common = &mut self.common;
        common.turns += 1;
        common.recent.rotate_right(1);
        common.recent[0] = chosen.point();
        match chosen {
            Move::Pass => self.pass(),
            Move::Place(point) => self.place(point, false, effect),
            Move::PlaceStarred(point) => self.place(point, true, effect),
        }
        self.judge_want_of_moves();
        self.judge_move_limit();
    }

    fn pass(&mut self) {
        match &mut self.family {
            FamilyState::Go(state) => state.pass(&mut self.common),
            FamilyState::AlterIgo(state) => state.pass(&mut self.common),
            // There is no passing.
            FamilyState::Conquest(_) => self.common.turn = self.common.turn.opponent(),
        }
        let rules = self.rules();
        if rules.is_scored_by_area() && self.passes() >= rules.passes_to_end {
            self.finish_by_score(Reason::Passes);
        }
    }

    fn place(&mut self, point: Point, starred: bool, effect: Option<Effect>) {
        let common = &mut self.common;
        common.passes = 0;
        match &mut self.family {
            FamilyState::Go(state) => state.place(common, point, effect),
            FamilyState::AlterIgo(state) => state.place(common, point),
            FamilyState::Conquest(state) => state.place(common, point, starred),
        }
    }

    /// Why the player to move may not pass (or return a prisoner) now.
    fn pass_error(&self) -> Option<IllegalMove> {
        match &self.family {
            FamilyState::Go(state) => state.pass_error(&self.common),
            FamilyState::AlterIgo(state) => state.pass_error(&self.common),
            FamilyState::Conquest(_) => Some(IllegalMove::NoPass),
        }
    }

    /// Ends the game for a player who has no legal turn, or for want of a free point.
    fn judge_want_of_moves(&mut self) {
        if self.outcome().is_some() {
            return;
        }
        match &self.family {
            FamilyState::Go(state) => {
                if state.has_no_move(&self.common) {
                    self.common.finish(GameResult::Won(self.turn().opponent()), Reason::NoMove);
                }
            }
            // The last empty point empties the board, so a placement is always left.
            FamilyState::AlterIgo(_) => {}
            FamilyState::Conquest(state) => {
                if state.free(&self.common).is_empty() {
                    self.finish_by_score(Reason::NoFreePoint);
                }
            }
        }
    }

    fn judge_move_limit(&mut self) {
        if self.outcome().is_none() && self.turns() >= self.rules().max_moves {
            if self.rules().has_score() {
                self.finish_by_score(Reason::MoveLimit);
            } else {
                self.common.finish(GameResult::Draw, Reason::MoveLimit);
            }
        }
    }

    fn finish_by_score(&mut self, reason: Reason) {
        let score = self.score().unwrap_or_default();
        self.common.finish(GameResult::of_score(score), reason);
    }

    pub(crate) fn board(&self) -> Bitboard {
        self.common.board()
    }

    /// The points without a stone.
    pub fn empty(&self) -> Bitboard {
        self.common.empty()
    }
}

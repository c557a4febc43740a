//! What a position consists of, and its accessors.

use std::sync::OnceLock;

use super::common::{Common, Placements};
use crate::alter_igo::AlterIgoState;
use crate::conquest::ConquestState;
use crate::go::{self, GoState};
use crate::{Ban, Bitboard, Color, Family, Outcome, Point, Reason, Rules, Size};

/// What the rules of one family add to stones and history.
#[derive(Debug, Clone)]
pub(crate) enum FamilyState {
    Go(GoState),
    AlterIgo(AlterIgoState),
    Conquest(Box<ConquestState>),
}

/// A position with the history that the rules depend on. Clone it to look ahead: there is no undo.
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
    /// Computed on first use: a search asks twice, to encode a leaf and to list its moves.
    pub(super) placements: OnceLock<Placements>,
}

impl Position {
    /// The empty board, Black to move.
    pub fn new(rules: Rules) -> Position {
        Position::with_board(rules, [Bitboard::EMPTY; 2], Color::Black)
    }

    /// The start of a game on these stones.
    pub(super) fn with_board(rules: Rules, stones: [Bitboard; 2], turn: Color) -> Position {
        let family = match rules.family {
            Family::Go => FamilyState::Go(GoState::new(&rules)),
            Family::AlterIgo => FamilyState::AlterIgo(AlterIgoState::default()),
            Family::Conquest => FamilyState::Conquest(Box::default()),
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

    /// The player to move; in a finished game, the player who would move next.
    pub fn turn(&self) -> Color {
        self.common.turn
    }

    /// Turns taken since the start, of every kind; where a turn has several stones, each counts.
    pub fn turns(&self) -> u16 {
        self.common.turns
    }

    /// Placements that the player to move may still make before the opponent's turn: 1 unless the
    /// rules allow more.
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

    /// Consecutive passes just made.
    pub fn passes(&self) -> u8 {
        self.common.passes
    }

    /// Whether one more pass would end the game.
    pub fn pass_would_end(&self) -> bool {
        self.rules().is_scored_by_area()
            && !self.is_mid_turn()
            && self.passes() + 1 >= self.rules().passes_to_end
    }

    /// Passes made by White, where the rules count them; otherwise 0.
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

    /// Stones that `color` has taken over the whole game, in the `go` family: what a capture goal
    /// counts.
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

    /// The points without a stone.
    pub fn empty(&self) -> Bitboard {
        self.common.empty()
    }

    pub(crate) fn board(&self) -> Bitboard {
        self.common.board()
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

    /// The hot stones; empty where the rules have none.
    pub fn hot_stones(&self) -> Bitboard {
        match &self.family {
            FamilyState::Go(state) => state.hot_stones(self.rules()),
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => Bitboard::EMPTY,
        }
    }

    /// Odd cycles that the plays of the game have completed, under the hot-stone ko rule.
    pub fn odd_cycles(&self) -> usize {
        match &self.family {
            FamilyState::Go(state) => state.hot.as_ref().map_or(0, |hot| hot.count_odd_cycles()),
            FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => 0,
        }
    }

    /// How many of [`Position::recent_points`] belong to actual turns.
    pub(crate) fn recent_turns(&self) -> usize {
        usize::from(self.common.turns - self.common.unrecorded_turns).min(self.common.recent.len())
    }

    /// Points of the last five turns, newest first; `None` for a pass, before the start, and for
    /// turns that a position set up by hand does not record.
    pub fn recent_points(&self) -> &[Option<Point>] {
        &self.common.recent
    }

    /// Whether the last placement (under tile rules) or the last turn (under the incursion rules)
    /// was an incursion, counting only minimal ones under the minimal rule; `None` where no rule
    /// depends on it.
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
    pub fn is_ban_in_force(&self) -> bool {
        let FamilyState::Go(state) = &self.family else { return false };
        match self.rules().ban {
            Ban::None => false,
            Ban::Incursion => state.last.incursion,
            Ban::MinimalIncursion => state.last.minimal,
            Ban::Stoical => state.last.capture,
        }
    }

    /// How the game ended, if it is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.common.outcome
    }

    /// Black − White − komi in the current position, in points; `None` where the rules have no
    /// score, or where captures have decided the game regardless of the score.
    pub fn score(&self) -> Option<f32> {
        let by_captures = |outcome: Outcome| outcome.reason == Reason::CaptureGoal;
        if !self.rules().has_score() || self.outcome().is_some_and(by_captures) {
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

    /// The points that belong to each colour, Black's first: stones and the empty areas that touch
    /// only them; in Conquest, stones and owned points; in Alter Igo, stones alone. At the end of a
    /// game this is the ownership that a network learns to predict.
    pub fn ownership(&self) -> [Bitboard; 2] {
        match &self.family {
            FamilyState::AlterIgo(_) => self.common.stones,
            FamilyState::Go(_) | FamilyState::Conquest(_) => self.area(),
        }
    }

    /// The points that belong to each colour, Black's first: like [`Position::ownership`], but
    /// includes empty areas in Alter Igo.
    pub fn area(&self) -> [Bitboard; 2] {
        match &self.family {
            FamilyState::Go(_) | FamilyState::AlterIgo(_) => go::area(&self.common),
            FamilyState::Conquest(state) => {
                [0, 1].map(|color| self.common.stones[color] | state.owner[color])
            }
        }
    }

    /// A key of everything that determines how the game can continue, including the history that
    /// the rules need: equal rules and moves give equal keys. Not stable across versions.
    pub fn hash(&self) -> u64 {
        let mut key = self.common.mixer();
        match &self.family {
            FamilyState::Go(state) => state.mix_into(self.rules(), &mut key),
            FamilyState::AlterIgo(state) => key.add(state.white_passes.into()),
            FamilyState::Conquest(state) => state.mix_into(&mut key),
        }
        key.finish()
    }
}

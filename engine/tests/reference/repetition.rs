//! The bans, and the rules about repetition other than hot stones, over the whole history of boards.

use super::board::{Board, Played};
use super::rules::{Ban, Color, Repetition};

/// What stood on the board after a move, or at the start.
#[derive(Clone, Debug)]
pub struct Situation {
    pub board: Board,
    /// Who made the move; `None` at the start.
    pub by: Option<Color>,
    pub next: Color,
}

/// What the previous turn was, as far as any ban depends on it. A pass or a return is none of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastTurn {
    pub incursion: bool,
    pub minimal_incursion: bool,
    pub capture: bool,
}

impl LastTurn {
    /// What a placement on `before` was.
    pub fn of_placement(before: &Board, played: &Played) -> LastTurn {
        let incursion = before.is_incursion(played.play.point, played.play.player);
        LastTurn {
            incursion,
            minimal_incursion: incursion && played.captured_strings <= 1,
            capture: played.play.is_capture(),
        }
    }
}

/// Whether the ban forbids a placement on `before` that Go capture allows.
pub fn bans(ban: Ban, last: LastTurn, before: &Board, played: &Played) -> bool {
    let this = || LastTurn::of_placement(before, played);
    match ban {
        Ban::None => false,
        Ban::Incursion => last.incursion && this().incursion,
        Ban::MinimalIncursion => last.minimal_incursion && this().minimal_incursion,
        Ban::Stoical => last.capture && this().capture,
    }
}

/// Whether the rule forbids a placement that Go capture allows. `history` ends with the present
/// situation. Hot stones are not judged here.
pub fn forbids(rule: Repetition, history: &[Situation], played: &Played) -> bool {
    let player = played.play.player;
    match rule {
        Repetition::None | Repetition::Draw | Repetition::HotStone => false,
        Repetition::Simple => {
            // The situation before the opponent's last turn is the last but one.
            history.len() >= 2 && history[history.len() - 2].board == played.board
        }
        Repetition::PositionalSuperko => {
            history.iter().any(|earlier| earlier.board == played.board)
        }
        Repetition::SituationalSuperko => history
            .iter()
            .any(|earlier| earlier.next == player.opponent() && earlier.board == played.board),
    }
}

/// Whether a placement by `player` that left `board` makes the game a draw. `history` holds what
/// came before that placement.
pub fn draws(rule: Repetition, history: &[Situation], player: Color, board: &Board) -> bool {
    rule == Repetition::Draw
        && history.iter().any(|earlier| earlier.by == Some(player) && earlier.board == *board)
}

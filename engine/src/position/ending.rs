//! How games end, and the checks after a turn that end them.

use crate::position::Position;
use crate::{Color, Ending, Family};

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// What ended the game.
    pub reason: Reason,
}

impl Outcome {
    /// +1 if Black won, −1 if White did, 0 for a draw.
    pub fn black_value(&self) -> f32 {
        self.winner.map_or(0.0, Color::sign)
    }
}

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Consecutive passes.
    Passes,
    /// The player to move had neither a legal placement nor a prisoner.
    NoMove,
    /// The stones stood as before.
    Repetition,
    /// Alter Igo: the placed stone was the only one removed.
    Suicide,
    /// Conquest: nobody can place a stone any more.
    NoFreePoint,
    /// The move limit.
    MoveLimit,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Passes => "passes",
            Reason::NoMove => "no move",
            Reason::Repetition => "repetition",
            Reason::Suicide => "suicide",
            Reason::NoFreePoint => "no free point",
            Reason::MoveLimit => "move limit",
        })
    }
}

impl Position {
    /// Ends the game for a player who has no legal turn, or for want of a free point.
    pub(super) fn judge_want_of_moves(&mut self) {
        if self.outcome.is_some() {
            return;
        }
        match self.rules.family {
            Family::Go => match self.rules.end {
                Ending::Area => {}
                Ending::PrisonerReturn => {
                    if self.prisoners(self.turn) == 0 && self.go_placements().legal.is_empty() {
                        self.finish(Some(self.turn.opponent()), Reason::NoMove);
                    }
                }
            },
            // The last empty point empties the board, so a placement is always left.
            Family::AlterIgo => {}
            Family::Conquest => {
                if self.conquest_free().is_empty() {
                    self.finish_by_score(Reason::NoFreePoint);
                }
            }
        }
    }

    pub(super) fn judge_move_limit(&mut self) {
        if self.outcome.is_none() && self.turns >= self.rules.max_moves {
            if self.rules.has_score() {
                self.finish_by_score(Reason::MoveLimit);
            } else {
                self.finish(None, Reason::MoveLimit);
            }
        }
    }

    pub(super) fn finish_by_score(&mut self, reason: Reason) {
        let score = self.score().unwrap_or_default();
        let winner = match score.total_cmp(&0.0) {
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
            std::cmp::Ordering::Equal => None,
        };
        // −0.0 sorts below 0.0 and is a tie all the same.
        self.finish(if score == 0.0 { None } else { winner }, reason);
    }

    pub(crate) fn finish(&mut self, winner: Option<Color>, reason: Reason) {
        self.outcome = Some(Outcome { winner, reason });
    }
}

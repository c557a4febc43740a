//! What a search asks: the result, or how the game ends.

use engine::{Color, Reason};

use crate::state::{Limits, Node};

/// What a finished game counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Its result.
    Result,
    /// Its result, except that a draw by repetition is the worst that this player can get.
    RepetitionLostBy(Color),
    /// Whether it ended for this reason, which one or both players want.
    End(Reason, WantedBy),
}

/// Who wants a game to end in a certain way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedBy {
    /// One player does, and the other does not.
    One(Color),
    /// Both.
    Both,
}

impl Goal {
    /// The limits of the values.
    pub(super) fn limits(self, limits: Limits) -> Limits {
        match self {
            Goal::Result | Goal::RepetitionLostBy(_) => limits,
            Goal::End(..) => {
                Limits { lowest: -1, highest: 1, life_counts: false, scores_only: false, ..limits }
            }
        }
    }

    /// The value of a finished game for Black, in half points.
    pub(super) fn value(self, node: &Node, limits: &Limits) -> Option<i32> {
        let reason = node.position.outcome()?.reason;
        match self {
            Goal::Result => node.result(),
            Goal::RepetitionLostBy(loser) if reason == Reason::Repetition => Some(match loser {
                Color::Black => limits.lowest,
                Color::White => limits.highest,
            }),
            Goal::RepetitionLostBy(_) => node.result(),
            Goal::End(wanted, wanted_by) => {
                let reached = if reason == wanted { 1 } else { -1 };
                Some(match wanted_by {
                    WantedBy::One(Color::White) => -reached,
                    WantedBy::One(Color::Black) | WantedBy::Both => reached,
                })
            }
        }
    }

    /// Whether having no move left, which loses, is the worst that can happen to a player. It may
    /// also be the ending that a player wants, or prevent another ending.
    pub(super) fn is_worst_without_a_move(self) -> bool {
        match self {
            Goal::Result | Goal::RepetitionLostBy(_) => true,
            Goal::End(..) => false,
        }
    }

    /// Whether the player to move wants a high value for Black.
    pub(super) fn wants_more(self, mover: Color) -> bool {
        match self {
            Goal::End(_, WantedBy::Both) => true,
            Goal::Result | Goal::RepetitionLostBy(_) | Goal::End(_, WantedBy::One(_)) => {
                mover == Color::Black
            }
        }
    }
}

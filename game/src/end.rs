//! How games end: by the rules, by resignation, or by a fault of an engine.

use std::fmt;

use engine::{Color, GameResult, Outcome, Reason};

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameEnd {
    /// Who won.
    pub result: GameResult,
    /// What ended the game.
    pub reason: EndReason,
}

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The rules.
    Rules(Reason),
    /// A player resigned.
    Resignation,
    /// A fault of an external engine.
    Fault(Fault),
}

impl EndReason {
    /// Whether the score decided the game, provided that the rules have a score.
    pub fn is_by_score(self) -> bool {
        match self {
            EndReason::Rules(reason) => reason.is_by_score(),
            EndReason::Resignation | EndReason::Fault(_) => false,
        }
    }
}

impl GameEnd {
    /// The end of a game that `loser` resigned.
    pub fn resigned(loser: Color) -> GameEnd {
        GameEnd { result: GameResult::Won(loser.opponent()), reason: EndReason::Resignation }
    }

    /// The result in the form that SGF and GTP use: `B+3.5` if this score decided the game, `B+` if
    /// another rule did, `W+R`, `0` for a draw.
    pub fn to_sgf(self, score: Option<f32>) -> String {
        let GameResult::Won(winner) = self.result else { return "0".to_owned() };
        match (self.reason, score.filter(|_| self.reason.is_by_score())) {
            (EndReason::Resignation, _) => format!("{winner}+R"),
            (_, Some(score)) => format!("{winner}+{}", score.abs()),
            (EndReason::Rules(_) | EndReason::Fault(_), None) => format!("{winner}+"),
        }
    }
}

impl From<Outcome> for GameEnd {
    fn from(outcome: Outcome) -> GameEnd {
        GameEnd { result: outcome.result, reason: EndReason::Rules(outcome.reason) }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndReason::Rules(reason) => reason.fmt(f),
            EndReason::Resignation => f.write_str("resignation"),
            EndReason::Fault(fault) => fault.fmt(f),
        }
    }
}

/// A fault for which an engine loses the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The program cannot be started.
    NotStarted,
    /// It exited, or closed its output.
    Crashed,
    /// It did not answer in time.
    Silent,
    /// Its answer was not valid GTP, or not a move.
    Garbage,
    /// It refused a command that the game needs, such as playing our legal move.
    Refused,
    /// It played a move that the rules forbid.
    Illegal,
}

impl Fault {
    /// All faults, for parsing them.
    pub const ALL: [Fault; 6] = [
        Fault::NotStarted,
        Fault::Crashed,
        Fault::Silent,
        Fault::Garbage,
        Fault::Refused,
        Fault::Illegal,
    ];
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::NotStarted => "engine not started",
            Fault::Crashed => "engine crashed",
            Fault::Silent => "engine silent",
            Fault::Garbage => "engine unintelligible",
            Fault::Refused => "engine refused",
            Fault::Illegal => "illegal move",
        })
    }
}

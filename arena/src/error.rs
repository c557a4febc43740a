//! Errors that prevent a match from being played.

use engine::Move;
use game::PlayError;
use search::EvaluatorError;
use solver::SolveError;

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// An evaluator failed.
    #[error("{player} failed: {source}")]
    Evaluator {
        /// The player.
        player: String,
        /// Its error.
        source: EvaluatorError,
    },
    /// A player chose a move that the rules forbid.
    #[error("{player} chose {played}, which is illegal: {source}")]
    Illegal {
        /// The player's name.
        player: String,
        /// The move.
        played: Move,
        /// The rule.
        source: PlayError,
    },
    /// A player has no move in a running game.
    #[error("{player} found no move in a game that is not over")]
    NoMove {
        /// The player's name.
        player: String,
    },
    /// The solver gave up.
    #[error("{player} failed: {source}")]
    Solver {
        /// The player's name.
        player: String,
        /// The reason.
        source: SolveError,
    },
    /// A player needs an evaluator or an engine that the match does not have.
    #[error("{player} needs {what} number {needed}, but there are {given}")]
    Missing {
        /// The player's name.
        player: String,
        /// Evaluator or engine.
        what: &'static str,
        /// The index of the one needed, from 0.
        needed: usize,
        /// How many the match has.
        given: usize,
    },
    /// The match has no pairs, or allows fewer than two simultaneous games.
    #[error("a match needs at least one pair, and two simultaneous games")]
    Empty,
    /// A resumed game that does not belong to this match.
    #[error("game {0} of the record is not one of this match")]
    Foreign(usize),
    /// Every opening of the length ends the game.
    #[error("no opening of {plies} plies leaves a game to play: begin from the empty board")]
    NoOpening {
        /// The length asked for, in plies.
        plies: usize,
    },
}

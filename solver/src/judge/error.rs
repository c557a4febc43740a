//! Errors that prevent an agent from being judged.

use search::EvaluatorError;

use crate::SolveError;

/// Why judging failed.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The solver gave up.
    #[error(transparent)]
    Solver(#[from] SolveError),
    /// The agent failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

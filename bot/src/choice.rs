//! A player's choice of a move.

use engine::{Color, GameResult, Move, Position};
use game::PlayError;
use search::{EvaluatorError, MoveStats, SearchResult};

/// What a player would play, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// Expected result for Black, from −1 to 1; exact if it is proven.
    pub value: f32,
    /// The result, if proven.
    pub proven: Option<GameResult>,
    /// The search's statistics of each legal move, in order; only the chosen move if no search was
    /// needed.
    pub moves: Vec<MoveStats>,
    /// The principal variation, beginning with the move.
    pub line: Vec<Move>,
    /// Whether the player resigns instead of playing the move.
    pub resigns: bool,
}

/// Why no move was found.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The game is over.
    #[error("the game is over: {0}")]
    GameOver(String),
    /// It is the other player's turn.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl Choice {
    pub(crate) fn of(played: Move, result: SearchResult) -> Choice {
        Choice {
            played,
            value: result.root_value,
            proven: result.proven,
            moves: result.moves,
            line: vec![played],
            resigns: false,
        }
    }

    /// A pass that wins at once by the rules. The search would find it only if the network
    /// suggested it, and an opponent who has passed in a lost position expects it.
    pub(crate) fn winning_pass(position: &Position) -> Option<Choice> {
        let result = result_of_pass(position)?;
        (result == GameResult::Won(position.turn())).then(|| Choice {
            played: Move::Pass,
            value: result.black_value(),
            proven: Some(result),
            moves: vec![MoveStats::deciding(Move::Pass, result)],
            line: vec![Move::Pass],
            resigns: false,
        })
    }

    /// The move or a resignation, in GTP's notation.
    pub(crate) fn word(&self) -> String {
        if self.resigns { "resign".to_owned() } else { self.played.to_string() }
    }

    /// The statistics of the moves, which are `mover`'s, in the order of
    /// [`MoveStats::display_order`].
    pub fn ranked_moves(&self, mover: Color) -> Vec<MoveStats> {
        let mut moves = self.moves.clone();
        moves.sort_by(|one, other| one.display_order(other, mover));
        moves
    }

    /// The probability that `color` wins, from 0 to 1, with a draw counted as half a win.
    pub fn winrate(&self, color: Color) -> f32 {
        search::winrate(self.value, color)
    }
}

/// The result of a pass that ends the game; `None` if none may be played, or it ends nothing.
pub(crate) fn result_of_pass(position: &Position) -> Option<GameResult> {
    let mut after = position.clone();
    after.play(Move::Pass).ok()?;
    Some(after.outcome()?.result)
}

//! Refused requests: a status as in HTTP, and JSON with a code and a sentence.

use engine::RulesError;
use game::{PlayError, ReplayError};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request about games is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each says it to people")]
pub enum Refusal {
    #[error("no such address")]
    NoSuchAddress,
    #[error("no such game")]
    NoSuchGame,
    #[error("no turn '{turn}' in this game: expected 0 to {turns}")]
    NoSuchTurn { turn: String, turns: usize },
    #[error("no puzzle '{number}' of the variant '{rules}': there are {count}")]
    NoSuchPuzzle { rules: String, number: String, count: usize },
    #[error("{0}")]
    BadRequest(String),
    #[error("the body is not JSON: {0}")]
    BadJson(String),
    #[error("the rules cannot be played: {0}")]
    Rules(#[from] RulesError),
    #[error("the file cannot be read: {0}")]
    Sgf(#[from] game::ReadError),
    #[error("the file's game cannot be played: {0}")]
    Record(#[from] ReplayError),
    #[error("unknown model '{0}'")]
    NoSuchModel(String),
    #[error("no model on this server plays these rules on this size")]
    NoModel,
    #[error("invalid level {0}: expected 1 to 10")]
    NoSuchLevel(u8),
    #[error("one of the players must be a person")]
    NoPerson,
    #[error("only players can do that: send the token of a seat as Authorization: Bearer …")]
    NoSeat,
    #[error("it is not your turn")]
    NotYourTurn,
    #[error("{0}")]
    Illegal(PlayError),
    #[error("the game is over")]
    GameOver,
    #[error("you have no move to take back")]
    NothingToUndo,
    #[error("no program has to move in this game now")]
    NoReplyDue,
    #[error("the search failed: {0}")]
    Search(String),
    #[error("internal error")]
    Internal,
}

/// The body of every error reply.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    error: ErrorReport,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
struct ErrorReport {
    /// For programs: a word that does not change between versions.
    #[schema(value_type = String)]
    code: &'static str,
    /// For people: a sentence.
    message: String,
}

impl ErrorBody {
    /// The body for a word and a sentence.
    pub fn new(code: &'static str, message: String) -> ErrorBody {
        ErrorBody { error: ErrorReport { code, message } }
    }
}

impl Refusal {
    /// The status of HTTP, and the word for programs.
    pub fn code(&self) -> (u16, &'static str) {
        match self {
            Refusal::NoSuchAddress => (404, "no_such_address"),
            Refusal::NoSuchGame => (404, "no_such_game"),
            Refusal::NoSuchTurn { .. } => (404, "no_such_turn"),
            Refusal::NoSuchPuzzle { .. } => (404, "no_such_puzzle"),
            Refusal::BadRequest(_) => (400, "bad_request"),
            Refusal::BadJson(_) => (400, "bad_json"),
            Refusal::Rules(_) => (400, "bad_rules"),
            Refusal::Sgf(_) => (400, "bad_sgf"),
            Refusal::Record(_) => (409, "unplayable_record"),
            Refusal::NoSuchModel(_) => (400, "no_such_model"),
            Refusal::NoModel => (409, "no_model"),
            Refusal::NoSuchLevel(_) => (400, "no_such_level"),
            Refusal::NoPerson => (400, "no_person"),
            Refusal::NoSeat => (403, "no_seat"),
            Refusal::NotYourTurn => (409, "not_your_turn"),
            Refusal::Illegal(_) => (409, "illegal_move"),
            Refusal::GameOver => (409, "game_over"),
            Refusal::NothingToUndo => (409, "nothing_to_undo"),
            Refusal::NoReplyDue => (409, "no_reply_due"),
            Refusal::Search(_) => (500, "search_failed"),
            Refusal::Internal => (500, "internal"),
        }
    }
}

//! Error replies: a status, and JSON with a code and a sentence.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::RulesError;
use game::{PlayError, ReplayError};
use serde::Serialize;
use utoipa::ToSchema;

use super::storage::StorageError;

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("no such address")]
    NoSuchAddress,
    #[error("this address does not support that method")]
    NoSuchMethod,
    #[error("no such game")]
    NoSuchGame,
    #[error("{0}")]
    BadRequest(String),
    #[error("the body is not JSON: {0}")]
    BadJson(String),
    #[error("the body must be JSON: send Content-Type: application/json")]
    NotJson,
    #[error("the body is longer than {0} bytes")]
    TooLarge(usize),
    #[error("the request took longer than {} seconds", .0.as_secs())]
    TooSlow(Duration),
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
    #[error("too many requests: wait a moment")]
    TooManyRequests(Duration),
    #[error("too many new games: wait a while, or continue one that you have")]
    TooManyNewGames(Duration),
    #[error("simulation quota exceeded: retry in {} s", seconds(.0))]
    TooManySimulations(Duration),
    #[error("search-time quota exceeded: retry in {} s", seconds(.0))]
    TooMuchThinking(Duration),
    #[error("too many searches are waiting: try again in a moment")]
    Busy,
    #[error("this server cannot keep more games")]
    Full,
    #[error("the search failed: {0}")]
    Search(String),
    #[error("the server is stopping")]
    Stopping,
    #[error("the games cannot be read or saved: {0}")]
    Storage(#[from] StorageError),
    #[error("internal error")]
    Internal,
}

/// The body of every error reply.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
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

impl Problem {
    /// The status and the word for programs.
    pub fn code(&self) -> (StatusCode, &'static str) {
        match self {
            Problem::NoSuchAddress => (StatusCode::NOT_FOUND, "no_such_address"),
            Problem::NoSuchMethod => (StatusCode::METHOD_NOT_ALLOWED, "no_such_method"),
            Problem::NoSuchGame => (StatusCode::NOT_FOUND, "no_such_game"),
            Problem::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Problem::BadJson(_) => (StatusCode::BAD_REQUEST, "bad_json"),
            Problem::NotJson => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            Problem::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Problem::TooSlow(_) => (StatusCode::REQUEST_TIMEOUT, "too_slow"),
            Problem::Rules(_) => (StatusCode::BAD_REQUEST, "bad_rules"),
            Problem::Sgf(_) => (StatusCode::BAD_REQUEST, "bad_sgf"),
            Problem::Record(_) => (StatusCode::CONFLICT, "unplayable_record"),
            Problem::NoSuchModel(_) => (StatusCode::BAD_REQUEST, "no_such_model"),
            Problem::NoModel => (StatusCode::CONFLICT, "no_model"),
            Problem::NoSuchLevel(_) => (StatusCode::BAD_REQUEST, "no_such_level"),
            Problem::NoPerson => (StatusCode::BAD_REQUEST, "no_person"),
            Problem::NoSeat => (StatusCode::FORBIDDEN, "no_seat"),
            Problem::NotYourTurn => (StatusCode::CONFLICT, "not_your_turn"),
            Problem::Illegal(_) => (StatusCode::CONFLICT, "illegal_move"),
            Problem::GameOver => (StatusCode::CONFLICT, "game_over"),
            Problem::NothingToUndo => (StatusCode::CONFLICT, "nothing_to_undo"),
            Problem::NoReplyDue => (StatusCode::CONFLICT, "no_reply_due"),
            Problem::TooManyRequests(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            Problem::TooManyNewGames(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_new_games"),
            Problem::TooManySimulations(_) => {
                (StatusCode::TOO_MANY_REQUESTS, "too_many_simulations")
            }
            Problem::TooMuchThinking(_) => (StatusCode::TOO_MANY_REQUESTS, "too_much_thinking"),
            Problem::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Problem::Full => (StatusCode::SERVICE_UNAVAILABLE, "full"),
            Problem::Search(_) => (StatusCode::INTERNAL_SERVER_ERROR, "search_failed"),
            Problem::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
            Problem::Storage(_) => (StatusCode::INTERNAL_SERVER_ERROR, "storage_failed"),
            Problem::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// How long to wait before retrying, if known.
    fn wait(&self) -> Option<Duration> {
        match self {
            Problem::TooManyRequests(wait)
            | Problem::TooManyNewGames(wait)
            | Problem::TooManySimulations(wait)
            | Problem::TooMuchThinking(wait) => Some(*wait),
            Problem::Busy | Problem::Stopping => Some(Duration::from_secs(2)),
            Problem::NoSuchAddress
            | Problem::NoSuchMethod
            | Problem::NoSuchGame
            | Problem::BadRequest(_)
            | Problem::BadJson(_)
            | Problem::NotJson
            | Problem::TooLarge(_)
            | Problem::TooSlow(_)
            | Problem::Rules(_)
            | Problem::Sgf(_)
            | Problem::Record(_)
            | Problem::NoSuchModel(_)
            | Problem::NoModel
            | Problem::NoSuchLevel(_)
            | Problem::NoPerson
            | Problem::NoSeat
            | Problem::NotYourTurn
            | Problem::Illegal(_)
            | Problem::GameOver
            | Problem::NothingToUndo
            | Problem::NoReplyDue
            | Problem::Full
            | Problem::Search(_)
            | Problem::Storage(_)
            | Problem::Internal => None,
        }
    }
}

/// Seconds to wait, rounded up.
fn seconds(wait: &Duration) -> u64 {
    wait.as_secs_f64().ceil() as u64
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, code) = self.code();
        if status.is_server_error() && !matches!(self, Problem::Busy | Problem::Stopping) {
            eprintln!("error: {self}");
        }
        let body = ErrorBody { error: ErrorReport { code, message: self.to_string() } };
        let mut response = (status, Json(body)).into_response();
        if let Some(wait) = self.wait() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds(&wait)));
        }
        response
    }
}

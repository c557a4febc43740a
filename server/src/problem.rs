//! Error replies: a status, and JSON with a code and a sentence.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use interface::{ErrorBody, Language, Refusal};

use super::storage::StorageError;

/// [`Problem::Storage`] in English.
pub(crate) const STORAGE: &str = "the games cannot be read or saved: {reason}";

/// [`Problem::Unsaved`] in English.
pub(crate) const UNSAVED: &str = "this is done but cannot be saved yet: {reason}";

fn because(english: &str, reason: &StorageError) -> String {
    Language::english().say(english, &[("reason", reason)])
}

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("this address does not support that method")]
    NoSuchMethod,
    #[error(
        "this server is for its own machine: open it as http://localhost:PORT/, or start it with --behind-proxy if a proxy \
         passes requests on"
    )]
    ForeignHost,
    #[error("the body must be JSON: send Content-Type: application/json")]
    NotJson,
    #[error("the body is longer than {0} bytes")]
    TooLarge(usize),
    #[error("the request took longer than {} seconds", .0.as_secs())]
    TooSlow(Duration),
    #[error("too many requests: wait a moment")]
    TooManyRequests(Duration),
    #[error("too many new games: wait a while, or continue one that you have")]
    TooManyNewGames(Duration),
    #[error("simulation quota exceeded: retry in {} s", seconds(.0))]
    TooManySimulations(Duration),
    #[error("search-time quota exceeded: retry in {} s", seconds(.0))]
    TooMuchThinking(Duration),
    #[error("too many searches at a time: wait for the answers to yours")]
    TooManySearches,
    #[error("too many streams of events at a time: close some, or ask for the games themselves")]
    TooManyStreams,
    #[error("too many searches are waiting: try again in a moment")]
    Busy,
    #[error("this server cannot keep more games")]
    Full,
    #[error("the server is stopping")]
    Stopping,
    #[error("{}", because(STORAGE, .0))]
    Storage(#[from] StorageError),
    /// The request has changed a game, but the change could not be saved. It stands, and the next
    /// request for the game saves it.
    #[error("{}", because(UNSAVED, .0))]
    Unsaved(StorageError),
}

impl Problem {
    /// The status, and the code for programs.
    pub fn code(&self) -> (StatusCode, &'static str) {
        match self {
            Problem::Refused(refusal) => {
                let (status, code) = refusal.code();
                (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), code)
            }
            Problem::NoSuchMethod => (StatusCode::METHOD_NOT_ALLOWED, "no_such_method"),
            Problem::ForeignHost => (StatusCode::FORBIDDEN, "foreign_host"),
            Problem::NotJson => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            Problem::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            // Not 408, after which Chromium repeats a request by itself: it says that the request
            // has not arrived, but most that are too slow have, and wait for a search.
            Problem::TooSlow(_) => (StatusCode::SERVICE_UNAVAILABLE, "too_slow"),
            Problem::TooManyRequests(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            Problem::TooManyNewGames(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many_new_games"),
            Problem::TooManySimulations(_) => {
                (StatusCode::TOO_MANY_REQUESTS, "too_many_simulations")
            }
            Problem::TooMuchThinking(_) => (StatusCode::TOO_MANY_REQUESTS, "too_much_thinking"),
            Problem::TooManySearches => (StatusCode::TOO_MANY_REQUESTS, "too_many_searches"),
            Problem::TooManyStreams => (StatusCode::TOO_MANY_REQUESTS, "too_many_streams"),
            Problem::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Problem::Full => (StatusCode::SERVICE_UNAVAILABLE, "full"),
            Problem::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
            Problem::Storage(_) | Problem::Unsaved(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "storage_failed")
            }
        }
    }

    /// How long to wait before retrying, if known.
    fn wait(&self) -> Option<Duration> {
        match self {
            Problem::TooManyRequests(wait)
            | Problem::TooManyNewGames(wait)
            | Problem::TooManySimulations(wait)
            | Problem::TooMuchThinking(wait) => Some(*wait),
            Problem::TooManySearches
            | Problem::TooManyStreams
            | Problem::Busy
            | Problem::Stopping => Some(Duration::from_secs(2)),
            Problem::Refused(_)
            | Problem::NoSuchMethod
            | Problem::ForeignHost
            | Problem::NotJson
            | Problem::TooLarge(_)
            | Problem::TooSlow(_)
            | Problem::Full
            | Problem::Storage(_)
            | Problem::Unsaved(_) => None,
        }
    }
}

/// Seconds to wait, rounded up.
fn seconds(wait: &Duration) -> u64 {
    wait.as_secs_f64().ceil() as u64
}

impl Problem {
    /// The message for people.
    pub fn in_language(&self, language: &Language) -> String {
        match self {
            Problem::Refused(refusal) => refusal.in_language(language),
            Problem::Storage(error) => language.say(STORAGE, &[("reason", error)]),
            Problem::Unsaved(error) => language.say(UNSAVED, &[("reason", error)]),
            Problem::NoSuchMethod
            | Problem::ForeignHost
            | Problem::NotJson
            | Problem::TooLarge(_)
            | Problem::TooSlow(_)
            | Problem::TooManyRequests(_)
            | Problem::TooManyNewGames(_)
            | Problem::TooManySimulations(_)
            | Problem::TooMuchThinking(_)
            | Problem::TooManySearches
            | Problem::TooManyStreams
            | Problem::Busy
            | Problem::Full
            | Problem::Stopping => language.translate(&self.to_string()),
        }
    }

    /// The reply.
    pub fn answer(&self, language: &Language) -> Response {
        let (status, code) = self.code();
        let body = ErrorBody::new(code, self.in_language(language));
        // An error may be resolved a moment later, so it must not be cached. The layer that adds
        // this header to all answers does not see this one.
        let headers = [(header::CACHE_CONTROL, "no-store")];
        let mut response = (status, headers, Json(body)).into_response();
        if let Some(wait) = self.wait() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds(&wait)));
        }
        response
    }
}

impl IntoResponse for Problem {
    /// In English; the problem itself is attached, so that it can be put into the client's
    /// language.
    fn into_response(self) -> Response {
        let is_load = matches!(self, Problem::Busy | Problem::Stopping | Problem::TooSlow(_));
        if self.code().0.is_server_error() && !is_load {
            eprintln!("error: {self}");
        }
        let mut response = self.answer(Language::english());
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

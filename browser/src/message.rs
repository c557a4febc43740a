//! The messages between the page and its worker.

use interface::{ErrorBody, GameView, Language, Refusal, StoredGame};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// The JSON body of an answer.
pub type Body = Box<RawValue>;

/// A request like those to the server.
#[derive(Deserialize)]
pub(crate) struct Request {
    /// Its number, which the answer repeats.
    pub number: u32,
    pub method: String,
    /// The path, including the query.
    pub path: String,
    /// The token of a seat.
    #[serde(default)]
    pub token: Option<String>,
    /// As text, because a link may contain what JavaScript can send and Rust cannot read; that is
    /// refused like any other body, where it is expected.
    #[serde(default)]
    pub body: Option<Body>,
    /// The language of the page, in the format of `Accept-Language`.
    #[serde(default)]
    pub language: String,
}

/// A message to the page.
#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Message {
    /// The answer to a request.
    Answer {
        /// The request's number.
        number: u32,
        /// The status that HTTP would use.
        status: u16,
        /// The answer itself, or an error in the server's format.
        body: Body,
    },
    /// A game has changed.
    Game {
        /// The game.
        view: Box<GameView>,
        /// The form from which it can be reopened.
        saved: StoredGame,
        /// The name of its SGF file.
        name: String,
        /// The text of its SGF file.
        sgf: String,
    },
}

impl Request {
    /// The body, parsed as the type expected at the path.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        let body = self.body.as_deref().map_or("null", RawValue::get);
        serde_json::from_str(body).map_err(|error| Refusal::BadRequest(error.to_string()))
    }

    /// The segments of the path, and the query.
    pub fn address(&self) -> (Vec<&str>, &str) {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        (path.split('/').skip(1).collect(), query)
    }
}

impl Message {
    /// An answer with a specific status.
    pub(crate) fn answer(
        number: u32,
        answer: Result<Body, Refusal>,
        language: &Language,
    ) -> Message {
        match answer {
            Ok(body) => Message::Answer { number, status: 200, body },
            Err(refusal) => {
                let (status, code) = refusal.code();
                let body = json(ErrorBody::new(code, refusal.in_language(language)));
                Message::Answer { number, status, body }
            }
        }
    }
}

/// The JSON for clients: strings and finite numbers, which can always be serialised.
pub(crate) fn json(body: impl Serialize) -> Body {
    to_raw_value(&body).unwrap_or_default()
}

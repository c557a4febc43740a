//! What the page and its worker say to each other.

use interface::{ErrorBody, GameView, Language, Refusal, StoredGame};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The body of an answer, in JSON.
pub type Body = Box<RawValue>;

/// A request, as to the server.
#[derive(Deserialize)]
pub(crate) struct Request {
    /// Its number, which the answer bears.
    pub number: u32,
    pub method: String,
    /// With the query.
    pub path: String,
    /// The token of a seat.
    #[serde(default)]
    pub token: Option<String>,
    #[serde(default)]
    pub body: Value,
    /// The language that the page is in, as in `Accept-Language`.
    #[serde(default)]
    pub language: String,
}

/// What the page is told.
#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Message {
    /// The answer to a request.
    Answer {
        /// The request's number.
        number: u32,
        /// The status that HTTP would have.
        status: u16,
        /// The answer itself, or an error as the server's.
        body: Body,
    },
    /// A game has changed.
    Game {
        /// The game.
        view: Box<GameView>,
        /// What opens it again.
        saved: StoredGame,
        /// The name of its SGF file.
        name: String,
        /// The text of its SGF file.
        sgf: String,
    },
}

impl Request {
    /// The body as what is expected at the address.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        T::deserialize(&self.body).map_err(|error| Refusal::BadRequest(error.to_string()))
    }

    /// The words of the path, and the query.
    pub fn address(&self) -> (Vec<&str>, &str) {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        (path.split('/').skip(1).collect(), query)
    }
}

impl Message {
    /// The answer with a status of its own.
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

/// What clients are sent: strings and finite numbers, which always serialise.
pub(crate) fn json(body: impl Serialize) -> Body {
    to_raw_value(&body).unwrap_or_default()
}

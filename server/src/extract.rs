//! Extractors for handlers, with our own errors.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use interface::{Language, Refusal, Secret};
use serde::de::DeserializeOwned;

use super::application::Application;
use super::problem::Problem;
use super::rate_limiter::Client;

/// The other end of a connection, which the listener adds to every request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub IpAddr);

impl FromRequestParts<Arc<Application>> for Client {
    type Rejection = Problem;

    /// Behind a proxy, this is the last address in `X-Forwarded-For`, which the proxy itself has
    /// added.
    async fn from_request_parts(
        parts: &mut Parts,
        application: &Arc<Application>,
    ) -> Result<Client, Problem> {
        let peer = parts.extensions.get::<Peer>().map_or(Ipv4Addr::LOCALHOST.into(), |peer| peer.0);
        let forwarded = || {
            let named = parts.headers.get_all("x-forwarded-for").iter().next_back()?;
            address_in(named.to_str().ok()?.rsplit(',').next()?.trim())
        };
        let address = if application.behind_proxy { forwarded().unwrap_or(peer) } else { peer };
        Ok(Client::at(address))
    }
}

/// The address that a proxy has added, some of them with the port.
fn address_in(entry: &str) -> Option<IpAddr> {
    entry.parse().ok().or_else(|| Some(entry.parse::<SocketAddr>().ok()?.ip()))
}

/// The token of a seat, if there is one.
pub(crate) struct Token(pub Option<Secret>);

impl FromRequestParts<Arc<Application>> for Token {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Application>) -> Result<Token, Problem> {
        let given = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = given.and_then(|text| text.split_once(' ')).unwrap_or_default();
        // HTTP does not distinguish upper and lower case in the names of schemes.
        let token = scheme.eq_ignore_ascii_case("Bearer").then_some(token.trim());
        Ok(Token(token.and_then(|text| text.parse().ok())))
    }
}

/// The client's language: from `Accept-Language`, or from `language` in the query, for pages whose
/// browser does not let them choose headers.
pub(crate) struct RequestLanguage(pub &'static Language);

/// The prefix of the language in a query.
const LANGUAGE: &str = "language=";

impl RequestLanguage {
    pub(crate) fn of(uri: &Uri, headers: &HeaderMap) -> RequestLanguage {
        let query = uri.query().unwrap_or_default();
        let requested = query.split('&').find_map(|part| part.strip_prefix(LANGUAGE));
        let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|wanted| wanted.to_str().ok());
        RequestLanguage(Language::accepted(requested.or(accepted).unwrap_or_default()))
    }
}

impl<S: Sync> FromRequestParts<S> for RequestLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RequestLanguage, Infallible> {
        Ok(RequestLanguage::of(&parts.uri, &parts.headers))
    }
}

/// The name of a game in a URL.
pub(crate) struct GameId(pub String);

impl FromRequestParts<Arc<Application>> for GameId {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        application: &Arc<Application>,
    ) -> Result<GameId, Problem> {
        let named = Path::<String>::from_request_parts(parts, application).await;
        named.map(|Path(id)| GameId(id)).map_err(|_| Refusal::NoSuchGame.into())
    }
}

/// A JSON body.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Application>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(
        request: Request,
        application: &Arc<Application>,
    ) -> Result<Body<T>, Problem> {
        match Json::<T>::from_request(request, application).await {
            Ok(Json(body)) => Ok(Body(body)),
            Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(Problem::TooLarge(application.limits.body_bytes))
            }
            Err(JsonRejection::MissingJsonContentType(_)) => Err(Problem::NotJson),
            Err(JsonRejection::JsonDataError(error)) => {
                Err(Refusal::BadRequest(innermost(&error)).into())
            }
            Err(other) => Err(Refusal::BadJson(innermost(&other)).into()),
        }
    }
}

/// The query string.
pub(crate) struct QueryParameters<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Application>> for QueryParameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &Arc<Application>,
    ) -> Result<QueryParameters<T>, Problem> {
        // `RequestLanguage` reads the language, which any query may contain.
        let address = without_language(&parts.uri).unwrap_or_else(|| parts.uri.clone());
        Query::<T>::try_from_uri(&address)
            .map(|Query(asked)| QueryParameters(asked))
            .map_err(|rejection| Refusal::BadRequest(innermost(&rejection)).into())
    }
}

/// A URL without the language in its query; `None` if it has no query.
fn without_language(uri: &Uri) -> Option<Uri> {
    let rest: Vec<&str> =
        uri.query()?.split('&').filter(|part| !part.starts_with(LANGUAGE)).collect();
    format!("{}?{}", uri.path(), rest.join("&")).parse().ok()
}

/// The innermost cause.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_come_with_its_port() {
        for (entry, address) in [
            ("10.0.0.1", Some("10.0.0.1")),
            ("10.0.0.1:567", Some("10.0.0.1")),
            ("2001:db8::1", Some("2001:db8::1")),
            ("[2001:db8::1]:567", Some("2001:db8::1")),
            ("unknown", None),
        ] {
            let address = address.map(|text| text.parse::<IpAddr>().unwrap());
            assert_eq!(address_in(entry), address, "{entry}");
        }
    }
}

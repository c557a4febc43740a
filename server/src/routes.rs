//! The routes, and what they have in common.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use interface::{ErrorBody, Refusal};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::openapi::Required;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{OpenApi, PartialSchema};

use super::application::Application;
use super::extract::RequestLanguage;
use super::host::names_localhost;
use super::problem::Problem;
use super::rate_limiter::{Client, Resource};
use super::{analysis, games, laboratory, page, puzzles, turns, variants};

/// The description of the interface, generated from the handlers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Hotstone",
        description = "Go variants against programs and people. Every error is JSON: `{\"error\": {\"code\", \"message\"}}`. \
                       What is for people to read is in the language that `Accept-Language` asks for, else in English; \
                       `language=de` in the query goes before it."
    ),
    paths(
        variants::variants,
        variants::rules,
        variants::examples,
        variants::words,
        puzzles::puzzles,
        puzzles::puzzle,
        puzzles::answer,
        games::begin,
        games::import,
        games::show,
        games::position,
        games::events,
        games::download,
        turns::play,
        turns::undo,
        turns::resign,
        turns::reply,
        analysis::analysis,
        analysis::graph,
        laboratory::compare,
        health,
    ),
    modifiers(&Seats, &LanguageParameter)
)]
struct Interface;

/// How a player proves the right to a seat.
struct Seats;

impl utoipa::Modify for Seats {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("The token of a seat, from the answer that began the game."))
            .build();
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("seat", SecurityScheme::Http(bearer));
    }
}

/// How a client chooses the language of an answer where it cannot choose headers.
struct LanguageParameter;

impl utoipa::Modify for LanguageParameter {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let language = ParameterBuilder::new()
            .name("language")
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some("The language of texts for people, before `Accept-Language`."))
            .schema(Some(String::schema()))
            .build();
        for path in description.paths.paths.values_mut() {
            let operations = [&mut path.get, &mut path.post].into_iter().flatten();
            operations.for_each(|operation| {
                operation.parameters.get_or_insert_default().push(language.clone().into());
            });
        }
    }
}

/// All routes of the server.
pub(crate) fn router(application: &Arc<Application>) -> Router {
    let interface = Router::new()
        .route("/api/variants", get(variants::variants))
        .route("/api/rules", get(variants::rules))
        .route("/api/examples", get(variants::examples))
        .route("/api/words", get(variants::words))
        .route("/api/puzzles", get(puzzles::puzzles))
        .route("/api/puzzles/{rules}/{number}", get(puzzles::puzzle))
        .route("/api/puzzles/{rules}/{number}/{move}", get(puzzles::answer))
        .route("/api/games", post(games::begin))
        .route("/api/games/import", post(games::import))
        .route("/api/games/{id}", get(games::show))
        .route("/api/games/{id}/positions/{turn}", get(games::position))
        .route("/api/games/{id}/events", get(games::events))
        .route("/api/games/{id}/sgf", get(games::download))
        .route("/api/games/{id}/moves", post(turns::play))
        .route("/api/games/{id}/undo", post(turns::undo))
        .route("/api/games/{id}/resign", post(turns::resign))
        .route("/api/games/{id}/reply", post(turns::reply))
        .route("/api/games/{id}/analysis", get(analysis::analysis))
        .route("/api/games/{id}/graph", get(analysis::graph))
        .route("/api/laboratory", post(laboratory::compare))
        .route("/api/openapi.json", get(description))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ));
    let routes = Router::new()
        .merge(interface)
        .merge(page::router())
        .route("/healthz", get(health))
        .fallback(async || Problem::from(Refusal::NoSuchAddress))
        .method_not_allowed_fallback(async || Problem::NoSuchMethod)
        .layer(from_fn_with_state(Arc::clone(application), admit))
        .layer(DefaultBodyLimit::max(application.limits.body_bytes))
        .layer(CatchPanicLayer::custom(|_| Problem::from(Refusal::Internal).into_response()))
        .layer(from_fn(in_its_language));
    PROTECTION
        .into_iter()
        .fold(routes, |routes, (name, value)| {
            let (name, value) = (HeaderName::from_static(name), HeaderValue::from_static(value));
            routes.layer(SetResponseHeaderLayer::overriding(name, value))
        })
        .with_state(Arc::clone(application))
}

/// Security headers of every answer: the page loads nothing from elsewhere and may not be framed.
const PROTECTION: [(&str, &str); 4] = [
    (
        "content-security-policy",
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Counts a request and limits its time. Event streams only have to begin in time.
async fn admit(
    State(application): State<Arc<Application>>,
    client: Client,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    if application.is_for_its_machine && !names_localhost(request.headers()) {
        return Err(Problem::ForeignHost);
    }
    let counted = request.uri().path().starts_with("/api/");
    if counted {
        application
            .rate_limiter
            .charge(client, Resource::Requests, 1.0)
            .map_err(Problem::TooManyRequests)?;
    }
    let time = application.limits.request_time;
    tokio::time::timeout(time, next.run(request)).await.map_err(|_| Problem::TooSlow(time))
}

/// Puts problems into the client's language.
async fn in_its_language(request: Request, next: Next) -> Response {
    let RequestLanguage(language) = RequestLanguage::of(request.uri(), request.headers());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Arc<Problem>>() {
        Some(problem) => problem.answer(language),
        None => response,
    }
}

/// Health check.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = String), (status = 503, body = ErrorBody)))]
async fn health(State(application): State<Arc<Application>>) -> Result<&'static str, Problem> {
    if application.is_stopping() { Err(Problem::Stopping) } else { Ok("ok\n") }
}

async fn description() -> impl IntoResponse {
    Json(Interface::openapi())
}

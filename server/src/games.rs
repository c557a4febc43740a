//! Games: creation, upload, display, events, download.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use interface::{
    ErrorBody, GameView, Language, NewGame, Refusal, StartedGame, StepView, Table, UploadedGame,
};
use tokio_stream::StreamExt;

use super::application::Application;
use super::client_counter::ClientPermit;
use super::extract::{Body, GameId, RequestLanguage};
use super::problem::Problem;
use super::rate_limiter::{Client, Resource};
use super::room::secret;

/// Frequent enough for proxies that close idle connections.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// nginx would otherwise hold events back until they fill a buffer, so that the page stays blank.
const UNBUFFERED: [(&str, &str); 1] = [("x-accel-buffering", "no")];

/// Begin a game.
#[utoipa::path(post, path = "/api/games", request_body = NewGame, responses(
    (status = 201, body = StartedGame), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn begin(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    Body(wanted): Body<NewGame>,
) -> Result<Response, Problem> {
    let table = wanted.table(&application.catalogue, &mut secret)?;
    charge(&application, client)?;
    open(&application, client, language, table, &[]).await
}

/// Continue a recorded game.
#[utoipa::path(post, path = "/api/games/import", request_body = UploadedGame, responses(
    (status = 201, body = StartedGame), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn import(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    Body(upload): Body<UploadedGame>,
) -> Result<Response, Problem> {
    // Reading takes the longest, whether or not a game results from it.
    charge(&application, client)?;
    let replay = || upload.table(&application.catalogue, &mut secret);
    let (table, defects) = tokio::task::block_in_place(replay)?;
    open(&application, client, language, table, &defects).await
}

fn charge(application: &Application, client: Client) -> Result<(), Problem> {
    application.rate_limiter.charge(client, Resource::Games, 1.0).map_err(Problem::TooManyNewGames)
}

async fn open(
    application: &Arc<Application>,
    client: Client,
    language: &Language,
    table: Table,
    defects: &[String],
) -> Result<Response, Problem> {
    let room = application.create(table).await?;
    application.wake_program(&room, client);
    let game = application.view(&room, language);
    let started = StartedGame::of(&room.lock().table, game, defects, language);
    let location = format!("/api/games/{}", room.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(started)).into_response())
}

/// The current state of a game.
#[utoipa::path(get, path = "/api/games/{id}", params(("id" = String, Path, description = "The game")), responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn show(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
) -> Result<Json<GameView>, Problem> {
    let room = application.room(&id).await?;
    application.wake_program(&room, client);
    Ok(Json(application.view(&room, language)))
}

/// The game as it was after that many turns, in words, and as SGF to play on from there.
#[utoipa::path(get, path = "/api/games/{id}/positions/{turn}",
    params(("id" = String, Path, description = "The game"), ("turn" = usize, Path, description = "Turns taken")),
    responses(
    (status = 200, body = StepView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn position(
    State(application): State<Arc<Application>>,
    RequestLanguage(language): RequestLanguage,
    named: Result<Path<(String, String)>, PathRejection>,
) -> Result<Json<StepView>, Problem> {
    let Path((id, turn)) = named.map_err(|_| Refusal::NoSuchGame)?;
    let room = application.room(&id).await?;
    let state = room.lock();
    Ok(Json(StepView::at(&state.table.game, &turn, language)?))
}

/// The current state of a game, and again after every change, as events of the type `game`. If the stream ends, open it again.
#[utoipa::path(get, path = "/api/games/{id}/events", params(("id" = String, Path, description = "The game")), responses(
    (status = 200, content_type = "text/event-stream", body = GameView),
    (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn events(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
) -> Result<Response, Problem> {
    let most = application.limits.connections_per_client;
    let permit = application.following.admit(client, most).ok_or(Problem::TooManyStreams)?;
    let room = application.room(&id).await?;
    application.wake_program(&room, client);
    let news = tokio_stream::wrappers::WatchStream::new(room.watch());
    // A stream does not keep its game in memory, and ends when the game is closed.
    let room = Arc::downgrade(&room);
    let events = news.map_while(move |version| {
        // Released when the stream ends.
        let _: &ClientPermit = &permit;
        let room = room.upgrade().filter(|_| !application.is_stopping())?;
        let view = serde_json::to_string(&application.view(&room, language)).unwrap_or_default();
        let event = Event::default().event("game").id(version.to_string()).data(view);
        Some(Ok::<_, Infallible>(event))
    });
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    Ok((UNBUFFERED, events).into_response())
}

/// The game as an SGF file, with tiles, hot stones and conquered points marked for viewers that do not know them.
#[utoipa::path(get, path = "/api/games/{id}/sgf", params(("id" = String, Path, description = "The game")), responses(
    (status = 200, content_type = "application/x-go-sgf", body = String),
    (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn download(
    State(application): State<Arc<Application>>,
    GameId(id): GameId,
) -> Result<Response, Problem> {
    let room = application.room(&id).await?;
    let (name, text) = room.lock().table.file(room.id)?;
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/x-go-sgf; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, text).into_response())
}

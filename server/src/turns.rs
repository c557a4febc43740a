//! The actions of players in a game.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use bot::Level;
use engine::Move;
use interface::{ErrorBody, GameView, NewTurn, Table};

use super::application::Application;
use super::extract::{Body, GameId, RequestLanguage, Token};
use super::problem::Problem;
use super::rate_limiter::Client;
use super::workers::QueuePlace;

/// Take a turn. A program that is then to move answers; see `wait`, or follow the events.
#[utoipa::path(post, path = "/api/games/{id}/moves", params(("id" = String, Path, description = "The game")),
    request_body = NewTurn, security(("seat" = [])), responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn play(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
    Token(token): Token,
    Body(turn): Body<NewTurn>,
) -> Result<Json<GameView>, Problem> {
    let played = turn.played()?;
    let room = application.room(&id).await?;
    // Reserve a place first, so that a move that could not be answered is refused.
    let place = place_for_answer(&application, client, &room.lock().table, played)?;
    application.change(&room, client, place, |table| Ok(table.play(token, played)?)).await?;
    if turn.wait {
        application.reply_in(&room).await;
    }
    Ok(Json(application.view(&room, language)))
}

/// A place for the search of a program that is to move after `played`, if one is.
fn place_for_answer(
    application: &Application,
    client: Client,
    table: &Table,
    played: Move,
) -> Result<Option<QueuePlace>, Problem> {
    let mut after = table.game.position().clone();
    // Moves that are refused have no answer, and neither have those that do not end the turn.
    let is_answered = table.game.end().is_none()
        && table.program_to_move().is_none()
        && after.play(played).is_ok()
        && after.outcome().is_none();
    let program = table.seat(after.turn()).program().filter(|_| is_answered);
    let rules = table.game.rules();
    let place =
        |(model, level): (&str, Level)| application.place_for_reply(client, model, level, rules);
    program.map(place).transpose()
}

/// Take back your last turn, with a program's answer to it, or your resignation.
#[utoipa::path(post, path = "/api/games/{id}/undo", params(("id" = String, Path, description = "The game")),
    security(("seat" = [])), responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn undo(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
    Token(token): Token,
) -> Result<Json<GameView>, Problem> {
    let room = application.room(&id).await?;
    application.change(&room, client, None, |table| Ok(table.undo(token)?)).await?;
    Ok(Json(application.view(&room, language)))
}

/// Resign.
#[utoipa::path(post, path = "/api/games/{id}/resign", params(("id" = String, Path, description = "The game")),
    security(("seat" = [])), responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn resign(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
    Token(token): Token,
) -> Result<Json<GameView>, Problem> {
    let room = application.room(&id).await?;
    application.change(&room, client, None, |table| Ok(table.resign(token)?)).await?;
    Ok(Json(application.view(&room, language)))
}

/// Let a program that should have moved but has not try again.
#[utoipa::path(post, path = "/api/games/{id}/reply", params(("id" = String, Path, description = "The game")),
    responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn reply(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    GameId(id): GameId,
) -> Result<Json<GameView>, Problem> {
    let room = application.room(&id).await?;
    application.start_reply(&room, client)?;
    application.reply_in(&room).await;
    Ok(Json(application.view(&room, language)))
}

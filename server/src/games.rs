//! Games: creation, upload, display, events, download.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use engine::{Komi, Rules, Size};
use game::{Extras, SgfRecord};
use serde::{Deserialize, Serialize};
use tokio_stream::{Stream, StreamExt};
use utoipa::ToSchema;

use super::application::Application;
use super::extract::{Body, GameId};
use super::ledger::{Client, Resource};
use super::problem::{ErrorBody, Problem};
use super::secret::Secret;
use super::table::{Seat, Table};
use super::view::{GameView, Sides};
use bot::Level;
use game::Game;

/// Frequent enough for proxies that close idle connections.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Who plays one colour.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum PlayerChoice {
    /// A person; the answer has the token of the seat.
    Person,
    /// A model.
    Program {
        /// Its name; the first one that knows the rules if left out.
        #[serde(default)]
        model: Option<String>,
        /// From 1, the weakest, to 10.
        level: u8,
    },
}

/// A game to begin.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    /// A variant's name, and changes to it: `tile`, `incursion,komi=6.5`, `cushion,end=area`.
    rules: String,
    /// Side of the board, 2 to 19, or width and height as `3x4`.
    #[schema(value_type = u8)]
    size: Size,
    /// Komi other than the rules' own; without effect where the rules have none.
    #[serde(default)]
    komi: Option<f32>,
    players: Sides<PlayerChoice>,
}

/// A recorded game to continue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadedGame {
    /// The text of an SGF file; its main line is played.
    sgf: String,
    /// The rules, if the file names none of ours or others are wanted.
    #[serde(default)]
    rules: Option<String>,
    players: Sides<PlayerChoice>,
}

/// A game that has begun.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Begun {
    game: GameView,
    /// The tokens of the people's seats. Anyone with a token may play that seat: keep your own, and give the other
    /// away.
    tokens: Sides<Option<String>>,
}

/// Begin a game.
#[utoipa::path(post, path = "/api/games", request_body = NewGame, responses(
    (status = 201, body = Begun), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn begin(
    State(application): State<Arc<Application>>,
    client: Client,
    Body(wanted): Body<NewGame>,
) -> Result<Response, Problem> {
    let rules = Rules::parse(&wanted.rules, wanted.size)?;
    let rules = match wanted.komi {
        None => rules,
        Some(points) => {
            let komi = Komi::new(points).ok_or_else(|| {
                Problem::BadRequest(format!(
                    "invalid komi {points}: expected a multiple of one half"
                ))
            })?;
            rules.with_komi(komi)
        }
    };
    open(&application, client, Game::new(rules), wanted.players).await
}

/// Continue a recorded game.
#[utoipa::path(post, path = "/api/games/import", request_body = UploadedGame, responses(
    (status = 201, body = Begun), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn import(
    State(application): State<Arc<Application>>,
    client: Client,
    Body(upload): Body<UploadedGame>,
) -> Result<Response, Problem> {
    let (game, players) = tokio::task::block_in_place(|| replay(upload))?;
    open(&application, client, game, players).await
}

/// The game of a file, and who continues it.
fn replay(upload: UploadedGame) -> Result<(Game, Sides<PlayerChoice>), Problem> {
    let record = SgfRecord::read(upload.sgf.as_bytes())?;
    let rules = match &upload.rules {
        Some(text) => Rules::parse(text, record.size)?,
        None => record.own_rules().map_err(|unknown| {
            Problem::BadRequest(format!("{unknown}: choose the rules, and upload the file again"))
        })?,
    };
    // Files store komi apart from the rules.
    let komi = record.komi.filter(|_| rules.has_komi() && upload.rules.is_none());
    let rules = komi.and_then(Komi::new).map_or(rules, |komi| rules.with_komi(komi));
    Ok((Game::of_record(&record, rules)?, upload.players))
}

async fn open(
    application: &Arc<Application>,
    client: Client,
    game: Game,
    players: Sides<PlayerChoice>,
) -> Result<Response, Problem> {
    let seats = [
        seat(application, game.rules(), players.black)?,
        seat(application, game.rules(), players.white)?,
    ];
    let [black, white] = seats.each_ref().map(|seat| match seat {
        Seat::Person { token } => Some(token.to_string()),
        Seat::Program { .. } => None,
    });
    if black.is_none() && white.is_none() {
        return Err(Problem::NoPerson);
    }
    application.ledger.charge(client, Resource::Games, 1.0).map_err(Problem::TooManyNewGames)?;
    let room = application.create(Table::new(game, seats)).await?;
    let _ = application.nudge(&room, client);
    let game = application.view(&room);
    let location = format!("/api/games/{}", room.id);
    let begun = Begun { game, tokens: Sides { black, white } };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(begun)).into_response())
}

fn seat(application: &Application, rules: &Rules, choice: PlayerChoice) -> Result<Seat, Problem> {
    Ok(match choice {
        PlayerChoice::Person => Seat::Person { token: Secret::new() },
        PlayerChoice::Program { model, level } => {
            let level = Level::new(level).ok_or(Problem::NoSuchLevel(level))?;
            let catalogue = &application.catalogue;
            let index = match model {
                Some(name) => catalogue.named(&name).ok_or(Problem::NoSuchModel(name))?,
                None => catalogue.knowing(rules).ok_or(Problem::NoModel)?,
            };
            let model = &catalogue.models()[index];
            if !model.knows(rules) {
                return Err(Problem::NoModel);
            }
            Seat::Program { model: model.name.clone(), level }
        }
    })
}

/// The current state of a game.
#[utoipa::path(get, path = "/api/games/{id}", params(("id" = String, Path, description = "The game")), responses(
    (status = 200, body = GameView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn show(
    State(application): State<Arc<Application>>,
    client: Client,
    GameId(id): GameId,
) -> Result<Json<GameView>, Problem> {
    let room = application.room(&id).await?;
    wake_program(&application, &room, client);
    Ok(Json(application.view(&room)))
}

/// After a restart a program may be to move. One that has failed is left alone until a client asks for it.
fn wake_program(application: &Arc<Application>, room: &Arc<super::room::Room>, client: Client) {
    if room.enter().trouble.is_none() {
        // If it cannot search now, the view says so.
        let _ = application.nudge(room, client);
    }
}

/// The current state of a game, and again after every change, as events of the type `game`.
#[utoipa::path(get, path = "/api/games/{id}/events", params(("id" = String, Path, description = "The game")), responses(
    (status = 200, content_type = "text/event-stream", body = GameView),
    (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn events(
    State(application): State<Arc<Application>>,
    client: Client,
    GameId(id): GameId,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let room = application.room(&id).await?;
    wake_program(&application, &room, client);
    let news = tokio_stream::wrappers::WatchStream::new(room.watch());
    let open = Arc::clone(&application);
    let events = news.take_while(move |_| !open.is_stopping()).map(move |version| {
        let view = serde_json::to_string(&application.view(&room)).unwrap_or_default();
        Ok(Event::default().event("game").id(version.to_string()).data(view))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
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
    let record = room.enter().table.record();
    let extras = Extras { markup: true, materialize: false };
    let text = record.write(extras).map_err(|_| Problem::Internal)?;
    let variant = record.own_rules().ok().and_then(|rules| rules.variant());
    let name = variant.map_or("game", |variant| variant.name());
    let disposition = format!("attachment; filename=\"hotstone-{name}-{}.sgf\"", &id[..6]);
    let headers = [
        (header::CONTENT_TYPE, "application/x-go-sgf; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, text).into_response())
}

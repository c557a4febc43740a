//! Analysis by a model: moves and winner, the final ownership, and the course of the game so far.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use engine::Position;
use interface::{
    AnalysisOptions, AnalysisView, ErrorBody, GraphView, PositionFindings, Refusal,
    analysis_settings,
};
use search::{Evaluator, EvaluatorError};

use super::application::Application;
use super::extract::{GameId, QueryParameters};
use super::problem::Problem;
use super::rate_limiter::Client;
use super::timed_search::{Deadline, estimate_ownership, evaluate_raw, think};
use super::workers::Purpose;
use bot::GenerateError;

/// A model's evaluation of the position.
#[utoipa::path(get, path = "/api/games/{id}/analysis", params(("id" = String, Path, description = "The game"), AnalysisOptions),
    responses(
    (status = 200, body = AnalysisView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn analysis(
    State(application): State<Arc<Application>>,
    client: Client,
    GameId(id): GameId,
    QueryParameters(wanted): QueryParameters<AnalysisOptions>,
) -> Result<Json<AnalysisView>, Problem> {
    let room = application.room(&id).await?;
    let (position, version) = {
        let state = room.lock();
        (wanted.position(&state.table.game)?, state.version)
    };
    let model = application.catalogue.model_for(position.rules()).ok_or(Refusal::NoModel)?;
    let simulations = application.limits.analysis_simulations;
    let place = application.reserve(client, Purpose::Analysis, simulations)?;
    let time = application.limits.search_time;
    let searched = position.clone();
    let found = application.search(place, client, move |evaluators, cancel| {
        let deadline = Deadline::after(time, cancel);
        analyse(&searched, simulations, wanted.occupancy, evaluators.of(model), &deadline)
    });
    let (choice, ownership) = found.await?.map_err(|error| Refusal::Search(error.to_string()))?;
    {
        let mut state = room.lock();
        let turns = state.table.game.turns().len();
        let belongs = wanted.belongs_to_course() && state.version == version;
        if let Some(choice) = choice.as_ref().filter(|_| belongs) {
            state.table.remember(turns, choice.value);
        }
    }
    let name = &application.catalogue.model(model).name;
    Ok(Json(AnalysisView::of(name, version, &position, choice, ownership)))
}

/// The result of a search, with the ownership if requested.
pub(crate) fn analyse(
    position: &Position,
    simulations: u32,
    wants_ownership: bool,
    evaluator: &mut (dyn Evaluator + Send),
    deadline: &Deadline,
) -> Result<PositionFindings, GenerateError> {
    let settings = analysis_settings(simulations);
    let choice = match position.outcome() {
        Some(_) => None,
        None => Some(think(position.clone(), settings, evaluator, deadline)?),
    };
    let ownership =
        if wants_ownership { estimate_ownership(position, evaluator, deadline)? } else { None };
    Ok((choice, ownership))
}

/// The course of the game in a model's evaluation.
#[utoipa::path(get, path = "/api/games/{id}/graph", params(("id" = String, Path, description = "The game")),
    responses(
    (status = 200, body = GraphView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn graph(
    State(application): State<Arc<Application>>,
    client: Client,
    GameId(id): GameId,
) -> Result<Json<GraphView>, Problem> {
    let room = application.room(&id).await?;
    let (missing, model, version) = {
        let state = room.lock();
        let model = application.catalogue.model_for(state.table.game.rules());
        (state.table.count_unvalued(), model, state.version)
    };
    if missing > 0 {
        let model = model.ok_or(Refusal::NoModel)?;
        let place = application.reserve(client, Purpose::Analysis, missing as u32)?;
        let time = application.limits.search_time;
        let shared_room = Arc::clone(&room);
        let found = application.search(place, client, move |evaluators, cancel| {
            // Not earlier: the positions of all waiting clients would take too much memory.
            let missing = shared_room.lock().table.unvalued();
            let (turns, positions): (Vec<usize>, Vec<Position>) = missing.into_iter().unzip();
            let deadline = Deadline::after(time, cancel);
            let values = evaluate_raw(&positions, evaluators.of(model), &deadline)?;
            Ok::<_, EvaluatorError>(turns.into_iter().zip(values))
        });
        let values = found.await?.map_err(|error| Refusal::Search(error.to_string()))?;
        let mut state = room.lock();
        if state.version == version {
            values.for_each(|(turn, value)| state.table.remember(turn, value));
        }
    }
    let state = room.lock();
    Ok(Json(GraphView::of(&state.table, state.version)))
}

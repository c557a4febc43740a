//! Analysis by a model: moves and winner, the final ownership, and the course of the game so far.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use engine::{Position, Size};
use game::state::Verdict;
use search::Evaluator;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::application::Application;
use super::extract::{Asked, GameId};
use super::ledger::Client;
use super::problem::{ErrorBody, Problem};
use super::thinking::{Deadline, foresee, glance, think};
use bot::{Choice, GenerateError, Ownership, Settings};

/// Options of an analysis.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Whether to estimate the final ownership as well, which takes longer than the rest.
    #[serde(default)]
    occupancy: bool,
}

/// A model's evaluation of the position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisView {
    /// The analysed version of the game.
    version: u64,
    /// The model's name.
    model: String,
    /// Probability that Black wins, a draw counted as half a win.
    winrate: f32,
    /// The result, if proven by the search.
    proven: Option<Verdict>,
    /// The move it would play; null in a finished game.
    best: Option<String>,
    /// Every legal move, best first.
    candidates: Vec<CandidateView>,
    /// The predicted final ownership; null if not requested, or if it took too long.
    occupancy: Option<OccupancyView>,
}

/// Its evaluation of one move.
#[derive(Debug, Serialize, ToSchema)]
struct CandidateView {
    #[serde(rename = "move")]
    played: String,
    /// Its share of the policy; all shares sum to 1.
    share: f32,
    /// Simulations spent on it.
    visits: u32,
    /// Probability that Black wins after it; null if it was not visited.
    winrate: Option<f32>,
}

/// The predicted ownership of each point; a list for each row, top row first.
#[derive(Debug, Serialize, ToSchema)]
struct OccupancyView {
    black: Vec<Vec<f32>>,
    white: Vec<Vec<f32>>,
}

/// The course of a game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GraphView {
    /// The analysed version of the game.
    version: u64,
    /// Probability that Black wins at the start and after each turn; null where time ran out.
    winrates: Vec<Option<f32>>,
}

/// A model's evaluation of the position.
#[utoipa::path(get, path = "/api/games/{id}/analysis", params(("id" = String, Path, description = "The game"), Wanted),
    responses(
    (status = 200, body = AnalysisView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn analysis(
    State(application): State<Arc<Application>>,
    client: Client,
    GameId(id): GameId,
    Asked(wanted): Asked<Wanted>,
) -> Result<Json<AnalysisView>, Problem> {
    let room = application.room(&id).await?;
    let (position, version) = {
        let inside = room.enter();
        (inside.table.game.position().clone(), inside.version)
    };
    let model = application.catalogue.knowing(position.rules()).ok_or(Problem::NoModel)?;
    let simulations = application.limits.analysis_simulations;
    let place = application.reserve(client, simulations)?;
    let time = application.limits.search_time;
    let looked_at = position.clone();
    let found = application.search(place, client, move |evaluators, cancel| {
        let deadline = Deadline::after(time, cancel);
        analyse(&looked_at, simulations, wanted.occupancy, evaluators.of(model), &deadline)
    });
    let (choice, ownership) = found.await?.map_err(|error| Problem::Search(error.to_string()))?;
    {
        let mut inside = room.enter();
        let turns = inside.table.game.turns().len();
        if let Some(choice) = choice.as_ref().filter(|_| inside.version == version) {
            inside.table.remember(turns, choice.value);
        }
    }
    let name = &application.catalogue.models()[model].name;
    Ok(Json(AnalysisView::of(name, version, &position, choice, ownership)))
}

fn analyse(
    position: &Position,
    simulations: u32,
    wants_ownership: bool,
    evaluator: &mut (dyn Evaluator + Send),
    deadline: &Deadline,
) -> Result<(Option<Choice>, Option<Ownership>), GenerateError> {
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    let choice = match position.outcome() {
        Some(_) => None,
        None => Some(think(position.clone(), settings, evaluator, deadline)?),
    };
    let ownership = if wants_ownership { foresee(position, evaluator, deadline)? } else { None };
    Ok((choice, ownership))
}

impl AnalysisView {
    fn of(
        model: &str,
        version: u64,
        position: &Position,
        choice: Option<Choice>,
        ownership: Option<Ownership>,
    ) -> AnalysisView {
        let outcome = position.outcome();
        let decided = outcome.map_or(0.0, |outcome| outcome.result.black_value());
        let proven = outcome.map(|outcome| outcome.result);
        let proven = choice.as_ref().map_or(proven, |choice| choice.proven);
        let candidates: Vec<CandidateView> = choice
            .iter()
            .flat_map(|choice| choice.ranked_moves())
            .map(|stats| CandidateView {
                played: stats.played.to_string(),
                share: rounded(stats.policy),
                visits: stats.visits,
                winrate: stats.value.map(winrate),
            })
            .collect();
        AnalysisView {
            version,
            model: model.to_owned(),
            winrate: winrate(choice.as_ref().map_or(decided, |choice| choice.value)),
            proven: proven.map(Verdict::of),
            best: choice.map(|choice| choice.played.to_string()),
            candidates,
            occupancy: ownership.map(|ownership| OccupancyView::of(&ownership, position.size())),
        }
    }
}

impl OccupancyView {
    fn of(ownership: &Ownership, size: Size) -> OccupancyView {
        let rows = |points: &[f32]| {
            let row = |row: &[f32]| row.iter().copied().map(rounded).collect();
            points.chunks(size.width()).rev().map(row).collect()
        };
        OccupancyView { black: rows(&ownership.black), white: rows(&ownership.white) }
    }
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
    let (missing, version) = {
        let inside = room.enter();
        let game = &inside.table.game;
        let known = |turn: usize| inside.table.values.get(turn).copied().flatten().is_some();
        let positions = game.positions().cloned().enumerate();
        (positions.filter(|(turn, _)| !known(*turn)).collect::<Vec<_>>(), inside.version)
    };
    if let Some((_, first)) = missing.first() {
        let model = application.catalogue.knowing(first.rules()).ok_or(Problem::NoModel)?;
        let place = application.reserve(client, missing.len() as u32)?;
        let time = application.limits.search_time;
        let (turns, positions): (Vec<usize>, Vec<Position>) = missing.into_iter().unzip();
        let found = application.search(place, client, move |evaluators, cancel| {
            glance(&positions, evaluators.of(model), &Deadline::after(time, cancel))
        });
        let values = found.await?.map_err(|error| Problem::Search(error.to_string()))?;
        let mut inside = room.enter();
        if inside.version == version {
            turns.iter().zip(values).for_each(|(&turn, value)| inside.table.remember(turn, value));
        }
    }
    let inside = room.enter();
    let turns = inside.table.game.turns().len();
    let mut winrates: Vec<Option<f32>> =
        inside.table.values.iter().map(|value| value.map(winrate)).collect();
    winrates.resize(turns + 1, None);
    if let Some(end) = inside.table.game.end() {
        winrates[turns] = Some(winrate(end.result.black_value()));
    }
    Ok(Json(GraphView { version: inside.version, winrates }))
}

/// A value for Black as a probability.
fn winrate(value: f32) -> f32 {
    rounded((1.0 + value) / 2.0)
}

/// Rounded to three digits, as displayed.
fn rounded(number: f32) -> f32 {
    (number * 1000.0).round() / 1000.0
}

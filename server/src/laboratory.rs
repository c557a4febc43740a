//! The laboratory: the same moves under two rule sets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use interface::{Comparison, ComparisonView, ErrorBody, Refusal};

use super::analysis::analyse;
use super::application::Application;
use super::extract::{Body, RequestLanguage};
use super::problem::Problem;
use super::rate_limiter::Client;
use super::timed_search::Deadline;
use super::workers::Purpose;

/// The same moves under two rule sets, and what a model thinks of both positions. Nothing of it is kept.
#[utoipa::path(post, path = "/api/laboratory", request_body = Comparison, responses(
    (status = 200, body = ComparisonView), (status = "4XX", body = ErrorBody), (status = "5XX", body = ErrorBody)))]
pub(crate) async fn compare(
    State(application): State<Arc<Application>>,
    client: Client,
    RequestLanguage(language): RequestLanguage,
    Body(wanted): Body<Comparison>,
) -> Result<Json<ComparisonView>, Problem> {
    let limits = application.limits;
    // Replaying long games takes longer than others should have to wait.
    let compared = tokio::task::block_in_place(|| wanted.play(limits.comparison))?;
    let models = compared.models(&application.catalogue)?;
    let (simulations, occupancy) = (compared.simulations, compared.occupancy);
    let place = application.reserve(client, Purpose::Analysis, 2 * simulations)?;
    let positions = compared.positions();
    // The games of all waiting clients would take too much memory.
    let boards = tokio::task::block_in_place(|| compared.boards(language));
    drop(compared);
    let found = application.search(place, client, move |evaluators, cancel| {
        // One after the other on one thread, each with half of the time.
        let mut look = |which: usize| {
            let deadline = Deadline::after(limits.search_time / 2, cancel.clone());
            let evaluator = evaluators.of(models[which]);
            analyse(&positions[which], simulations, occupancy, evaluator, &deadline)
        };
        Ok::<_, bot::GenerateError>([look(0)?, look(1)?])
    });
    let [first, second] = found.await?.map_err(|error| Refusal::Search(error.to_string()))?;
    let [evaluating_model, other] =
        models.map(|model| application.catalogue.model(model).name.as_str());
    Ok(Json(boards.view([(evaluating_model, first), (other, second)])))
}

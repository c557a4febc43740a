//! What can be played here.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use interface::{ErrorBody, ExampleView, Offer, RulesExamination, Text, Words};

use super::application::Application;
use super::extract::{QueryParameters, RequestLanguage};

/// What can be played here: rule sets, models and levels.
#[utoipa::path(get, path = "/api/variants", responses((status = 200, body = Offer)))]
pub(crate) async fn variants(
    State(application): State<Arc<Application>>,
    RequestLanguage(language): RequestLanguage,
) -> Json<Offer> {
    Json(Offer::of(&application.catalogue, true, language))
}

/// Whether a text is a rule set, what it means, and who plays it. Cheap enough to ask on every keystroke.
#[utoipa::path(get, path = "/api/rules", params(Text), responses(
    (status = 200, body = RulesExamination), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn rules(
    State(application): State<Arc<Application>>,
    RequestLanguage(language): RequestLanguage,
    QueryParameters(text): QueryParameters<Text>,
) -> Json<RulesExamination> {
    Json(text.examine(&application.catalogue, language))
}

/// An example of each named variant, step by step.
#[utoipa::path(get, path = "/api/examples", responses((status = 200, body = Vec<ExampleView>)))]
pub(crate) async fn examples(RequestLanguage(language): RequestLanguage) -> Json<Vec<ExampleView>> {
    Json(ExampleView::all(language))
}

/// What is written in the page, in the language that is asked for.
#[utoipa::path(get, path = "/api/words", responses((status = 200, body = Words)))]
pub(crate) async fn words(RequestLanguage(language): RequestLanguage) -> Json<Words> {
    Json(language.words())
}

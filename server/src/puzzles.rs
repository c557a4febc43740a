//! Puzzles that come with the program.

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use interface::{AnswerView, ErrorBody, PuzzleList, PuzzleView, Refusal};

use super::extract::RequestLanguage;
use super::problem::Problem;

/// For which rules there are puzzles, and how many.
#[utoipa::path(get, path = "/api/puzzles", responses((status = 200, body = Vec<PuzzleList>)))]
pub(crate) async fn puzzles() -> Json<Vec<PuzzleList>> {
    Json(PuzzleList::all())
}

/// A position in which exactly one move keeps the win.
#[utoipa::path(get, path = "/api/puzzles/{rules}/{number}",
    params(("rules" = String, Path, description = "The rules"), ("number" = usize, Path, description = "From 1")),
    responses((status = 200, body = PuzzleView), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn puzzle(
    RequestLanguage(language): RequestLanguage,
    named: Result<Path<(String, String)>, PathRejection>,
) -> Result<Json<PuzzleView>, Problem> {
    let Path((rules, number)) = named.map_err(|_| Refusal::NoSuchAddress)?;
    Ok(Json(PuzzleView::of(&rules, &number, language)?))
}

/// What a move in a puzzle is worth, and the reply that shows it; `solution` stands for the move that is right.
#[utoipa::path(get, path = "/api/puzzles/{rules}/{number}/{move}",
    params(
        ("rules" = String, Path, description = "The rules"),
        ("number" = usize, Path, description = "From 1"),
        ("move" = String, Path, description = "A legal move, or `solution`")
    ),
    responses((status = 200, body = AnswerView), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn answer(
    RequestLanguage(language): RequestLanguage,
    named: Result<Path<(String, String, String)>, PathRejection>,
) -> Result<Json<AnswerView>, Problem> {
    let Path((rules, number, played)) = named.map_err(|_| Refusal::NoSuchAddress)?;
    Ok(Json(AnswerView::of(&rules, &number, &played, language)?))
}

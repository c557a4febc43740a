//! What can be played here.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use engine::{MAX_SIZE, Rules, Variant};
use serde::Serialize;
use utoipa::ToSchema;

use super::application::Application;
use super::catalogue::Catalogue;
use super::view::title;
use crate::Level;
use crate::repertoire::has_komi;

/// The board on which rule sets are shown where nobody says.
const USUAL_SIZE: u8 = 9;

/// What can be played here.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Offer {
    variants: Vec<VariantView>,
    levels: Vec<LevelView>,
    /// The sides of boards on which people can play each other.
    sizes: Vec<u8>,
    usual_size: u8,
}

/// A rule set.
#[derive(Debug, Serialize, ToSchema)]
struct VariantView {
    /// The rules, as a new game names them.
    rules: String,
    title: String,
    /// What it is, in a line.
    line: String,
    /// The rule, in a few sentences.
    rule: String,
    /// Whose idea it is.
    inventor: Option<String>,
    /// Where the inventor's text is.
    source: Option<String>,
    /// Whether komi has a meaning.
    komi: bool,
    /// The models that know it.
    models: Vec<ModelView>,
}

/// A model that knows a rule set.
#[derive(Debug, Serialize, ToSchema)]
struct ModelView {
    name: String,
    sizes: Vec<u8>,
}

/// A strength.
#[derive(Debug, Serialize, ToSchema)]
struct LevelView {
    level: u8,
    /// Simulations a move.
    simulations: u32,
}

/// What can be played here: rule sets, models and levels.
#[utoipa::path(get, path = "/api/variants", responses((status = 200, body = Offer)))]
pub(crate) async fn variants(State(application): State<Arc<Application>>) -> Json<Offer> {
    let catalogue = &application.catalogue;
    let named = Variant::ALL.into_iter().filter_map(|variant| variant.rules(USUAL_SIZE).ok());
    let mut variants: Vec<VariantView> =
        named.map(|rules| VariantView::of(&rules, catalogue)).collect();
    for model in catalogue.models() {
        let rules = model.repertoire.largest();
        let listed = Variant::ALL
            .into_iter()
            .filter_map(|variant| variant.rules(rules.size).ok())
            .any(|named| named.kind_hash() == rules.kind_hash());
        if !listed && !variants.iter().any(|variant| variant.rules == rules.to_string()) {
            variants.push(VariantView::of(&rules, catalogue));
        }
    }
    let level =
        |level: Level| LevelView { level: level.number(), simulations: level.simulations() };
    Json(Offer {
        variants,
        levels: Level::all().map(level).collect(),
        sizes: (2..=MAX_SIZE as u8).collect(),
        usual_size: USUAL_SIZE,
    })
}

impl VariantView {
    fn of(rules: &Rules, catalogue: &Catalogue) -> VariantView {
        let about = rules.variant().map(|variant| variant.about());
        let knows = |size: &u8| Rules { size: *size, ..*rules };
        let models = catalogue.models().iter().filter_map(|model| {
            let sizes = model.repertoire.sizes();
            let sizes: Vec<u8> =
                sizes.into_iter().filter(|size| model.knows(&knows(size))).collect();
            (!sizes.is_empty()).then(|| ModelView { name: model.name.clone(), sizes })
        });
        VariantView {
            rules: rules.to_string(),
            title: title(rules),
            line: about.map_or("A rule set made of parts", |about| about.line).to_owned(),
            rule: about.map_or_else(|| in_words(rules), |about| about.rule.to_owned()),
            inventor: about.map(|about| about.inventor.to_owned()),
            source: about.map(|about| about.source.to_owned()),
            komi: has_komi(rules),
            models: models.collect(),
        }
    }
}

/// The parts, one sentence each.
fn in_words(rules: &Rules) -> String {
    let parts: Vec<String> = rules
        .parts()
        .into_iter()
        .map(|part| format!("{} = {}: {}.", part.field, part.value, part.meaning))
        .collect();
    parts.join(" ")
}

//! What can be played in a position.

use std::collections::BTreeMap;

use engine::Move;
use game::Game;
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::Language;
use crate::preview::{PreviewView, previews};

/// What each point offers beyond a legal placement, and the turn without a stone.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct PlayableView {
    /// Moves that share a point, by that point.
    choices: BTreeMap<String, Vec<MoveChoice>>,
    /// The points where no stone may be placed now, with the reason.
    illegal: BTreeMap<String, String>,
    /// The points where a stone would do more than stand there, with what it would do.
    previews: BTreeMap<String, PreviewView>,
    /// The turn without a stone; null where the rules have none.
    pass: Option<PassView>,
}

/// One of several moves at a point.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
struct MoveChoice {
    #[serde(rename = "move")]
    played: String,
    /// Its description.
    label: String,
}

/// The turn without a stone.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
struct PassView {
    /// Its name under these rules.
    label: String,
    /// Why it is not possible now; null if it is.
    reason: Option<String>,
}

impl PlayableView {
    /// What can be played in a game. Once it is over, no point offers anything.
    pub(crate) fn of(game: &Game, language: &Language) -> PlayableView {
        PlayableView {
            choices: choices(game, language),
            illegal: illegal(game, language),
            previews: previews(game, language),
            pass: pass(game, language),
        }
    }
}

/// The explanation for a hot stone, instead of that the point is occupied.
const HOT: &str = "A hot stone: it was placed by a ko play, so no ko play may capture it until another turn cools it";

/// The points of a running game where no stone may be placed, each with its reason.
fn illegal(game: &Game, language: &Language) -> BTreeMap<String, String> {
    let position = game.position();
    if game.end().is_some() {
        return BTreeMap::new();
    }
    position
        .size()
        .board()
        .without(&position.legal_points())
        .iter()
        .filter_map(|point| {
            let reason = position.check_move(Move::Place(point)).err()?.to_string();
            let is_hot = position.hot_stones().contains(point);
            let reason = if is_hot { language.say(HOT, &[]) } else { sentence(&reason, language) };
            Some((point.to_string(), reason))
        })
        .collect()
}

fn choices(game: &Game, language: &Language) -> BTreeMap<String, Vec<MoveChoice>> {
    if game.end().is_some() {
        return BTreeMap::new();
    }
    let choice = |played: Move, label: String| MoveChoice {
        played: played.to_string(),
        label: format!("{played}: {label}"),
    };
    let first = "of equally large regions the first one settles first";
    let other = "equally large regions settle the other way round";
    game.position()
        .starred_points()
        .iter()
        .map(|point| {
            let both = vec![
                choice(Move::Place(point), language.say(first, &[])),
                choice(Move::PlaceStarred(point), language.say(other, &[])),
            ];
            (point.to_string(), both)
        })
        .collect()
}

fn pass(game: &Game, language: &Language) -> Option<PassView> {
    let rules = game.rules();
    let label = match (rules.returns_prisoners(), rules.has_pass()) {
        (true, _) => "Return a prisoner",
        (false, true) if game.position().is_mid_turn() => "End the turn",
        (false, true) => "Pass",
        (false, false) => return None,
    };
    let reason = match game.end() {
        Some(_) => Some(language.say("The game is over", &[])),
        None => {
            let reason = game.position().check_move(Move::Pass).err();
            reason.map(|reason| sentence(&reason.to_string(), language))
        }
    };
    Some(PassView { label: language.say(label, &[]), reason })
}

/// A message of the rules as a sentence, starting with a capital letter.
fn sentence(message: &str, language: &Language) -> String {
    let message = language.translate(message);
    let mut letters = message.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

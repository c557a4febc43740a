//! A game as clients see it. Everything that a client needs to know about the rules is here, in
//! words or as lists.

use std::collections::BTreeMap;

use engine::{Move, Rules};
use game::Game;
use game::state::Side;
use serde::Serialize;
use utoipa::ToSchema;

use crate::catalogue::{Catalogue, Model};
use crate::language::Language;
use crate::position::PositionView;
use crate::preview::{PreviewView, previews};
use crate::secret::Secret;
use crate::sides::Sides;
use crate::table::{Seat, Table};

/// Who plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum PlayerView {
    /// A person with the token of the seat.
    Person,
    /// A model, or the stand-in for one that is no longer available.
    Program {
        /// Its name.
        model: String,
        /// Its strength, from 1 to 10.
        level: u8,
        /// Whether it uses a network; if not, random playouts.
        network: bool,
    },
}

/// A game.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GameView {
    /// The game's address: `/api/games/{id}`.
    id: String,
    /// Increases with every change, so that clients can order updates.
    version: u64,
    /// The rules, as a new game can name them.
    rules: String,
    /// The rules' displayed name.
    title: String,
    /// Who plays.
    players: Sides<PlayerView>,
    #[serde(flatten)]
    position: PositionView,
    /// The turns taken.
    moves: Vec<TurnView>,
    /// Moves that share a point, by that point.
    choices: BTreeMap<String, Vec<MoveChoice>>,
    /// The points where no stone may be placed now, with the reason.
    illegal: BTreeMap<String, String>,
    /// The points where a stone would do more than stand there, with what it would do.
    previews: BTreeMap<String, PreviewView>,
    /// The turn without a stone; null where the rules have none.
    pass: Option<PassView>,
    /// The players who can take something back.
    undo: Vec<Side>,
    /// Whether a program is searching for its move.
    thinking: bool,
    /// Why a program that should have moved has not.
    trouble: Option<String>,
    /// The result as SGF writes it, if the game is over.
    result: Option<String>,
    /// Whether a model knows these rules, so that the game can be analysed.
    analysis: bool,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
struct TurnView {
    player: Side,
    #[serde(rename = "move")]
    played: String,
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
pub(crate) struct PassView {
    /// Its name under these rules.
    label: String,
    /// Why it is not possible now; null if it is.
    reason: Option<String>,
}

/// What a view needs besides the table.
pub struct ViewContext<'a> {
    /// The game's name.
    pub id: Secret,
    /// The version of its latest change.
    pub version: u64,
    /// Whether a program is searching for its move.
    pub thinking: bool,
    /// Why a program that should have moved has not.
    pub trouble: Option<String>,
    /// The programs that can play.
    pub catalogue: &'a Catalogue,
    /// The client's language.
    pub language: &'a Language,
}

impl GameView {
    /// What clients see of a table.
    pub fn of(table: &Table, context: ViewContext<'_>) -> GameView {
        let game = &table.game;
        let ViewContext { id, version, thinking, trouble, catalogue, language } = context;
        let player = |color| player(table.seat(color), game.rules(), catalogue);
        GameView {
            id: id.to_string(),
            version,
            rules: game.rules().to_string(),
            title: title(game.rules(), language),
            players: Sides::each(player),
            position: PositionView::of(game, language),
            moves: game
                .turns()
                .iter()
                .map(|turn| TurnView {
                    player: Side::of(turn.player),
                    played: turn.played.to_string(),
                })
                .collect(),
            choices: choices(game, language),
            illegal: illegal(game, language),
            previews: previews(game, language),
            pass: pass(game, language),
            undo: table.can_undo().into_iter().map(Side::of).collect(),
            thinking,
            trouble,
            result: game.result_text(),
            analysis: catalogue.model_for(game.rules()).is_some(),
        }
    }
}

/// The displayed name of a rule set.
pub(crate) fn title(rules: &Rules, language: &Language) -> String {
    rules
        .variant()
        .map_or_else(|| rules.to_string(), |variant| language.say(variant.about().title, &[]))
}

fn player(seat: &Seat, rules: &Rules, catalogue: &Catalogue) -> PlayerView {
    let Some((model, level)) = seat.program() else { return PlayerView::Person };
    let playing = catalogue.model_for_player(model, rules).map(|index| catalogue.model(index));
    PlayerView::Program {
        model: playing.map_or(model, |playing| &playing.name).to_owned(),
        level: level.number(),
        network: playing.is_none_or(Model::has_network),
    }
}

/// The explanation for a hot stone, instead of that the point is occupied.
const HOT: &str = "A hot stone: it was placed by a ko play, so no ko play may capture it until another turn cools it";

/// The points of a running game where no stone may be placed, each with its reason.
pub(crate) fn illegal(game: &Game, language: &Language) -> BTreeMap<String, String> {
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
            let is_hot = position.hot().contains(point);
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

pub(crate) fn pass(game: &Game, language: &Language) -> Option<PassView> {
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

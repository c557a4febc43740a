//! A game as clients see it. Everything that a client needs to know about the rules is here, in
//! words or as lists.

use engine::Rules;
use game::state::Side;
use serde::Serialize;
use utoipa::ToSchema;

use crate::catalogue::{Catalogue, Model};
use crate::language::Language;
use crate::playable::PlayableView;
use crate::position::PositionView;
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
    #[serde(flatten)]
    playable: PlayableView,
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
            playable: PlayableView::of(game, language),
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

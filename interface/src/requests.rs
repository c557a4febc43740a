//! What clients ask for: starting new or recorded games, and taking turns.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bot::Level;
use engine::{Komi, Move, MoveParseError, Rules, Size};
use game::{Game, SgfRecord};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::catalogue::Catalogue;
use crate::language::Language;
use crate::refusal::Refusal;
use crate::secret::Secret;
use crate::sides::Sides;
use crate::table::{Seat, Table};
use crate::view::GameView;

/// Who plays one colour.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum PlayerChoice {
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
pub struct NewGame {
    /// A variant's name, and changes to it: `tile`, `incursion,komi=6.5`, `cushion,end=area`.
    rules: String,
    /// Side of the board, 2 to 19, or width and height as `3x4`.
    #[schema(value_type = game::BoardSize)]
    size: Size,
    /// Komi other than the rules' own; without effect where the rules have none.
    #[serde(default)]
    komi: Option<f32>,
    players: Sides<PlayerChoice>,
}

/// A recorded game to continue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UploadedGame {
    /// The text of an SGF file; its main line is played.
    #[serde(default)]
    sgf: Option<String>,
    /// The bytes of an SGF file in base64, instead of its text. The character encoding is the one
    /// that the file names or most resembles.
    #[serde(default)]
    sgf_base64: Option<String>,
    /// The rules, if the file names none of ours or others are wanted.
    #[serde(default)]
    rules: Option<String>,
    players: Sides<PlayerChoice>,
}

/// A game that has begun.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartedGame {
    game: GameView,
    /// The tokens of the people's seats. Anyone with a token may play that seat: keep your own, and
    /// give the other away.
    tokens: Sides<Option<String>>,
    /// What was wrong with the uploaded file, and how the game's rules differ from those that the
    /// file names. The game is what could be read of the file.
    defects: Vec<String>,
}

/// A turn.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTurn {
    /// One of the legal moves: `D4`, `E9*`, `pass`.
    #[serde(rename = "move")]
    played: String,
    /// Reply only after the program has answered the move.
    #[serde(default)]
    pub wait: bool,
}

impl NewTurn {
    /// The move.
    ///
    /// # Errors
    /// The text is not a move.
    pub fn played(&self) -> Result<Move, Refusal> {
        self.played.parse().map_err(|error: MoveParseError| Refusal::BadRequest(error.to_string()))
    }
}

impl NewGame {
    /// The table for the game; each person's seat gets a new secret.
    ///
    /// # Errors
    /// The rules or players do not exist.
    pub fn table(
        self,
        catalogue: &Catalogue,
        secret: &mut dyn FnMut() -> Secret,
    ) -> Result<Table, Refusal> {
        let rules = affordable(Rules::parse(&self.rules, self.size)?)?;
        let rules = match self.komi {
            None => rules,
            Some(points) => {
                let komi = Komi::new(points).ok_or(Refusal::BadKomi(points))?;
                rules.with_komi(komi)
            }
        };
        seated(Game::new(rules), self.players, catalogue, secret)
    }
}

impl UploadedGame {
    /// Like [`NewGame::table`], but also returns what was wrong with the file, and how the rules of
    /// the game differ from those that the file names.
    ///
    /// # Errors
    /// The file cannot be read or played, or the players do not exist.
    pub fn table(
        self,
        catalogue: &Catalogue,
        secret: &mut dyn FnMut() -> Secret,
    ) -> Result<(Table, Vec<String>), Refusal> {
        let record = self.record()?;
        let (rules, remark) = match &self.rules {
            Some(text) => (record.rules_named(text)?, None),
            None => record.nearest_rules().map_err(Refusal::UnknownRules)?,
        };
        let rules = affordable(rules)?;
        let game = Game::of_record(&record, rules)?;
        let defects = remark.into_iter().chain(record.defects).collect();
        Ok((seated(game, self.players, catalogue, secret)?, defects))
    }

    fn record(&self) -> Result<SgfRecord, Refusal> {
        match (&self.sgf, &self.sgf_base64) {
            (Some(text), None) => Ok(SgfRecord::read_text(text)?),
            (None, Some(bytes)) => {
                let bytes = BASE64_STANDARD.decode(bytes).map_err(|error| {
                    Refusal::BadRequest(format!("sgf_base64 is not base64: {error}"))
                })?;
                Ok(SgfRecord::read(&bytes)?)
            }
            (Some(_), Some(_)) | (None, None) => {
                let expected = "expected a file as either sgf or sgf_base64";
                Err(Refusal::BadRequest(expected.to_owned()))
            }
        }
    }
}

impl StartedGame {
    /// The answer for a table's game that was uploaded in a file with these defects.
    pub fn of(
        table: &Table,
        game: GameView,
        defects: &[String],
        language: &Language,
    ) -> StartedGame {
        let token = |color| match table.seat(color) {
            Seat::Person { token } => Some(token.to_string()),
            Seat::Program { .. } => None,
        };
        let first = defects.iter().take(MAX_DEFECTS);
        let defects = first.map(|defect| language.translate(defect)).collect();
        StartedGame { game, tokens: Sides::each(token), defects }
    }
}

/// Maximum number of a file's defects that are reported.
const MAX_DEFECTS: usize = 5;

/// Maximum number of turns in a game, more than three times what the largest board usually allows:
/// a game in memory takes about 1.5 KB per turn.
const MAX_TURNS: u16 = 5_000;

/// The longest cycle searched for, which is that of the named rules: with ten turns, replaying a
/// recorded game can take a minute.
const MAX_CYCLE: u8 = 6;

/// The rules, provided that games under them take neither too much memory nor too much time.
pub(crate) fn affordable(rules: Rules) -> Result<Rules, Refusal> {
    if rules.max_moves > MAX_TURNS {
        return Err(Refusal::TooLongGame { given: rules.max_moves, most: MAX_TURNS });
    }
    if rules.max_cycle > MAX_CYCLE {
        return Err(Refusal::TooLongCycle { given: rules.max_cycle, most: MAX_CYCLE });
    }
    Ok(rules)
}

/// A game with its players, at least one of whom must be a person.
fn seated(
    game: Game,
    players: Sides<PlayerChoice>,
    catalogue: &Catalogue,
    secret: &mut dyn FnMut() -> Secret,
) -> Result<Table, Refusal> {
    let rules = game.rules();
    let seats = [
        seat(players.black, rules, catalogue, secret)?,
        seat(players.white, rules, catalogue, secret)?,
    ];
    let is_program = |seat: &Seat| seat.program().is_some();
    if seats.iter().all(is_program) { Err(Refusal::NoPerson) } else { Ok(Table::new(game, seats)) }
}

fn seat(
    choice: PlayerChoice,
    rules: &Rules,
    catalogue: &Catalogue,
    secret: &mut dyn FnMut() -> Secret,
) -> Result<Seat, Refusal> {
    Ok(match choice {
        PlayerChoice::Person => Seat::Person { token: secret() },
        PlayerChoice::Program { model, level } => {
            let level = Level::new(level).ok_or(Refusal::NoSuchLevel(level))?;
            let index = match model {
                Some(name) => catalogue.named(&name).ok_or(Refusal::NoSuchModel(name))?,
                None => catalogue.model_for(rules).ok_or(Refusal::NoModel)?,
            };
            let model = catalogue.model(index);
            if !model.knows(rules) {
                return Err(Refusal::NoModel);
            }
            Seat::Program { model: model.name.clone(), level }
        }
    })
}

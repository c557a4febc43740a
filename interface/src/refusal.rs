//! Refused requests: an HTTP status, and JSON with a code and a sentence.

use engine::{Color, Move, RulesError};
use game::{PlayError, RecordRulesError, ReplayError};
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::{Language, Value};

/// Why a request about games is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each says it to people")]
pub enum Refusal {
    #[error("no such address")]
    NoSuchAddress,
    #[error("no such game")]
    NoSuchGame,
    #[error("no turn '{turn}' in this game: expected 0 to {turns}")]
    NoSuchTurn { turn: String, turns: usize },
    #[error("no puzzle '{number}' of the variant '{rules}': there are {count}")]
    NoSuchPuzzle { rules: String, number: String, count: usize },
    #[error("{0}")]
    BadRequest(String),
    #[error("invalid komi {0}: expected a multiple of one half from -400 to 400")]
    BadKomi(f32),
    #[error("the body is not JSON: {0}")]
    BadJson(String),
    #[error("the rules cannot be played: {0}")]
    Rules(#[from] RulesError),
    #[error("the file cannot be read: {0}")]
    Sgf(#[from] game::ReadError),
    #[error("the file's game cannot be played: {0}")]
    Record(#[from] ReplayError),
    #[error("{0}: choose the rules, and upload the file again")]
    UnknownRules(RecordRulesError),
    #[error("unknown model '{0}'")]
    NoSuchModel(String),
    #[error("no model on this server plays these rules on this size")]
    NoModel,
    #[error("{0} is no longer available, and no other model knows these rules")]
    NoLongerAvailable(String),
    #[error("invalid level {0}: expected 1 to 10")]
    NoSuchLevel(u8),
    #[error("one of the players must be a person")]
    NoPerson,
    #[error("only players can do that: send the token of a seat as Authorization: Bearer …")]
    NoSeat,
    #[error("it is not your turn")]
    NotYourTurn,
    #[error("{0}")]
    Illegal(PlayError),
    #[error("under {rules}, turn {turn}, {played}: {reason}")]
    NotUnderBoth { rules: String, turn: usize, played: Move, reason: PlayError },
    #[error("too many moves, {given}: at most {most} are compared")]
    TooManyMoves { given: usize, most: usize },
    #[error("the rules allow games of {given} turns: at most {most} are kept (max_moves)")]
    TooLongGame { given: u16, most: u16 },
    #[error(
        "the rules look for cycles of {given} turns, which takes too long: choose at most {most} (max_cycle)"
    )]
    TooLongCycle { given: u8, most: u8 },
    #[error("too many simulations, {given}: at most {most} are made")]
    TooLongSearch { given: u32, most: u32 },
    #[error("the game is over")]
    GameOver,
    #[error("you have no move to take back")]
    NothingToUndo,
    #[error("no program has to move in this game now")]
    NoReplyDue,
    #[error("the search failed: {0}")]
    Search(String),
    #[error("the game cannot be read by this version of the program: use the one that saved it")]
    Unreadable,
    #[error("internal error")]
    Internal,
}

/// The body of every error reply.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    error: ErrorReport,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
struct ErrorReport {
    /// For programs: a word that does not change between versions.
    #[schema(value_type = String)]
    code: &'static str,
    /// For people: a sentence.
    message: String,
}

impl ErrorBody {
    /// The body with a code and a sentence.
    pub fn new(code: &'static str, message: String) -> ErrorBody {
        ErrorBody { error: ErrorReport { code, message } }
    }
}

impl Refusal {
    /// The message for people. Details that only programs can get wrong stay in English.
    pub fn in_language(&self, language: &Language) -> String {
        match self {
            Refusal::Rules(error) => {
                let reason = rules_error(error, language);
                language.say("the rules cannot be played: {reason}", &[("reason", &reason)])
            }
            Refusal::Sgf(error) => {
                let reason = language.translate(&error.to_string());
                language.say("the file cannot be read: {reason}", &[("reason", &reason)])
            }
            Refusal::Record(error) => {
                let reason = replay_error(error, language);
                language.say("the file's game cannot be played: {reason}", &[("reason", &reason)])
            }
            Refusal::Search(reason) => language
                .say("the search failed: {reason}", &[("reason", &language.translate(reason))]),
            Refusal::BadJson(detail) => {
                language.say("the body is not JSON: {detail}", &[("detail", detail)])
            }
            Refusal::UnknownRules(error) => {
                let reason = language.translate(&error.to_string());
                let words = "{reason}: choose the rules, and upload the file again";
                language.say(words, &[("reason", &reason)])
            }
            Refusal::BadKomi(komi) => language.say(
                "invalid komi {komi}: expected a multiple of one half from -400 to 400",
                &[("komi", komi)],
            ),
            Refusal::NoLongerAvailable(model) => language.say(
                "{model} is no longer available, and no other model knows these rules",
                &[("model", model)],
            ),
            Refusal::NoSuchPuzzle { rules, number, count } => language.say(
                "no puzzle '{number}' of the variant '{rules}': there are {count}",
                &[("number", number), ("rules", rules), ("count", count)],
            ),
            Refusal::Illegal(error) => play_error(error, language),
            Refusal::NotUnderBoth { rules, turn, played, reason } => {
                let reason = play_error(reason, language);
                let played = language.played(*played);
                let values: [Value<'_>; 4] =
                    [("rules", rules), ("turn", turn), ("move", &played), ("reason", &reason)];
                language.say("under {rules}, turn {turn}, {move}: {reason}", &values)
            }
            Refusal::NoSuchAddress
            | Refusal::NoSuchGame
            | Refusal::NoSuchTurn { .. }
            | Refusal::BadRequest(_)
            | Refusal::NoSuchModel(_)
            | Refusal::NoModel
            | Refusal::NoSuchLevel(_)
            | Refusal::NoPerson
            | Refusal::NoSeat
            | Refusal::NotYourTurn
            | Refusal::TooManyMoves { .. }
            | Refusal::TooLongGame { .. }
            | Refusal::TooLongCycle { .. }
            | Refusal::TooLongSearch { .. }
            | Refusal::GameOver
            | Refusal::NothingToUndo
            | Refusal::NoReplyDue
            | Refusal::Unreadable
            | Refusal::Internal => language.translate(&self.to_string()),
        }
    }

    /// The HTTP status, and the code for programs.
    pub fn code(&self) -> (u16, &'static str) {
        match self {
            Refusal::NoSuchAddress => (404, "no_such_address"),
            Refusal::NoSuchGame => (404, "no_such_game"),
            Refusal::NoSuchTurn { .. } => (404, "no_such_turn"),
            Refusal::NoSuchPuzzle { .. } => (404, "no_such_puzzle"),
            Refusal::BadRequest(_) => (400, "bad_request"),
            Refusal::BadKomi(_) => (400, "bad_request"),
            Refusal::UnknownRules(_) => (400, "unknown_rules"),
            Refusal::BadJson(_) => (400, "bad_json"),
            Refusal::Rules(_) => (400, "bad_rules"),
            Refusal::Sgf(_) => (400, "bad_sgf"),
            Refusal::Record(_) => (409, "unplayable_record"),
            Refusal::NoSuchModel(_) => (400, "no_such_model"),
            Refusal::NoModel | Refusal::NoLongerAvailable(_) => (409, "no_model"),
            Refusal::NoSuchLevel(_) => (400, "no_such_level"),
            Refusal::NoPerson => (400, "no_person"),
            Refusal::NoSeat => (403, "no_seat"),
            Refusal::NotYourTurn => (409, "not_your_turn"),
            Refusal::Illegal(_) | Refusal::NotUnderBoth { .. } => (409, "illegal_move"),
            Refusal::TooManyMoves { .. } => (400, "too_many_moves"),
            Refusal::TooLongGame { .. } => (400, "too_long_game"),
            Refusal::TooLongCycle { .. } => (400, "too_long_cycle"),
            Refusal::TooLongSearch { .. } => (400, "too_long_search"),
            Refusal::GameOver => (409, "game_over"),
            Refusal::NothingToUndo => (409, "nothing_to_undo"),
            Refusal::NoReplyDue => (409, "no_reply_due"),
            Refusal::Search(_) => (500, "search_failed"),
            Refusal::Unreadable => (500, "unreadable_game"),
            Refusal::Internal => (500, "internal"),
        }
    }
}

/// What is wrong with a rule set.
pub(crate) fn rules_error(error: &RulesError, language: &Language) -> String {
    match error {
        RulesError::Unknown { what, given, nearest, known: _ } => {
            let what = language.say(what, &[]);
            match nearest {
                None => language.say("unknown {what} '{given}'", &[("what", &what), ("given", given)]),
                Some(nearest) => language.say(
                    "unknown {what} '{given}': did you mean '{nearest}'?",
                    &[("what", &what), ("given", given), ("nearest", nearest)],
                ),
            }
        }
        RulesError::Value { field, given, expected } => language.say(
            "{field} = '{given}' is invalid: expected {expected}",
            &[("field", field), ("given", given), ("expected", &language.translate(expected))],
        ),
        RulesError::Unused { field, reason } => language.say(
            "{field} does not apply here: {reason}",
            &[("field", field), ("reason", &language.translate(reason))],
        ),
        RulesError::Twice(field) => language.say("{field} is given twice", &[("field", field)]),
        RulesError::Syntax(given) => language.say(
            "invalid rule '{given}': expected a variant name, then field=value pairs separated by commas, as in tile,ban=stoical,komi=6.5",
            &[("given", given)],
        ),
        RulesError::Size(_) | RulesError::NoSize(_) => language.translate(&error.to_string()),
    }
}

fn play_error(error: &PlayError, language: &Language) -> String {
    match error {
        PlayError::OutOfTurn { to_move, rule } => {
            let rule = language.translate(&rule.to_string());
            let english = match to_move {
                Color::Black => "it is Black's turn, and Black may not pass: {rule}",
                Color::White => "it is White's turn, and White may not pass: {rule}",
            };
            language.say(english, &[("rule", &rule)])
        }
        PlayError::Illegal(_) | PlayError::Resigned(_) | PlayError::WouldEnd(_) => {
            language.translate(&error.to_string())
        }
    }
}

fn replay_error(error: &ReplayError, language: &Language) -> String {
    match error {
        // Stones come from files of other programs; errors in a position's text, which only we write,
        // stay in English.
        ReplayError::Start(error) => {
            let reason = language.translate(&error.to_string());
            language.say("the start of the game is impossible: {reason}", &[("reason", &reason)])
        }
        ReplayError::Turn { turn, played, reason } => {
            let reason = play_error(reason, language);
            let played = language.played(*played);
            let values: [Value<'_>; 3] = [("turn", turn), ("move", &played), ("reason", &reason)];
            language.say("turn {turn}, {move}: {reason}", &values)
        }
    }
}

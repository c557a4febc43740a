//! Queries: lines of JSON, read field by field so that errors can name the field.

use std::time::Duration;

use engine::{Color, Komi, Move, Position, Rules, Size};
use serde_json::Value;

use super::course::Course;
use super::fields::{Fields, duration, visits};
use super::problem::Problem;
use crate::SupportedRules;
use crate::katago_rules::RequestedRules;
use crate::komi::{played_komi, why_other_komi};
use crate::report::STEPS;

/// Positions of a game, each to be analysed separately.
#[derive(Debug)]
pub(super) struct Query {
    pub id: String,
    /// In the order of their turns.
    pub turns: Vec<Turn>,
    /// The requested turns that a finished game does not reach.
    pub unreached: Vec<UnreachedTurn>,
    pub wanted: ReportRequest,
}

/// One position.
#[derive(Debug)]
pub(super) struct Turn {
    pub number: usize,
    pub priority: i64,
    pub position: Position,
    /// The moves to which the search is restricted, if any; empty if all are to be avoided, which
    /// leaves no results.
    pub only: Option<Vec<Move>>,
}

/// A requested turn that has no position.
#[derive(Debug)]
pub(super) struct UnreachedTurn {
    pub number: usize,
    pub message: String,
}

/// What to report for each position of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReportRequest {
    pub visits: u32,
    pub time: Option<Duration>,
    pub report_every: Option<Duration>,
    pub steps: usize,
    pub ownership: bool,
    /// Ownership after each move.
    pub moves_ownership: bool,
    pub policy: bool,
    pub line_visits: bool,
    /// The player from whose perspective winrates are reported, if fixed.
    pub view: Option<Color>,
}

/// A parsed line.
#[derive(Debug)]
pub(super) enum Received {
    Query(Query, Vec<Problem>),
    Action {
        /// The query object, which is repeated in the answer.
        echo: Value,
        action: Action,
    },
}

/// Actions besides analysis.
#[derive(Debug)]
pub(super) enum Action {
    Version,
    Models,
    ClearCache,
    /// Terminates one query or all, and some of its turns or all.
    Terminate {
        id: Option<String>,
        turns: Option<Vec<usize>>,
    },
}

/// Supported fields.
const FIELDS: [&str; 27] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "analysisPVLen",
    "includeOwnership",
    "includePolicy",
    "includePVVisits",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "priority",
    "priorities",
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
];

/// Fields that cannot be answered honestly.
const UNAVAILABLE: [&str; 3] =
    ["includeOwnershipStdev", "includeMovesOwnershipStdev", "includeNoResultValue"];

/// KataGo search settings that have no counterpart here, and that clients always send.
const WITHOUT_EFFECT: [&str; 4] =
    ["wideRootNoise", "rootPolicyTemperature", "rootFpuReductionMax", "ignorePreRootHistory"];

/// Reads one line.
pub(super) fn receive(
    line: &[u8],
    supported: &SupportedRules,
    visits: u32,
) -> Result<Received, Problem> {
    let general = |message: String| Problem { message, field: None, id: None };
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        general(format!(
            "could not parse the line as JSON ({error}): each line is one query; GTP is spoken by the gtp command"
        ))
    })?;
    let Value::Object(object) = value else {
        return Err(general("a query is a JSON object".to_owned()));
    };
    let id = match object.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(_) | None => {
            let field = Some("id".to_owned());
            return Err(Problem { message: "must be a string".to_owned(), field, id: None });
        }
    };
    let fields = Fields { object: &object, id: &id };
    match object.get("action") {
        Some(action) => {
            let action = fields.action(action)?;
            Ok(Received::Action { echo: Value::Object(object), action })
        }
        None => {
            let mut warnings = Vec::new();
            let query = fields.query(supported, visits, &mut warnings)?;
            Ok(Received::Query(query, warnings))
        }
    }
}

impl Fields<'_> {
    fn action(&self, action: &Value) -> Result<Action, Problem> {
        match action.as_str() {
            Some("query_version") => Ok(Action::Version),
            Some("query_models") => Ok(Action::Models),
            Some("clear_cache") => Ok(Action::ClearCache),
            Some("terminate") => {
                let id = self
                    .read("terminateId", "a string", |value| value.as_str().map(str::to_owned))?
                    .ok_or_else(|| self.problem("terminateId", "is required"))?;
                Ok(Action::Terminate { id: Some(id), turns: self.numbers("turnNumbers")? })
            }
            Some("terminate_all") => {
                Ok(Action::Terminate { id: None, turns: self.numbers("turnNumbers")? })
            }
            Some(other) => Err(self.problem("action", format!("unknown action '{other}'"))),
            None => Err(self.problem("action", "must be a string")),
        }
    }

    fn query(
        &self,
        supported: &SupportedRules,
        visits: u32,
        warnings: &mut Vec<Problem>,
    ) -> Result<Query, Problem> {
        self.warn_of_fields(warnings)?;
        let rules = self.rules(supported, warnings)?;
        let rules = self.with_handicap_bonus(rules, warnings)?;
        let course = self.course(rules)?;
        let wanted = self.wanted(visits, warnings)?;
        let numbers = self.turn_numbers(&course)?;
        let mut unreached = Vec::new();
        if let Some(stop) = course.stop {
            let reached = course.positions.len();
            // A turn that is named twice is answered once.
            let mut beyond: Vec<usize> =
                numbers.iter().copied().filter(|&number| number >= reached).collect();
            if beyond.len() == numbers.len() {
                return Err(stop);
            }
            beyond.sort_unstable();
            beyond.dedup();
            let turn = |number| UnreachedTurn { number, message: stop.message.clone() };
            unreached.extend(beyond.into_iter().map(turn));
            warnings.push(stop);
        }
        let turns = self.turns(course.positions, &numbers)?;
        Ok(Query { id: self.id.to_owned(), turns, unreached, wanted })
    }

    /// Warns about requested fields that will not be answered.
    fn warn_of_fields(&self, warnings: &mut Vec<Problem>) -> Result<(), Problem> {
        for field in self.object.keys() {
            if !FIELDS.contains(&field.as_str()) {
                warnings.push(self.problem(field, "unexpected field, ignored"));
            }
        }
        for field in UNAVAILABLE {
            if self.boolean(field)? {
                warnings.push(self.problem(field, "not available, left out"));
            }
        }
        Ok(())
    }

    fn rules(
        &self,
        supported: &SupportedRules,
        warnings: &mut Vec<Problem>,
    ) -> Result<Rules, Problem> {
        let ours = self.usual_rules(supported)?;
        let rules = match self.get("rules").map(RequestedRules::read) {
            None => ours,
            Some(requested) => self.requested_rules(ours, &requested, supported, warnings)?,
        };
        let requested = self.komi(warnings)?;
        let komi = requested.unwrap_or(rules.komi);
        let played = played_komi(&rules, komi);
        if played != komi && (requested.is_some() || self.get("rules").is_some()) {
            let field = if requested.is_some() { "komi" } else { "rules" };
            let (komi, played) = (komi.value(), played.value());
            let reason = why_other_komi(&rules);
            let message = format!("komi {komi} is taken as {played}, because {reason}");
            warnings.push(self.problem(field, message));
        }
        Ok(rules.with_komi(played))
    }

    /// The rules that apply if the query names none, on its board.
    fn usual_rules(&self, supported: &SupportedRules) -> Result<Rules, Problem> {
        let side = |field: &str| {
            self.read(field, "an integer", |value| usize::try_from(value.as_u64()?).ok())?
                .ok_or_else(|| self.problem(field, "is required"))
        };
        let (width, height) = (side("boardXSize")?, side("boardYSize")?);
        let size = Size::new(width, height)
            .map_err(|error| self.problem("boardXSize", error.to_string()))?;
        // On square boards the width alone is enough.
        let field = if width == height { "boardXSize" } else { "boardYSize" };
        supported.rules(size).map_err(|error| self.problem(field, error.to_string()))
    }

    /// The rules that the query names, or `ours` with a warning.
    fn requested_rules(
        &self,
        ours: Rules,
        requested: &RequestedRules,
        supported: &SupportedRules,
        warnings: &mut Vec<Problem>,
    ) -> Result<Rules, Problem> {
        let Err(mismatch) = requested.describes(&ours) else {
            let (komi, max_moves) = requested.details(&ours);
            let max_moves = max_moves.unwrap_or(ours.max_moves);
            return Ok(Rules { max_moves, ..ours.with_komi(komi.unwrap_or(ours.komi)) });
        };
        let problem = self.problem("rules", mismatch.to_string());
        // Clients of plain Go mean what they say, unless the model has learnt Go under other rules.
        let is_preferred = |other: &Rules| {
            ours.as_plain_go().is_some()
                && (supported.has_learnt(other) || !supported.has_learnt(&ours))
        };
        match requested.interpret(&ours) {
            Ok(other)
                if supported.is_open()
                    && (mismatch.names_another || is_preferred(&other.rules)) =>
            {
                warnings.extend(other.remark.map(|remark| self.problem("rules", remark)));
                Ok(other.rules)
            }
            Ok(_) | Err(_) if mismatch.names_another => Err(problem),
            Ok(_) | Err(_) => {
                warnings.push(problem);
                Ok(ours)
            }
        }
    }

    fn komi(&self, warnings: &mut Vec<Problem>) -> Result<Option<Komi>, Problem> {
        let Some(points) = self.read("komi", "a number", Value::as_f64)? else { return Ok(None) };
        let komi = Komi::nearest(points as f32).ok_or_else(|| {
            let limit = Komi::LIMIT;
            self.problem("komi", format!("is too large: expected at most {limit} points"))
        })?;
        if f64::from(komi.value()) != points {
            let message = format!(
                "is not a half-integer from -{0} to {0}: taken as {komi}",
                Komi::LIMIT,
                komi = komi.value()
            );
            warnings.push(self.problem("komi", message));
        }
        Ok(Some(komi))
    }

    fn wanted(&self, visits: u32, warnings: &mut Vec<Problem>) -> Result<ReportRequest, Problem> {
        let visits = self.visits("maxVisits")?.unwrap_or(visits);
        let every =
            self.read("reportDuringSearchEvery", "a positive number of seconds", duration)?;
        let steps = self.read("analysisPVLen", "an integer from 1 to 1000", |value| {
            value.as_u64().filter(|steps| (1..=1_000).contains(steps))
        })?;
        let mut wanted = ReportRequest {
            visits,
            time: None,
            report_every: every,
            steps: steps.map_or(STEPS, |steps| steps as usize),
            ownership: self.boolean("includeOwnership")?,
            moves_ownership: self.boolean("includeMovesOwnership")?,
            policy: self.boolean("includePolicy")?,
            line_visits: self.boolean("includePVVisits")?,
            view: None,
        };
        self.override_settings(&mut wanted, warnings)?;
        Ok(wanted)
    }

    fn override_settings(
        &self,
        wanted: &mut ReportRequest,
        warnings: &mut Vec<Problem>,
    ) -> Result<(), Problem> {
        const FIELD: &str = "overrideSettings";
        let Some(settings) = self.read(FIELD, "an object", Value::as_object)? else {
            return Ok(());
        };
        let wrong =
            |name: &str, expected: &str| self.problem(FIELD, format!("{name} must be {expected}"));
        for (name, value) in settings {
            match name.as_str() {
                "maxVisits" => {
                    wanted.visits =
                        visits(value).ok_or_else(|| wrong(name, "an integer from 1 to 2^30"))?;
                }
                "maxTime" => {
                    let time = duration(value);
                    wanted.time =
                        Some(time.ok_or_else(|| wrong(name, "a positive number of seconds"))?);
                }
                "analysisPVLen" => {
                    let steps = value.as_u64().filter(|steps| (1..=1_000).contains(steps));
                    wanted.steps =
                        steps.ok_or_else(|| wrong(name, "an integer from 1 to 1000"))? as usize;
                }
                "reportAnalysisWinratesAs" => {
                    wanted.view = match value.as_str().map(str::to_ascii_uppercase).as_deref() {
                        Some("BLACK") => Some(Color::Black),
                        Some("WHITE") => Some(Color::White),
                        Some("SIDETOMOVE") => None,
                        Some(_) | None => {
                            return Err(wrong(name, "BLACK, WHITE or SIDETOMOVE"));
                        }
                    };
                }
                // KaTrain then plays the policy's first choice. Without an error it would wait for
                // that network's.
                "humanSLProfile" => {
                    return Err(self.problem(
                        FIELD,
                        format!("{name} needs a network of human play: there is none"),
                    ));
                }
                known if WITHOUT_EFFECT.contains(&known) => {}
                unknown => {
                    let message = format!("unknown setting '{unknown}', ignored");
                    warnings.push(self.problem(FIELD, message));
                }
            }
        }
        Ok(())
    }

    /// The requested turns.
    fn turn_numbers(&self, course: &Course) -> Result<Vec<usize>, Problem> {
        let last = course.moves;
        let numbers = self.numbers("analyzeTurns")?.unwrap_or_else(|| vec![last]);
        if numbers.is_empty() {
            return Err(self.problem("analyzeTurns", "is empty: name a turn, or leave it out"));
        }
        if let Some(wrong) = numbers.iter().find(|&&number| number > last) {
            let message =
                format!("turn {wrong} is beyond the last move: there are turns 0 to {last}");
            return Err(self.problem("analyzeTurns", message));
        }
        Ok(numbers)
    }

    /// The requested positions, each with its priority and allowed moves.
    fn turns(&self, positions: Vec<Position>, numbers: &[usize]) -> Result<Vec<Turn>, Problem> {
        let number = |value: &Value| value.as_i64();
        let priority = self.read("priority", "an integer", number)?.unwrap_or(0);
        let priorities = self.read("priorities", "an array of integers", |value| {
            value.as_array()?.iter().map(number).collect::<Option<Vec<i64>>>()
        })?;
        if priorities.as_ref().is_some_and(|list| list.len() != numbers.len()) {
            return Err(self.problem("priorities", "must be as many as analyzeTurns"));
        }
        let mut turns = Vec::new();
        for (number, position) in positions.into_iter().enumerate() {
            let Some(place) = numbers.iter().position(|&wanted| wanted == number) else { continue };
            let priority = priorities.as_ref().map_or(priority, |list| list[place]);
            let only = self.allowed_moves(&position)?;
            turns.push(Turn { number, priority, position, only });
        }
        Ok(turns)
    }

    /// The moves that remain after `avoidMoves` and `allowMoves`; `None` if that is all of them.
    fn allowed_moves(&self, position: &Position) -> Result<Option<Vec<Move>>, Problem> {
        let legal = position.legal_moves();
        let avoided = self.restrictions("avoidMoves", position)?;
        let allowed = self.restrictions("allowMoves", position)?;
        if self.get("allowMoves").and_then(Value::as_array).is_some_and(|list| list.len() > 1) {
            return Err(self.problem("allowMoves", "must be an array of one object"));
        }
        let is_left = |played: &&Move| {
            let avoided = avoided.as_ref().is_some_and(|moves| moves.contains(played));
            let allowed = allowed.as_ref().is_none_or(|moves| moves.contains(played));
            allowed && !avoided
        };
        let left: Vec<Move> = legal.iter().filter(is_left).copied().collect();
        if left.len() == legal.len() {
            Ok(None)
        } else if left.is_empty() && allowed.is_some() {
            Err(self.problem("allowMoves", "no legal move is left"))
        } else {
            Ok(Some(left))
        }
    }
}

//! Answers to clients.

use std::io::{self, Write};

use engine::{Color, Move, Position};
use game::{GameEnd, state_json};
use search::{Lead, MoveAnalysis, MoveStats, SearchState};
use serde_json::{Map, Value, json};

use super::query::ReportRequest;
use crate::report::{self, Score, signed_ownership, utility};
use crate::{Ownership, PlayoutGames};

/// Writes one object on a line.
pub(super) fn tell(output: &mut impl Write, object: &Value) -> io::Result<()> {
    writeln!(output, "{object}")?;
    output.flush()
}

/// What identifies an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heading<'a> {
    pub id: &'a str,
    pub turn: usize,
    pub during_search: bool,
}

impl Heading<'_> {
    fn object(self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("id".to_owned(), json!(self.id));
        object.insert("isDuringSearch".to_owned(), json!(self.during_search));
        object.insert("turnNumber".to_owned(), json!(self.turn));
        object
    }

    /// The answer to a query that was terminated before it began.
    pub fn without_results(self) -> Value {
        let mut object = self.object();
        object.insert("noResults".to_owned(), json!(true));
        Value::Object(object)
    }

    /// The answer when the evaluator has failed.
    pub fn failure(self, message: &str) -> Value {
        let mut object = self.object();
        object.insert("error".to_owned(), json!(message));
        Value::Object(object)
    }

    /// The answer for a finished game: its result, and a pass, because clients that do not know how
    /// the game ends ask for moves.
    pub fn of_finished(
        self,
        position: &Position,
        wanted: &ReportRequest,
        playouts: Option<&PlayoutGames>,
    ) -> Value {
        let view = wanted.view.unwrap_or(position.turn());
        let value = position.outcome().map_or(0.0, |outcome| outcome.result.black_value());
        let winrate = search::winrate(value, view);
        let lead = position.score().map(|mean| Lead { mean, deviation: 0.0 });
        let score = Score::new(lead, value, position.size(), view);
        let root = report::RootReport { visits: 1, winrate, raw_winrate: winrate, score };
        let moves = [pass(value, lead)];
        let mut object = self.object();
        object.insert("moveInfos".to_owned(), move_infos(position, &moves, wanted, playouts));
        object.insert("rootInfo".to_owned(), root_info(position, root));
        if wanted.policy {
            object.insert("policy".to_owned(), policy(position, &moves.map(|found| found.stats)));
        }
        finish(object, position, wanted, playouts)
    }

    /// The answer for a searched position.
    pub fn of_search(
        self,
        state: &SearchState,
        wanted: &ReportRequest,
        playouts: Option<&PlayoutGames>,
    ) -> Value {
        let position = state.root();
        let view = wanted.view.unwrap_or(position.turn());
        let moves = report::moves(state, 0, wanted.steps);
        let mut object = self.object();
        object.insert("moveInfos".to_owned(), move_infos(position, &moves, wanted, playouts));
        object.insert("rootInfo".to_owned(), root_info(position, report::root(state, view)));
        if wanted.policy {
            // Moves that were not searched because they are to be avoided have a probability too.
            object.insert("policy".to_owned(), policy(position, &state.result().moves));
        }
        finish(object, position, wanted, playouts)
    }
}

/// The pass in a game that ended with `value`.
fn pass(value: f32, lead: Option<Lead>) -> MoveAnalysis {
    let (played, visits, proven) = (Move::Pass, 1, None);
    let stats = MoveStats { played, prior: 1.0, policy: 1.0, visits, value: Some(value), proven };
    MoveAnalysis { stats, deviation: 0.0, lead, line: vec![(played, visits)] }
}

/// The moves, best first.
fn move_infos(
    position: &Position,
    moves: &[MoveAnalysis],
    wanted: &ReportRequest,
    playouts: Option<&PlayoutGames>,
) -> Value {
    let view = wanted.view.unwrap_or(position.turn());
    let infos = moves.iter().enumerate().map(|(order, found)| {
        let mut info = move_info(order, found, wanted.line_visits, view, position);
        if let Some(playouts) = playouts.filter(|_| wanted.moves_ownership) {
            let after = playouts.ownership_after(found.stats.played);
            info["ownership"] = owned(&after, position, view);
        }
        info
    });
    infos.collect()
}

/// One move. Its lower confidence bound is for the player to move; seen from the other side it is
/// an upper bound.
fn move_info(
    order: usize,
    found: &MoveAnalysis,
    line_visits: bool,
    view: Color,
    position: &Position,
) -> Value {
    let (winrate, lcb, score) = report::outlook(found, position.size(), view);
    let MoveAnalysis { stats: MoveStats { played, prior, visits, .. }, line, .. } = found;
    let lcb = if view == position.turn() { lcb } else { 2.0 * winrate - lcb };
    let steps: Vec<String> = line.iter().map(|(step, _)| step.to_string()).collect();
    let mut info = json!({
        "move": played.to_string(),
        "visits": visits,
        "edgeVisits": visits,
        "winrate": winrate,
        "lcb": lcb,
        "utility": utility(winrate),
        "utilityLcb": utility(lcb),
        "scoreLead": score.lead,
        "scoreMean": score.lead,
        "scoreSelfplay": score.lead,
        "scoreStdev": score.deviation,
        "prior": prior,
        "weight": visits,
        "edgeWeight": visits,
        "order": order,
        "pv": steps,
    });
    if line_visits {
        let visits: Vec<u32> = line.iter().map(|&(_, visits)| visits).collect();
        info["pvVisits"] = json!(visits);
        info["pvEdgeVisits"] = json!(visits);
    }
    info
}

fn root_info(position: &Position, root: report::RootReport) -> Value {
    json!({
        "currentPlayer": position.turn().to_string(),
        "visits": root.visits,
        "winrate": root.winrate,
        "utility": utility(root.winrate),
        "rawWinrate": root.raw_winrate,
        "scoreLead": root.score.lead,
        "scoreMean": root.score.lead,
        "scoreSelfplay": root.score.lead,
        "scoreStdev": root.score.deviation,
        "weight": root.visits,
        "thisHash": format!("{:016X}", position.hash()),
    })
}

/// The network's probability of each point from the top left row by row, then of the pass; −1 where
/// it is illegal. Conquest's two moves on a point are added up.
fn policy(position: &Position, moves: &[MoveStats]) -> Value {
    let size = position.size();
    let mut policy = vec![-1.0_f32; size.area() + 1];
    for found in moves {
        let place = match found.played {
            Move::Place(point) | Move::PlaceStarred(point) => {
                (size.height() - 1 - point.row()) * size.width() + point.column()
            }
            Move::Pass => size.area(),
        };
        policy[place] = policy[place].max(0.0) + found.prior;
    }
    json!(policy)
}

/// Adds ownership, what follows from it, and fields that KataGo lacks.
fn finish(
    mut object: Map<String, Value>,
    position: &Position,
    wanted: &ReportRequest,
    playouts: Option<&PlayoutGames>,
) -> Value {
    if let Some(playouts) = playouts.filter(|_| wanted.ownership) {
        let view = wanted.view.unwrap_or(position.turn());
        object.insert("ownership".to_owned(), owned(&playouts.ownership(), position, view));
    }
    let mut variant = state_json(position, position.outcome().map(GameEnd::from));
    variant["illegal"] = illegal(position);
    object.insert("variant".to_owned(), variant);
    Value::Object(object)
}

/// Each point's ownership, −1 to 1, for the viewing player, from the top left row by row: the
/// probability of owning it minus the opponent's.
fn owned(ownership: &Ownership, position: &Position, view: Color) -> Value {
    signed_ownership(ownership, position.size())
        .into_iter()
        .map(|share| view.sign() * share)
        .collect()
}

/// The reason why each illegal empty point, and the pass if illegal, is not allowed.
fn illegal(position: &Position) -> Value {
    let mut reasons = Map::new();
    if position.outcome().is_some() {
        return Value::Object(reasons);
    }
    for played in position.empty().iter().map(Move::Place).chain([Move::Pass]) {
        if let Err(rule) = position.check_move(played) {
            reasons.insert(played.to_string(), json!(rule.to_string()));
        }
    }
    Value::Object(reasons)
}

//! Arguments and lines of analysis streams.

use std::fmt::Write;
use std::time::Duration;

use engine::{Color, Move, Position};
use search::{MoveAnalysis, MoveStats, SearchState};

use super::arguments::syntax;
use super::command::CommandError;
use crate::choice::result_of_pass;
use crate::report::{self, utility};

/// The two ways to write numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Leela Zero's: probabilities times ten thousand.
    Lz,
    /// KataGo's: floating-point numbers.
    Kata,
}

/// The arguments of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// The player whose move is searched; by default the player to move.
    pub color: Option<Color>,
    /// The interval between two lines.
    pub interval: Duration,
    pub least_moves: usize,
    pub most_moves: usize,
    pub ownership: bool,
    pub root: bool,
    pub line_visits: bool,
    pub line_edge_visits: bool,
    /// Moves with which a player may not begin, and those to which a player is restricted.
    avoided: Vec<(Color, Vec<Move>)>,
    allowed: Vec<(Color, Vec<Move>)>,
}

impl Request {
    /// Reads `[COLOR] [CENTISECONDS] [KEY VALUE]...`, as KataGo does.
    pub fn parse(words: &[String]) -> Result<Request, CommandError> {
        let mut request = Request {
            color: None,
            interval: Duration::from_secs(1),
            least_moves: 0,
            most_moves: usize::MAX,
            ownership: false,
            root: false,
            line_visits: false,
            line_edge_visits: false,
            avoided: Vec::new(),
            allowed: Vec::new(),
        };
        let mut words = words.iter().map(String::as_str).peekable();
        if let Some(color) = words.peek().and_then(|word| word.parse().ok()) {
            request.color = Some(color);
            words.next();
        }
        if words.peek().is_some_and(|word| word.starts_with(|start: char| start.is_ascii_digit())) {
            request.interval = interval(words.next().unwrap_or_default())?;
        }
        while let Some(key) = words.next() {
            let mut value = || words.next().ok_or_else(|| syntax(format!("'{key}' needs a value")));
            let number =
                |text: &str| text.parse().map_err(|_| syntax(format!("invalid number '{text}'")));
            match key.to_ascii_lowercase().as_str() {
                "interval" => request.interval = interval(value()?)?,
                "minmoves" => request.least_moves = number(value()?)?,
                "maxmoves" => request.most_moves = number(value()?)?,
                "ownership" => request.ownership = boolean(value()?)?,
                "rootinfo" => request.root = boolean(value()?)?,
                "pvvisits" => request.line_visits = boolean(value()?)?,
                "pvedgevisits" => request.line_edge_visits = boolean(value()?)?,
                // These have no honest answer here, and clients can do without them.
                "ownershipstdev" | "movesownership" | "movesownershipstdev" | "noresultvalue" => {
                    boolean(value()?)?;
                }
                "avoid" => {
                    let restriction = restriction(value()?, value()?, value()?)?;
                    request.avoided.push(restriction);
                }
                "allow" => {
                    let restriction = restriction(value()?, value()?, value()?)?;
                    request.allowed.push(restriction);
                }
                other => return Err(syntax(format!("unknown key '{other}'"))),
            }
        }
        Ok(request)
    }

    /// The moves to which the search is restricted; `None` if all are allowed. Unless `may_end`, a
    /// pass that ends the game is none of them as long as there are others.
    ///
    /// # Errors
    /// No move would be left.
    pub fn allowed_moves(
        &self,
        position: &Position,
        may_end: bool,
    ) -> Result<Option<Vec<Move>>, CommandError> {
        let mover = position.turn();
        let names = |lists: &[(Color, Vec<Move>)], played: &Move| {
            lists.iter().any(|(color, moves)| *color == mover && moves.contains(played))
        };
        let avoided = |played: &Move| names(&self.avoided, played);
        let is_restricted = self.allowed.iter().any(|(color, _)| *color == mover);
        let allowed = |played: &Move| !is_restricted || names(&self.allowed, played);
        let legal = position.legal_moves();
        let mut left: Vec<Move> =
            legal.iter().copied().filter(|played| allowed(played) && !avoided(played)).collect();
        if !may_end && left.len() > 1 && result_of_pass(position).is_some() {
            left.retain(|&played| played != Move::Pass);
        }
        if left.len() == legal.len() {
            Ok(None)
        } else if left.is_empty() {
            Err(syntax("no legal move is left to look at"))
        } else {
            Ok(Some(left))
        }
    }
}

/// A day in seconds.
const MAX_INTERVAL: f32 = 86_400.0;

fn interval(text: &str) -> Result<Duration, CommandError> {
    text.parse()
        .ok()
        .map(|centiseconds: f32| (centiseconds / 100.0).min(MAX_INTERVAL))
        .and_then(|seconds| Duration::try_from_secs_f32(seconds).ok())
        .ok_or_else(|| syntax(format!("invalid interval '{text}'")))
}

fn boolean(text: &str) -> Result<bool, CommandError> {
    text.to_ascii_lowercase()
        .parse()
        .map_err(|_| syntax(format!("'{text}' is neither true nor false")))
}

/// Parses `COLOR VERTEX,VERTEX,... DEPTH`. Only the first move is restricted, whatever the depth.
fn restriction(who: &str, vertices: &str, depth: &str) -> Result<(Color, Vec<Move>), CommandError> {
    let color = super::arguments::color(who)?;
    let moves: Vec<Move> = vertices.split(',').map(str::parse).collect::<Result<_, _>>()?;
    if depth.parse::<u32>().is_ok_and(|depth| depth > 0) {
        Ok((color, moves))
    } else {
        Err(syntax(format!("invalid depth '{depth}'")))
    }
}

/// One line about a search, from the perspective of the player to move.
pub(super) fn line(
    state: &SearchState,
    style: Style,
    request: &Request,
    ownership: Option<&[f32]>,
) -> String {
    let moves = report::moves(state, request.least_moves, report::STEPS);
    let mut parts: Vec<String> = moves
        .iter()
        .take(request.most_moves.max(1))
        .enumerate()
        .map(|(order, found)| part_of_move(state, style, request, order, found))
        .collect();
    if request.root && style == Style::Kata {
        parts.push(part_of_root(state));
    }
    if let (Some(ownership), Style::Kata) = (ownership, style) {
        let sign = state.root().turn().sign();
        parts.push("ownership".to_owned());
        parts.extend(ownership.iter().map(|share| format!("{:.3}", sign * share)));
    }
    parts.join(" ")
}

/// The part of a line about one move, which comes `order` places after the best.
fn part_of_move(
    state: &SearchState,
    style: Style,
    request: &Request,
    order: usize,
    found: &MoveAnalysis,
) -> String {
    let (size, view) = (state.root().size(), state.root().turn());
    let mut text = String::new();
    let (winrate, lcb, score) = report::outlook(found, size, view);
    let MoveAnalysis { stats: MoveStats { played, prior, visits, .. }, line, .. } = found;
    // Writing to a String cannot fail.
    let _ = write!(text, "info move {played} visits {visits} ");
    let _ = match style {
        Style::Lz => write!(
            text,
            "winrate {} prior {} lcb {} ",
            ten_thousandths(winrate),
            ten_thousandths(*prior),
            ten_thousandths(lcb)
        ),
        Style::Kata => write!(
            text,
            "edgeVisits {visits} utility {:.6} winrate {winrate:.6} scoreMean {lead:.6} scoreStdev {:.6} scoreLead {lead:.6} scoreSelfplay {lead:.6} prior {prior:.6} lcb {lcb:.6} utilityLcb {:.6} weight {visits} ",
            utility(winrate),
            score.deviation,
            utility(lcb),
            lead = score.lead
        ),
    };
    let _ = write!(text, "order {order} pv");
    line.iter().for_each(|(step, _)| {
        let _ = write!(text, " {step}");
    });
    let counts = [(request.line_visits, " pvVisits"), (request.line_edge_visits, " pvEdgeVisits")];
    for (_, name) in counts.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        text.push_str(name);
        line.iter().for_each(|(_, visits)| {
            let _ = write!(text, " {visits}");
        });
    }
    text
}

/// The part of a line about the position itself.
fn part_of_root(state: &SearchState) -> String {
    let root = report::root(state, state.root().turn());
    format!(
        "rootInfo visits {} utility {:.6} winrate {:.6} scoreMean {lead:.6} scoreStdev {:.6} scoreLead {lead:.6} scoreSelfplay {lead:.6} rawWinrate {:.6} weight {0}",
        root.visits,
        utility(root.winrate),
        root.winrate,
        root.score.deviation,
        root.raw_winrate,
        lead = root.score.lead
    )
}

fn ten_thousandths(probability: f32) -> i32 {
    (10_000.0 * probability).round() as i32
}

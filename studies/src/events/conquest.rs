//! Conquests.

use engine::{Bitboard, Color, GameResult, Move, Position, Reason, Size};

use super::turn::Turn;

/// Maximum number of walls of a region that can be conquered.
const MAX_WALLS: usize = 2;

/// A region that a turn conquered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conquest {
    /// Turns before it.
    pub turn: usize,
    /// The player who conquered it.
    pub player: Color,
    /// Number of its points that were not already the player's.
    pub points: usize,
    /// Number of these that the opponent owned.
    pub reconquered: usize,
    /// Number of the opponent's stones in it.
    pub stones: usize,
    /// Number of edges of the board that wall it, at most two.
    pub walls: usize,
}

/// The value of the last point of a game, from the exact scores after the placement there and after
/// one by the opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPoint {
    /// The difference between the two scores in points.
    pub worth: usize,
    /// Whether the two have different winners.
    pub decides: bool,
}

/// What happened with regions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConquestEvents {
    /// The conquests in their order; one turn can make several.
    pub conquests: Vec<Conquest>,
    /// Points conquered and still owned at the end, by the number of walls (none, one, two) of the
    /// region with which they were last won. Own stones that became territory are not included.
    pub kept: [usize; MAX_WALLS + 1],
    /// The last point; `None` if the game would have continued after the opponent's placement
    /// there.
    pub last: Option<LastPoint>,
    /// Whether the same final position has a different result under the other way of scoring;
    /// `None` in an unfinished game.
    pub other_result: Option<bool>,
}

impl ConquestEvents {
    /// The conquest of the most points; the first one if several are equal.
    pub fn largest(&self) -> Option<&Conquest> {
        self.conquests.iter().rev().max_by_key(|conquest| conquest.points)
    }
}

pub(super) fn conquests<'a>(
    turns: impl Iterator<Item = Turn<'a>>,
    last: &Position,
) -> ConquestEvents {
    let mut events = ConquestEvents::default();
    let mut won = [Bitboard::EMPTY; MAX_WALLS + 1];
    for turn in turns {
        events.last = last_point(&turn);
        for (conquest, points) in of_turn(&turn) {
            won = won.map(|others| others.without(&points));
            if let Some(points_of_walls) = won.get_mut(conquest.walls) {
                *points_of_walls |= points;
            }
            events.conquests.push(conquest);
        }
    }
    let owned = *last.owned(Color::Black) | *last.owned(Color::White);
    events.kept = won.map(|points| (points & owned).count());
    events.other_result = has_other_result(last);
    events
}

/// See [`ConquestEvents::other_result`].
fn has_other_result(last: &Position) -> Option<bool> {
    let result = last.outcome()?.result;
    let other = last.rules().with_other_scoring()?;
    let score = last.under(other).ok()?.score()?;
    Some(GameResult::of_score(score) != result)
}

/// What the point of a turn is worth if it is the last one.
fn last_point(turn: &Turn<'_>) -> Option<LastPoint> {
    let final_score = |position: &Position| -> Option<(f32, GameResult)> {
        let end = position.outcome().filter(|end| end.reason == Reason::NoFreePoint)?;
        Some((position.score()?, end.result))
    };
    let (score, result) = final_score(turn.after)?;
    let mut other = turn.before.clone();
    // Passing is not legal; here it only gives the opponent the turn.
    other.play_unchecked(Move::Pass);
    other.play(Move::Place(turn.played.point()?)).ok()?;
    let (other_score, other_result) = final_score(&other)?;
    let worth = (score - other_score).abs().round() as usize;
    Some(LastPoint { worth, decides: result != other_result })
}

/// The conquests of a turn, with the points that each won.
fn of_turn(turn: &Turn<'_>) -> Vec<(Conquest, Bitboard)> {
    let player = turn.before.turn();
    let other = player.opponent();
    let placed = turn.played.point().map(Bitboard::of).unwrap_or_default();
    // As settling sees them: own stones inside become territory afterwards and are not conquered.
    let stones = *turn.before.stones(player) | placed;
    let gained = turn.after.owned(player).without(turn.before.owned(player)).without(&stones);
    let around = turn.before.size().board().without(&stones);
    let mut left = gained;
    let mut found = Vec::new();
    while let Some(first) = left.first() {
        let region = Bitboard::of(first).flood(&around);
        let points = gained & region;
        left = left.without(&region);
        let conquest = Conquest {
            turn: turn.number,
            player,
            points: points.count(),
            reconquered: (points & *turn.before.owned(other)).count(),
            stones: (points & *turn.before.stones(other)).count(),
            walls: walls(turn.before.size(), &region),
        };
        found.push((conquest, points));
    }
    found
}

/// The number of edges on which a region has a point.
fn walls(size: Size, region: &Bitboard) -> usize {
    let (top, right) = (size.height() - 1, size.width() - 1);
    let has = |on_edge: &dyn Fn(usize, usize) -> bool| {
        region.iter().any(|point| on_edge(point.row(), point.column()))
    };
    [
        has(&|row, _| row == 0),
        has(&|row, _| row == top),
        has(&|_, column| column == 0),
        has(&|_, column| column == right),
    ]
    .into_iter()
    .filter(|&wall| wall)
    .count()
}

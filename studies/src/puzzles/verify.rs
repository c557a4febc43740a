//! What each legal move of a position is worth: at a glance, by search, and proved.

use engine::{Color, GameResult, Move, Position};
use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, Search, Settings};
use solver::{Solution, Solver};

/// A searched move wins beyond the first of these values for its player, and does not win below the second.
const CLEAR: [f32; 2] = [0.7, -0.3];

/// The same at a glance, for positions that deserve a search.
const PROMISING: [f32; 2] = [0.3, 0.15];

/// How deep to look: the simulations after each move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Depth(pub(super) u32);

/// What a move is worth to its player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    pub(super) played: Move,
    /// From −1 to 1.
    pub(super) value: f32,
    /// The result, if it follows from the rules alone: 1, 0 or −1.
    pub(super) proven: Option<f32>,
    /// The best reply; `None` if the game is over, or at a glance.
    pub(super) reply: Option<Move>,
}

impl Depth {
    /// No simulations: what the evaluator says of the position after each move.
    pub(super) const GLANCE: Depth = Depth(0);

    /// Looks at every legal move.
    pub(super) fn look<E: Evaluator>(
        self,
        position: &Position,
        evaluator: &mut E,
    ) -> Result<Vec<Worth>, EvaluatorError> {
        let sign = position.turn().sign();
        let after = |&played: &Move| {
            let mut after = position.clone();
            after.play_unchecked(played);
            (played, after)
        };
        let all: Vec<(Move, Position)> = position.legal_moves().iter().map(after).collect();
        let (over, open): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, after)| after.outcome().is_some());
        let exact = |(played, after): &(Move, Position)| {
            let result = after.outcome().map_or(0.0, |end| end.result.black_value() * sign);
            Worth { played: *played, value: result, proven: Some(result), reply: None }
        };
        let mut worths: Vec<Worth> = over.iter().map(exact).collect();
        if self == Depth::GLANCE {
            let positions: Vec<&Position> = open.iter().map(|(_, after)| after).collect();
            let said = evaluator.evaluate(&positions)?;
            worths.extend(open.iter().zip(&said).map(|((played, _), said)| Worth {
                played: *played,
                value: said.value * sign,
                proven: None,
                reply: None,
            }));
            return Ok(worths);
        }
        let settings = Settings { simulations: self.0, gumbel_scale: 0.0, ..Settings::default() };
        let (moves, positions): (Vec<Move>, Vec<Position>) = open.into_iter().unzip();
        let mut searches: Vec<Search> =
            positions.into_iter().map(|after| Search::new(after, settings, 0)).collect();
        search::run_batched(&mut searches, evaluator, LEAVES_AT_ONCE)?;
        worths.extend(moves.into_iter().zip(&searches).map(|(played, search)| {
            let result = search.result();
            let proven = result.proven.map(|result: GameResult| result.black_value() * sign);
            let value = proven.unwrap_or(result.root_value * sign);
            Worth { played, value, proven, reply: Some(result.best) }
        }));
        Ok(worths)
    }

    fn bounds(self) -> [f32; 2] {
        if self == Depth::GLANCE { PROMISING } else { CLEAR }
    }

    fn wins(self, worth: &Worth) -> bool {
        worth.value >= self.bounds()[0]
    }

    /// Whether a move certainly, or at a glance perhaps, does not win.
    pub(super) fn fails(self, worth: &Worth) -> bool {
        let is_proven = worth.proven.is_some_and(|result| result < 1.0);
        is_proven || worth.value <= self.bounds()[1]
    }
}

/// The moves that win clearly.
pub(super) fn winners(worths: &[Worth], depth: Depth) -> Vec<Move> {
    worths.iter().filter(|worth| depth.wins(worth)).map(|worth| worth.played).collect()
}

/// The only move that wins, if all others clearly do not.
pub(super) fn only_winner(worths: &[Worth], depth: Depth) -> Option<Move> {
    let (winners, others): (Vec<&Worth>, Vec<&Worth>) =
        worths.iter().partition(|worth| depth.wins(worth));
    let [winner] = winners[..] else { return None };
    others.iter().all(|worth| depth.fails(worth)).then_some(winner.played)
}

/// What the solver says of a puzzle that a search has found.
pub(super) enum Verdict {
    /// It is right, and these are the wrong moves, each with a reply that shows it.
    Proved(Vec<(Move, Option<Move>)>),
    /// It is wrong.
    Refuted,
    /// The solver does not reach that far.
    Open,
}

/// Asks the solver about the position after these moves.
pub(super) fn prove(
    solver: &mut Solver,
    moves: &[Move],
    solution: Move,
    looked: &[Worth],
    mover: Color,
) -> Verdict {
    let Ok(Solution { value, best, .. }) = solver.solve(moves) else { return Verdict::Open };
    if value.result() != GameResult::Won(mover) || best != [solution] {
        return Verdict::Refuted;
    }
    let mut replies = Vec::new();
    for &Worth { played, reply, .. } in looked.iter().filter(|worth| worth.played != solution) {
        let proved = match reply {
            None => None,
            Some(reply) => {
                let after = [moves, &[played]].concat();
                let Ok(Solution { best, .. }) = solver.solve(&after) else { return Verdict::Open };
                // The reply of the search, if it is as good as any: it is the likelier one to be instructive.
                if best.contains(&reply) { Some(reply) } else { best.first().copied() }
            }
        };
        replies.push((played, proved));
    }
    Verdict::Proved(replies)
}

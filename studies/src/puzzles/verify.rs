//! What each legal move of a position is worth: by successively longer searches, and by proof.

use engine::{Color, GameResult, Move, Position};
use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, Search, Settings};
use solver::{Solution, Solver};

use crate::agent::search_all;

/// Simulations of the search that decides whether it is worth looking at every move of a position.
const FIRST_SEARCH: u32 = 32;

/// In such a search, the best move must have at least the first of these values, and all others
/// that it visits at most the second.
const PROMISING: [f32; 2] = [0.4, 0.3];

/// How deep to search, and how clear the result must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SearchStage {
    /// Simulations after each move.
    pub(super) simulations: u32,
    /// A move with at least this value wins for its player.
    wins: f32,
    /// A move with at most this value does not win.
    fails: f32,
}

/// What a move is worth to its player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MoveWorth {
    pub(super) played: Move,
    /// From −1 to 1.
    pub(super) value: f32,
    /// The result, if the rules alone prove it: 1, 0 or −1.
    pub(super) proven: Option<f32>,
    /// The best reply; `None` if the game is over.
    pub(super) reply: Option<Move>,
}

impl SearchStage {
    /// Enough to rule out most positions.
    pub(super) const SHORT: SearchStage = SearchStage { simulations: 32, wins: 0.5, fails: 0.2 };

    const MIDDLE: SearchStage = SearchStage { simulations: 128, wins: 0.6, fails: 0.0 };

    /// The final search, on which a puzzle is based.
    pub(super) fn last(simulations: u32) -> SearchStage {
        SearchStage { simulations, wins: 0.8, fails: -0.5 }
    }

    /// Successively longer searches, up to the final one.
    pub(super) fn stages(simulations: u32) -> impl Iterator<Item = SearchStage> {
        let shorter = [SearchStage::SHORT, SearchStage::MIDDLE].into_iter();
        shorter
            .filter(move |stage| stage.simulations < simulations)
            .chain([SearchStage::last(simulations)])
    }

    /// Searches every legal move.
    pub(super) fn search_moves<E: Evaluator>(
        self,
        position: &Position,
        evaluator: &mut E,
    ) -> Result<Vec<MoveWorth>, EvaluatorError> {
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
            MoveWorth { played: *played, value: result, proven: Some(result), reply: None }
        };
        let mut worths: Vec<MoveWorth> = over.iter().map(exact).collect();
        let settings = Settings::to_win(self.simulations);
        let (moves, positions): (Vec<Move>, Vec<Position>) = open.into_iter().unzip();
        let mut searches: Vec<Search> =
            positions.into_iter().map(|after| Search::new(after, settings, 0)).collect();
        search::run_batched(&mut searches, evaluator, LEAVES_AT_ONCE)?;
        worths.extend(moves.into_iter().zip(&searches).map(|(played, search)| {
            let result = search.result();
            let proven = result.proven.map(|result: GameResult| result.black_value() * sign);
            let value = proven.unwrap_or(result.root_value * sign);
            MoveWorth { played, value, proven, reply: Some(result.best) }
        }));
        Ok(worths)
    }

    fn wins(self, worth: &MoveWorth) -> bool {
        worth.value >= self.wins
    }

    /// Whether a move clearly does not win.
    pub(super) fn fails(self, worth: &MoveWorth) -> bool {
        let is_proven = worth.proven.is_some_and(|result| result < 1.0);
        is_proven || worth.value <= self.fails
    }
}

/// The move of each position that seems to be the only winning one, if there is one: in a short
/// search it does well, and all others that the search visits do badly.
pub(super) fn find_promising<E: Evaluator>(
    positions: Vec<Position>,
    evaluator: &mut E,
) -> Result<Vec<Option<Move>>, EvaluatorError> {
    let signs: Vec<f32> = positions.iter().map(|position| position.turn().sign()).collect();
    let searches = search_all(positions, FIRST_SEARCH, evaluator)?;
    let only =
        |(search, sign): (&Search, f32)| {
            let result = search.result();
            let mut values =
                result.moves.iter().filter_map(|stats| Some((stats, stats.value? * sign)));
            let [well, badly] = PROMISING;
            let is_only = values.all(|(stats, value)| {
                if stats.played == result.best { value >= well } else { value <= badly }
            });
            is_only.then_some(result.best)
        };
    Ok(searches.iter().zip(signs).map(only).collect())
}

/// The moves that clearly win.
pub(super) fn winners(worths: &[MoveWorth], stage: SearchStage) -> Vec<Move> {
    worths.iter().filter(|worth| stage.wins(worth)).map(|worth| worth.played).collect()
}

/// The only winning move, if all others clearly do not win.
pub(super) fn only_winner(worths: &[MoveWorth], stage: SearchStage) -> Option<Move> {
    let (winners, others): (Vec<&MoveWorth>, Vec<&MoveWorth>) =
        worths.iter().partition(|worth| stage.wins(worth));
    let [winner] = winners[..] else { return None };
    others.iter().all(|worth| stage.fails(worth)).then_some(winner.played)
}

/// Wrong moves, each with a reply that refutes it; without one if the game is over after the move.
pub(super) type Refutations = Vec<(Move, Option<Move>)>;

/// The solver's verdict on a puzzle found by search.
pub(super) enum Verdict {
    /// It is correct; these are the wrong moves.
    Proved(Refutations),
    /// It is not correct.
    Refuted,
    /// It is beyond the solver's reach.
    Open,
}

/// Asks the solver about the position after these moves.
pub(super) fn prove(
    solver: &mut Solver,
    moves: &[Move],
    solution: Move,
    worths: &[MoveWorth],
    mover: Color,
) -> Verdict {
    let Ok(Solution { value, best, .. }) = solver.solve(moves) else { return Verdict::Open };
    if value.result() != GameResult::Won(mover) || best != [solution] {
        return Verdict::Refuted;
    }
    let mut replies = Vec::new();
    for &MoveWorth { played, reply, .. } in worths.iter().filter(|worth| worth.played != solution) {
        let proved = match reply {
            None => None,
            Some(reply) => {
                let after = [moves, &[played]].concat();
                let Ok(Solution { best, .. }) = solver.solve(&after) else { return Verdict::Open };
                // Prefer the search's reply if it is as good as any other: it is more likely to be
                // instructive.
                if best.contains(&reply) { Some(reply) } else { best.first().copied() }
            }
        };
        replies.push((played, proved));
    }
    Verdict::Proved(replies)
}

//! Finds puzzles in games of an agent against itself: positions in which exactly one move keeps the
//! win, and in which the variant's own rule decides which one.
//!
//! *One move keeps the win*: on boards within the solver's reach, the solver proves that this move
//! wins and no other does. Elsewhere, and where it gives up, each legal move is searched: this one
//! wins clearly, and all others lose clearly or are proven not to win.
//!
//! *The variant's own rule decides*: the rules have a part that Go does not have
//! ([`Rules::distinctive_parts`]), and in the same position under the same rules without that part,
//! the move is not the only one that wins: it does not win there, or others do too. This is also
//! determined by searches. Without conquests nothing of Conquest is left; there the rule decides if
//! the move conquers points, or if the reply to the most plausible wrong move does.

mod rule;
mod verify;

use std::collections::HashSet;

use arena::{MatchError, MatchGame, Openings, SelfPlayer, self_play, stones_up_to_symmetry};
use engine::{Color, Move, Position, Rules};
use game::{Puzzle, Verification, WrongMove};
use search::{Evaluator, Settings};
use solver::{Effort, Solver};

use self::verify::{MoveWorth, Refutations, SearchStage, Verdict};
use crate::agent::{NAME, agent_settings, failure};

/// Minimum number of legal moves in a puzzle: with fewer there is little to choose from.
const MIN_MOVES: usize = 5;

/// Number of puzzles found for each one wanted; the hardest are kept.
const CHOICE: usize = 3;

/// Number of games played at a time.
const GAMES_AT_ONCE: usize = 50;

/// What to look for, and how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PuzzlePlan {
    /// Number of puzzles to find.
    pub count: usize,
    /// Maximum number of games to look through.
    pub games: usize,
    /// Simulations per move in the games. With few, players make mistakes, which create puzzles.
    pub playing: u32,
    /// Simulations after each move of a possible puzzle.
    pub simulations: u32,
    /// Positions that the solver may search for each question.
    pub nodes: u64,
    /// Seed of the games.
    pub seed: u64,
}

/// How many positions have passed each test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageCounts {
    /// Different openings, as many as the plan has games unless there are fewer.
    pub openings: usize,
    /// Games that have been played, one from each opening.
    pub games: usize,
    /// Their positions with enough moves.
    pub positions: usize,
    /// Of these, positions in which, by a short search, one move seems to win and no other does.
    pub promising: usize,
    /// Of these, positions in which that is confirmed by searches after every move.
    pub clear: usize,
    /// Of these, positions in which the rule may decide, by short searches.
    pub own: usize,
    /// Of these, positions that the solver does not refute.
    pub verified: usize,
    /// Of these, positions in which the rule decides: puzzles.
    pub puzzles: usize,
}

/// Finds puzzles and returns them easiest first, by the policy's probability of the solution. If
/// more are found than wanted, the hardest are kept. `progress` is called from time to time. Equal
/// plans and evaluators give equal puzzles.
///
/// ```
/// use engine::Rules;
/// use search::evaluators::Uniform;
/// use studies::{PuzzlePlan, puzzles};
///
/// let plan = PuzzlePlan { count: 1, games: 20, playing: 8, simulations: 200, nodes: 1_000_000, seed: 1 };
/// let found = puzzles(Rules::parse("atari-go", 3)?, &plan, &mut Uniform, &mut |_| {})?;
/// for puzzle in found {
///     assert!(puzzle.game()?.position().check_move(puzzle.solution).is_ok());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of a match.
pub fn puzzles<E: Evaluator>(
    rules: Rules,
    plan: &PuzzlePlan,
    evaluator: &mut E,
    progress: &mut dyn FnMut(&StageCounts),
) -> Result<Vec<Puzzle>, MatchError> {
    let openings =
        Openings::from_policy(rules, plan.games, plan.seed, evaluator).map_err(failure)?;
    let effort = Effort { nodes: plan.nodes, ..Effort::default() };
    let solver = Solver::with_effort(rules, effort).winners_only(true);
    let mut finder = Finder {
        plan,
        evaluator,
        solver,
        seen: HashSet::new(),
        found: Vec::new(),
        counts: StageCounts { openings: openings.lines.len(), ..StageCounts::default() },
    };
    // The noise of training makes games differ and causes mistakes.
    let settings = Settings { gumbel_scale: 1.0, ..agent_settings(plan.playing) };
    while finder.counts.games < openings.lines.len() && !finder.is_done() {
        let left = openings.lines.len() - finder.counts.games;
        let some = openings.cyclic_range(finder.counts.games, left.min(GAMES_AT_ONCE));
        let seed = plan.seed.wrapping_add(finder.counts.games as u64);
        let player = SelfPlayer { name: NAME, settings, settled: settings, seed };
        finder.counts.games += some.lines.len();
        for played in self_play(rules, &player, &some.lines, finder.evaluator)? {
            finder.look_through(&played.game)?;
        }
        progress(&finder.counts);
    }
    let mut found = finder.found;
    found.sort_by(|one, other| other.prior.total_cmp(&one.prior));
    Ok(found.split_off(found.len().saturating_sub(plan.count)))
}

struct Finder<'a, E> {
    plan: &'a PuzzlePlan,
    evaluator: &'a mut E,
    solver: Solver,
    /// The stones of the puzzles found so far, up to symmetry.
    seen: HashSet<arena::BoardKey>,
    found: Vec<Puzzle>,
    counts: StageCounts,
}

impl<E: Evaluator> Finder<'_, E> {
    fn is_done(&self) -> bool {
        self.found.len() >= CHOICE * self.plan.count
    }

    /// Looks at every position of a game, and takes at most one puzzle with each solution.
    fn look_through(&mut self, game: &MatchGame) -> Result<(), MatchError> {
        let before_moves = game.positions().into_iter().take(game.moves.len()).enumerate();
        let positions: Vec<(usize, Position)> = before_moves
            .filter(|(_, position)| position.legal_moves().len() >= MIN_MOVES)
            .collect();
        self.counts.positions += positions.len();
        let all = positions.iter().map(|(_, position)| position.clone()).collect();
        let promising = verify::find_promising(all, self.evaluator).map_err(failure)?;
        let mut solutions: Vec<Move> = Vec::new();
        for ((turn, position), solution) in positions.iter().zip(promising) {
            let Some(solution) = solution.filter(|solution| !solutions.contains(solution)) else {
                continue;
            };
            if self.is_done() {
                break;
            }
            let puzzle = self.puzzle(position, &game.moves[..*turn], solution)?;
            solutions.extend(puzzle.as_ref().map(|puzzle| puzzle.solution));
            self.found.extend(puzzle);
        }
        Ok(())
    }

    /// The puzzle with this solution in a position, if it is one. The cheapest tests come first.
    fn puzzle(
        &mut self,
        position: &Position,
        moves: &[Move],
        solution: Move,
    ) -> Result<Option<Puzzle>, MatchError> {
        let key = stones_up_to_symmetry(position);
        let is_usual = solution.point().is_some_and(|point| solution == Move::Place(point));
        if !is_usual || self.seen.contains(&key) {
            return Ok(None);
        }
        self.counts.promising += 1;
        let Some(worths) = self.confirm(position, solution)? else { return Ok(None) };
        self.counts.clear += 1;
        if !rule::may_decide(position, solution, self.evaluator).map_err(failure)? {
            return Ok(None);
        }
        self.counts.own += 1;
        let policies = self.evaluator.policies(&[position]).map_err(failure)?;
        let policy = policies.into_iter().next().unwrap_or_default();
        let prior_of = |played: Move| {
            policy.iter().find(|(other, _)| *other == played).map_or(0.0, |&(_, prior)| prior)
        };
        let verified = self.verify(moves, solution, &worths, position.turn());
        let Some((verified, refutations)) = verified else { return Ok(None) };
        self.counts.verified += 1;
        let wrong: Vec<WrongMove> = refutations
            .into_iter()
            .map(|(played, reply)| WrongMove { played, reply, prior: rounded(prior_of(played)) })
            .collect();
        let Some(decided) =
            rule::decided(position, solution, &wrong, self.plan.simulations, self.evaluator)
                .map_err(failure)?
        else {
            return Ok(None);
        };
        self.counts.puzzles += 1;
        self.seen.insert(key);
        Ok(Some(Puzzle {
            rules: position.rules().to_string(),
            size: position.size(),
            moves: moves.to_vec(),
            solution,
            prior: rounded(prior_of(solution)),
            verified,
            decided,
            wrong,
        }))
    }

    /// What each legal move is worth, by the longest search, if all searches agree that the
    /// solution is the only move that wins.
    fn confirm(
        &mut self,
        position: &Position,
        solution: Move,
    ) -> Result<Option<Vec<MoveWorth>>, MatchError> {
        let mut worths = Vec::new();
        for stage in SearchStage::stages(self.plan.simulations) {
            worths = stage.search_moves(position, self.evaluator).map_err(failure)?;
            if verify::only_winner(&worths, stage) != Some(solution) {
                return Ok(None);
            }
        }
        Ok(Some(worths))
    }

    /// How the solution is known to be the only move that wins, and what refutes the others; `None`
    /// if the solver disproves it.
    fn verify(
        &mut self,
        moves: &[Move],
        solution: Move,
        worths: &[MoveWorth],
        mover: Color,
    ) -> Option<(Verification, Refutations)> {
        match verify::prove(&mut self.solver, moves, solution, worths, mover) {
            Verdict::Proved(refutations) => Some((Verification::Proved, refutations)),
            Verdict::Refuted => None,
            Verdict::Open => {
                let wrong = worths.iter().filter(|worth| worth.played != solution);
                let refutations = wrong.map(|worth| (worth.played, worth.reply)).collect();
                Some((Verification::Searched(self.plan.simulations), refutations))
            }
        }
    }
}

/// A probability, rounded to a reasonable precision.
fn rounded(prior: f32) -> f32 {
    (prior * 1000.0).round() / 1000.0
}
